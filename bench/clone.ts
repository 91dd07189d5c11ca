import { cpus, loadavg } from 'node:os';
import { sql } from 'kysely';
import { buildApp } from '../server/src/app.ts';
import { createInitialAdminTokens } from '../server/src/people/api-tokens/initial-admin-tokens.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { startProcess, stopProcess } from '../server/src/test/process.ts';
import { cpuBetween, percentile, readCpu, timed } from './measure.ts';

const options = readOptions({
  run: 'npm run bench:clone',
  does: 'Measures clones of features on a large instance.',
  options: {
    features: { type: 'string', default: '10000', meaning: 'Number of features' },
    rounds: { type: 'string', default: '200', meaning: 'Number of clones' },
  },
});
const FEATURES = Number(options.features);
const ROUNDS = Number(options.rounds);
const MOST_MS = 20;

const ADMIN_TOKEN = '*:*.a-token-for-the-benchmark-0123456789';
const NAME = 'halyard_bench_clone';
const CLONES = '/api/admin/projects/default/features';

/** The sources that are measured: environments and strategies in each. */
const SOURCES = [
  { name: 'source-3x2', environments: 3, strategies: 2 },
  { name: 'source-5x30', environments: 5, strategies: 30 },
];

/** Features like those of an instance in use: three environments, two strategies in each, in ten projects. */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into environments (name, type, sort_order)
    select 'stage-' || n, 'test', n from generate_series(1, 3) as n`.execute(db);
  await sql`
    insert into project_environments (project_id, environment_name)
    select 'default', 'stage-' || n from generate_series(1, 3) as n`.execute(db);
  await sql`insert into segments (name, created_by) values ('beta', 'bench')`.execute(db);
  await sql`
    insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(1, 10) as n`.execute(
    db,
  );
  await sql`
    insert into features (name, project, type, description)
    select 'feature-' || n, 'project-' || 1 + n % 10, 'release', 'One of many' from generate_series(1, ${FEATURES}::integer) as n`.execute(
    db,
  );
  await addParts(db, 'feature-%', ['development', 'production', 'stage-1'], 2);
  for (const { name, environments, strategies } of SOURCES) {
    await sql`insert into features (name, project, type) values (${name}, 'default', 'release')`.execute(db);
    const names = ['development', 'production', 'stage-1', 'stage-2', 'stage-3'].slice(0, environments);
    await addParts(db, name, names, strategies);
    await sql`insert into tags (type, value) values ('simple', ${name})`.execute(db);
    await sql`insert into feature_tags (feature_name, type, value) values (${name}, 'simple', ${name})`.execute(
      db,
    );
    await sql`insert into feature_dependencies (child, parent) values (${name}, 'feature-1')`.execute(db);
  }
  await sql`vacuum analyze`.execute(db);
}

async function addParts(db: Db, like: string, environments: string[], strategies: number): Promise<void> {
  await sql`
    insert into feature_environments (feature_name, environment, enabled, variants)
    select name, environment, true, '[{"name": "blue", "weight": 1000, "weightType": "variable", "stickiness": "default"}]'
    from features, unnest(${environments}::text[]) as environment where name like ${like}`.execute(db);
  await sql`
    insert into feature_lifecycles (feature_name, stage) select name, 'initial' from features where name like ${like}`.execute(
    db,
  );
  await sql`
    insert into feature_strategies (feature_name, environment, strategy_name, sort_order, parameters, constraints)
    select feature_name, environment, 'flexibleRollout', n,
      jsonb_build_object('rollout', '50', 'stickiness', 'default', 'groupId', feature_name),
      '[{"contextName": "userId", "operator": "IN", "values": ["a", "b", "c"], "inverted": false, "caseInsensitive": false}]'
    from feature_environments, generate_series(1, ${strategies}::integer) as n where feature_name like ${like}`.execute(
    db,
  );
  await sql`
    insert into feature_strategy_segments (strategy_id, segment_id)
    select id, 1 from feature_strategies where feature_name like ${like}`.execute(db);
}

/** The number of statements of one clone, from the token to the response. */
async function countStatements(source: string): Promise<number> {
  let count = 0;
  const db = openDb({
    url: urlOf(NAME),
    poolSize: 2,
    onError: console.error,
    onQuery: statement => {
      if (!/^update .*seen_at/.test(statement)) count++;
    },
  });
  const app = await buildApp(
    db,
    readConfig({ DATABASE_URL: urlOf(NAME), LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
  );
  const send = (name: string) =>
    app.inject({
      method: 'POST',
      url: `${CLONES}/${source}/clone`,
      headers: { authorization: ADMIN_TOKEN },
      payload: { name },
    });
  await send(`${source}-warm`);
  count = 0;
  const { statusCode } = await send(`${source}-counted`);
  if (statusCode !== 200) throw new Error(`clone failed with status ${statusCode}`);
  await app.close();
  await db.destroy();
  return count;
}

async function main(): Promise<void> {
  await createDatabase(NAME);
  const db = openDb({ url: urlOf(NAME), poolSize: 4, onError: console.error });
  await migrate(urlOf(NAME));
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  await fill(db);
  const server = await startProcess({ DATABASE_URL: urlOf(NAME), LOG_LEVEL: 'warn' });
  try {
    console.log(
      `${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}; Node ${process.version}; ${FEATURES} features\n`,
    );
    console.log(
      '| source | statements | min / p50 / p95 ms, one at a time | CPU ms Node | PostgreSQL | 16 at a time, clones/s | n |',
    );
    console.log('|---|--:|--:|--:|--:|--:|--:|');
    for (const { name } of SOURCES) await measure(db, server.url, Number(server.process.pid), name);
  } finally {
    await stopProcess(server);
    await db.destroy();
    await dropDatabase(NAME);
  }
}

async function measure(db: Db, url: string, pid: number, source: string): Promise<void> {
  const statements = await countStatements(source);
  let n = 0;
  const once = async () => {
    const response = await fetch(`${url}${CLONES}/${source}/clone`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${source}-copy-${++n}` }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
  };
  for (let i = 0; i < 20; i++) await once();

  const [node, postgres] = [await readCpu([pid]), await readCpu(await backends(db))];
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) times.push(await timed(once));
  const nodeUsed = cpuBetween(node, await readCpu([pid]));
  const postgresUsed = cpuBetween(postgres, await readCpu(await backends(db)));

  const many = await timed(async () => {
    const one = async () => {
      for (let i = 0; i < Math.ceil(ROUNDS / 16); i++) await once();
    };
    await Promise.all(Array.from({ length: 16 }, one));
  });
  const p50 = percentile(times, 0.5);
  const each = (used: number | undefined) => (used === undefined ? '' : (used / ROUNDS).toFixed(1));
  const rate = (Math.ceil(ROUNDS / 16) * 16) / (many / 1_000);
  console.log(
    `| ${source} | ${statements} | ${Math.min(...times).toFixed(1)} / ${p50.toFixed(1)} / ${percentile(times, 0.95).toFixed(1)} | ${each(nodeUsed)} ` +
      `| ${each(postgresUsed)} | ${rate.toFixed(0)} | ${ROUNDS} |`,
  );
  if (p50 > MOST_MS) {
    console.error(`${source}: p50 is above ${MOST_MS} ms`);
    process.exitCode = 1;
  }
}

/** The connections that serve requests, without those of the job engine. */
async function backends(db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and application_name <> 'halyard jobs' and pid <> pg_backend_pid()`.execute(db);
  return rows.map(row => row.pid);
}

await main();
