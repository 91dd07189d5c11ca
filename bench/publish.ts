import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toggleFeatures } from '../server/src/flags/feature-environments/toggle.ts';
import { SYSTEM } from '../server/src/platform/actor.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { findDifferences } from '../server/src/publishing/projection/verify.ts';
import { change } from '../server/src/record/change.ts';
import { registerWriters } from '../server/src/record/change-writers.ts';
import { WRITERS as CHANGE_WRITERS } from '../server/src/writers.ts';
import { cpuBetween, percentile, readCpu } from './measure.ts';
import { newestPrograms, startOwnPostgres } from './own-postgres.ts';
import { printMachine } from './server.ts';

const options = readOptions({
  run: 'npm run bench:publish',
  does: 'Measures changes with and without publishing to SDKs: 10,000 flags in 3 environments, 8 writers in one of them.',
  options: {
    rounds: { type: 'string', default: '4', meaning: 'Rounds with and rounds without publishing' },
    seconds: { type: 'string', default: '8', meaning: 'Length of a round' },
    postgres: { type: 'string', default: newestPrograms(), meaning: 'Folder of the programs of PostgreSQL' },
    as: { type: 'string', default: 'postgres', meaning: 'User who runs PostgreSQL' },
  },
});

const FLAGS = 10_000;
const PROJECTS = 10;
const WRITERS = 8;
const WARM_UP_CHANGES = 200;
const COMMIT_DELAY_US = 10_000;
const LEAST_SHARE = 0.5;
const MAX_EXTRA_CPU_MS = 1.5;
const LEAST_SLOW_RATE = 50;
const TRIGGER = 'feature_environments_mark_updated';

type Flags = 'published' | 'unpublished';
type Round = { changes: number; seconds: number; cpuMs: number; latencies: number[] };

registerWriters(CHANGE_WRITERS);
const postgres = startOwnPostgres(options.postgres, options.as, [
  'max_connections=100',
  'shared_buffers=256MB',
]);
const watch = new pg.Client({ connectionString: postgres.url });
/** Alternates rounds with and without publishing. Without: nothing marks the flags, so nothing is built. */
async function compare(): Promise<void> {
  const db = openPool();
  await printMachine(watch);
  const results: Record<Flags, Round[]> = { published: [], unpublished: [] };
  await round(db, 'published', 'production', 2);
  for (let n = 0; n < Number(options.rounds); n++) {
    for (const flags of ['published', 'unpublished'] as const) {
      await watch.query(
        `alter table feature_environments ${flags === 'published' ? 'enable' : 'disable'} trigger ${TRIGGER}`,
      );
      results[flags].push(await round(db, flags, 'production', Number(options.seconds)));
    }
  }
  await watch.query(`alter table feature_environments enable trigger ${TRIGGER}`);
  const wrong = (await findDifferences(db)).filter(({ key }) => isPublished(Number(key.slice(5))));
  console.log(
    '| 8 writers in one environment | changes/s | PostgreSQL CPU ms per change | p50 ms | p95 ms |',
  );
  console.log('|---|--:|--:|--:|--:|');
  for (const flags of ['unpublished', 'published'] as const) console.log(row(flags, results[flags]));
  const [with_, without] = [total(results.published), total(results.unpublished)];
  const [share, extra] = [rate(with_) / rate(without), cpu(with_) - cpu(without)];
  console.log(
    `\nChanges/s with publishing: ${(100 * share).toFixed(0)} % of those without (at least ${100 * LEAST_SHARE} %).`,
  );
  console.log(`CPU in PostgreSQL per change: ${extra.toFixed(2)} ms more (at most ${MAX_EXTRA_CPU_MS} ms).`);
  console.log(`Documents of published flags that differ from their rows: ${wrong.length} (none expected).`);
  if (!(share >= LEAST_SHARE && extra <= MAX_EXTRA_CPU_MS) || wrong.length > 0) process.exitCode = 1;
  await db.destroy();
}

/** Every commit takes 10 ms longer, as with a synchronous standby: the counter of the environment is held meanwhile. */
async function withSlowCommits(): Promise<void> {
  await watch.query(`alter database halyard set commit_delay = ${COMMIT_DELAY_US}`);
  await watch.query('alter database halyard set commit_siblings = 0');
  const db = openPool();
  const seconds = Number(options.seconds);
  const alone = await round(db, 'published', 'development', seconds, 1);
  const [busy, beside] = await Promise.all([
    round(db, 'published', 'production', seconds),
    round(db, 'unpublished', 'development', seconds, 1),
  ]);
  console.log('\nWith 10 ms added to every commit:');
  console.log(
    `- 8 writers in one environment: ${rate(busy).toFixed(0)} changes/s (at least ${LEAST_SLOW_RATE}).`,
  );
  if (rate(busy) < LEAST_SLOW_RATE) process.exitCode = 1;
  console.log(
    `- 1 writer in another environment: p50 ${percentile(alone.latencies, 0.5).toFixed(0)} ms alone, ` +
      `${percentile(beside.latencies, 0.5).toFixed(0)} ms while those 8 write, ` +
      `whose p50 is ${percentile(busy.latencies, 0.5).toFixed(0)} ms.`,
  );
  await db.destroy();
}

const openPool = (): Db => openDb({ url: postgres.url, poolSize: WRITERS + 2, onError: console.error });

/** Every other flag is toggled only without publishing, so that its stale document does not make a later change cheaper. */
const isPublished = (flag: number): boolean => flag % 2 === 0;

/** Writers that toggle random flags in the environment, one change after the other. */
async function round(
  db: Db,
  flags: Flags,
  environment: string,
  seconds: number,
  writers = WRITERS,
): Promise<Round> {
  const latencies: number[] = [];
  const write = async (writer: number) => {
    // Each writer has separate flags, so that no two writers wait for the same flag.
    const place = Math.floor((Math.random() * FLAGS) / (2 * WRITERS)) * WRITERS + writer;
    const began = performance.now();
    await toggle(db, place * 2 + (flags === 'published' ? 0 : 1), environment);
    latencies.push(performance.now() - began);
  };
  const all = async (again: () => boolean) =>
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        while (again()) await write(writer);
      }),
    );
  // Every connection replans its statements after a trigger was enabled or disabled.
  await all(() => latencies.length < WARM_UP_CHANGES);
  latencies.length = 0;
  const before = await readCpu(process.pid, watch);
  const start = performance.now();
  await all(() => performance.now() - start < seconds * 1_000);
  const elapsed = (performance.now() - start) / 1_000;
  // The notification of the last change is part of its cost.
  await sleep(50);
  const cpuMs = cpuBetween(before, await readCpu(process.pid, watch)).postgres;
  return { changes: latencies.length, seconds: elapsed, cpuMs, latencies };
}

const enabled = new Set<string>();

async function toggle(db: Db, flag: number, environment: string): Promise<void> {
  const key = `${environment} ${flag}`;
  const isOn = enabled.has(key);
  await change(db, SYSTEM, current =>
    toggleFeatures(current, `project-${flag % PROJECTS}`, environment, [`flag-${flag}`], !isOn),
  );
  if (isOn) enabled.delete(key);
  else enabled.add(key);
}

function total(rounds: Round[]): Round {
  const sum = (of: (round: Round) => number) => rounds.reduce((all, one) => all + of(one), 0);
  return {
    changes: sum(one => one.changes),
    seconds: sum(one => one.seconds),
    cpuMs: sum(one => one.cpuMs),
    latencies: rounds.flatMap(one => one.latencies),
  };
}

const rate = ({ changes, seconds }: Round): number => changes / seconds;
const cpu = ({ cpuMs, changes }: Round): number => cpuMs / changes;

function row(name: string, rounds: Round[]): string {
  const all = total(rounds);
  const [p50, p95] = [0.5, 0.95].map(part => percentile(all.latencies, part).toFixed(1));
  return `| ${name} | ${rate(all).toFixed(0)} | ${cpu(all).toFixed(2)} | ${p50} | ${p95} |`;
}

/** 10 projects with 1,000 flags each, 3 environments, 2 strategies per flag and environment. */
async function fill(client: pg.Client): Promise<void> {
  const statements = [
    `insert into environments (name, type, sort_order) values ('staging', 'test', 150)`,
    `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECTS - 1}) as n`,
    `insert into project_environments (project_id, environment_name)
      select projects.id, environments.name from projects, environments on conflict do nothing`,
    `insert into features (name, project, type)
      select 'flag-' || n, 'project-' || n % ${PROJECTS}, 'release' from generate_series(0, ${FLAGS - 1}) as n`,
    `insert into feature_environments (feature_name, environment)
      select features.name, environments.name from features, environments`,
    `insert into feature_strategies (feature_name, environment, strategy_name, sort_order, parameters, constraints, variants)
      select feature_name, environment, 'flexibleRollout', n,
        jsonb_build_object('rollout', '50', 'stickiness', 'default', 'groupId', feature_name),
        '[{"contextName": "userId", "operator": "IN", "values": ["7", "11"], "inverted": false, "caseInsensitive": false}]',
        case when n = 0 then '[]'::jsonb else '[{"name": "blue", "weight": 1000, "weightType": "variable",
          "stickiness": "default", "payload": {"type": "string", "value": "x"}}]' end
      from feature_environments, generate_series(0, 1) as n`,
    'vacuum analyze',
  ];
  for (const statement of statements) await client.query(statement);
}

try {
  await migrate(postgres.url);
  await watch.connect();
  await fill(watch);
  await compare();
  await withSlowCommits();
} finally {
  await watch.end();
  postgres.remove();
}
