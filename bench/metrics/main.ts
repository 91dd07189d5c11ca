// Compares the CPU of a body of metrics with a bare node:http server that parses and adds up, then fills the tables with 90 days of
// metrics, and measures their size and the queries of the console.
import { fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { cpuMsOfProcess } from '../../server/src/test/cpu-time.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { makeApiToken } from '../../server/src/test/factories.ts';
import { stepper } from '../database.ts';
import { percentile, timed } from '../measure.ts';
import { onKeptConnections, type Request, readResponse } from '../sdk/load.ts';
import { ADMIN_TOKEN, printMachine, startServer } from '../server.ts';

const options = readOptions({
  run: 'npm run bench:metrics',
  does: 'Measures the CPU of a body of metrics, the size of 90 days of metrics, and the queries of the console.',
  options: {
    bodies: { type: 'string', default: '20000', meaning: 'Bodies for each server' },
    flags: { type: 'string', default: '50000', meaning: 'Flags' },
    days: { type: 'string', default: '90', meaning: 'Days of metrics' },
    requests: { type: 'string', default: '200', meaning: 'Requests of each query' },
  },
});

const BARE = fileURLToPath(new URL('bare.ts', import.meta.url));
const SERVE = fileURLToPath(new URL('../sdk/serve.ts', import.meta.url));
const FLAGS = Number(options.flags);
const DAYS = Number(options.days);
const FLAGS_PER_PROJECT = 1_000;
const PROJECTS = Math.ceil(FLAGS / FLAGS_PER_PROJECT);
const FLAGS_PER_BODY = 50;
const BATCH = 400;
/** Goals: CPU compared with the bare server, and the 95th percentile of a query. */
const MOST_TIMES_BARE = 2;
const MOST_P95_MS = 50;
/** Hours are stored for 7 days. */
const HOURLY_DAYS = Math.min(7, DAYS);

const name = `halyard_counts_${randomBytes(4).toString('hex')}`;
const url = new URL(urlOf(name));
const SERVED = { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' };
const problems: string[] = [];
process.setMaxListeners(0);

await createDatabase(name);
const server = await startServer(url);
const client = new pg.Client({ connectionString: url.href });
try {
  await client.connect();
  const db = openDb({ url: url.href, poolSize: 1, onError: error => console.error(error.message) });
  await printMachine(db);
  await fillFlags();
  const fields = { tokenName: 'bench', type: 'backend' as const, environment: 'production' };
  const { secret } = await makeApiToken(db, fields);
  await db.destroy();
  await compareWithBare(secret);
  await fillMetrics();
  await measureSize();
  await measureQueries();
  console.log(`\nload ${loadavg()[0]?.toFixed(1)} at the end`);
} finally {
  await client.end();
  await server.stop();
  await dropDatabase(name);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

async function fillFlags(): Promise<void> {
  const step = stepper(client);
  // Nobody reads the documents for SDKs here, and building them takes longer than everything else.
  await step('triggers off', 'set session_replication_role = replica');
  await step(
    'projects',
    `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(1, $1) as n`,
    [PROJECTS],
  );
  await step(
    'flags',
    `insert into features (name, project, type, created_at)
     select 'flag-' || n, 'project-' || 1 + (n - 1) / ${FLAGS_PER_PROJECT}, 'release', now() - interval '400 days'
     from generate_series(1, $1) as n`,
    [FLAGS],
  );
  await step('triggers on', 'set session_replication_role = origin');
  await step('numbers', 'insert into metric_features (name) select name from features order by name');
  await step(
    'environments',
    'insert into metric_environments (name) select name from environments order by name',
  );
  await step(
    'applications',
    `insert into applications (name) select 'app-' || n from generate_series(1, 20) as n`,
  );
  await step('statistics', 'analyze features, metric_features');
}

/** Two environments and two applications for each flag, a third of the flags with variants in one of them. */
async function fillMetrics(): Promise<void> {
  const step = stepper(client);
  await client.query(`
    do $$ declare at date; begin
      for at in select generate_series(date_trunc('month', now() - interval '${DAYS} days'), now() + interval '32 days', '1 month')::date loop
        if to_regclass('metric_days_' || to_char(at, 'YYYYMM')) is null then
          execute format('create table %I partition of metric_days for values from (%L) to (%L)',
            'metric_days_' || to_char(at, 'YYYYMM'), at, (at + interval '1 month')::date);
        end if;
      end loop;
      for at in select generate_series(now() - interval '${HOURLY_DAYS} days', now() + interval '1 day', '1 day')::date loop
        if to_regclass('metric_hours_' || to_char(at, 'YYYYMMDD')) is null then
          execute format('create table %I partition of metric_hours for values from (%L) to (%L)',
            'metric_hours_' || to_char(at, 'YYYYMMDD'), at, at + 1);
        end if;
      end loop;
    end $$`);
  const rows = (time: string, column: string) => `
    insert into ${column === 'day' ? 'metric_days' : 'metric_hours'}
      (feature_id, environment_id, application_id, ${column}, variant, yes, no)
    select flag.id, environment.id, 1 + (flag.id + place) % 20, ${time}, variant, 1000, 10
    from metric_features as flag
      cross join (select id from metric_environments order by id limit 2) as environment
      cross join generate_series(0, 1) as place
      cross join unnest(case when flag.id % 3 = 0 and place = 0 then array['', 'blue'] else array[''] end) as variant
    on conflict do nothing`;
  for (let day = DAYS; day >= 0; day -= 10) {
    for (let n = day; n > Math.max(day - 10, -1); n--)
      await client.query(rows(`(now() - interval '${n} days')::date`, 'day'));
    console.error(`days: ${day} left`);
  }
  for (let hour = HOURLY_DAYS * 24; hour >= 0; hour--) {
    // An application evaluates a tenth of the flags within an hour.
    await client.query(
      rows(`date_trunc('hour', now() - interval '${hour} hours')`, 'hour').replace(
        'cross join unnest',
        `join generate_series(0, 0) on (flag.id + ${hour}) % 10 = 0 cross join unnest`,
      ),
    );
  }
  await step(
    'last use',
    `insert into feature_last_seen (feature_name, environment, seen_at, first_seen_on, enabled_on, disabled_on)
     select flag.name, environment.name, now(), now() - interval '${DAYS} days', now(), now() from metric_features as flag
       cross join (select name from metric_environments order by id limit 2) as environment`,
  );
  await step('statistics', 'analyze metric_days, metric_hours, feature_last_seen');
}

async function measureSize(): Promise<void> {
  console.log('\n| Table | Rows | MB | Bytes per row, with its key |\n| --- | ---: | ---: | ---: |');
  for (const table of ['metric_hours', 'metric_days']) {
    const { rows } = await client.query<{ rows: string; bytes: string }>(
      `select (select count(*) from ${table}) as rows, sum(pg_total_relation_size(inhrelid)) as bytes
       from pg_inherits where inhparent = '${table}'::regclass`,
    );
    const [count, bytes] = [Number(rows[0]?.rows), Number(rows[0]?.bytes)];
    console.log(
      `| ${table} | ${count.toLocaleString('en')} | ${(bytes / 1e6).toFixed(0)} | ${(bytes / count).toFixed(0)} |`,
    );
  }
}

async function measureQueries(): Promise<void> {
  const flag = () => `flag-${1 + randomInt(FLAGS)}`;
  const project = () => `project-${1 + randomInt(PROJECTS)}`;
  const queries: [string, () => string, mostMs?: number][] = [
    ['usage of a flag', () => `/api/admin/client-metrics/features/${flag()}`],
    ['last 24 h of a flag', () => `/api/admin/client-metrics/features/${flag()}/raw?hoursBack=24`],
    ['last 30 days of a flag', () => `/api/admin/client-metrics/features/${flag()}/raw?hoursBack=720`],
    ['last 30 days of a project', () => `/api/admin/projects/${project()}/usage?days=30`],
    [
      'the same, 1,000 flags on one page',
      () => `/api/admin/projects/${project()}/usage?days=30&limit=1000`,
      Number.POSITIVE_INFINITY,
    ],
    ['applications', () => '/api/admin/metrics/applications'],
  ];
  console.log('\n| Query | p50, ms | p95, ms |\n| --- | ---: | ---: |');
  for (const [query, address, mostMs = MOST_P95_MS] of queries) {
    const times: number[] = [];
    for (let n = 0; n < Number(options.requests); n++) {
      times.push(
        await timed(async () => {
          const response = await fetch(`${server.url}${address()}`, {
            headers: { authorization: ADMIN_TOKEN },
          });
          if (!response.ok) throw new Error(`${query}: ${response.status} ${await response.text()}`);
          await response.arrayBuffer();
        }),
      );
    }
    const p95 = percentile(times, 0.95);
    console.log(`| ${query} | ${percentile(times, 0.5).toFixed(1)} | ${p95.toFixed(1)} |`);
    if (p95 > mostMs) problems.push(`${query}: p95 is ${p95.toFixed(1)} ms, the goal is ${mostMs} ms`);
  }
}

/** Small batches in turn, so that both servers have the same neighbours on a busy machine. The CPU is that of all threads. */
async function compareWithBare(token: string): Promise<void> {
  const children = [
    fork(SERVE, { stdio: 'inherit', env: SERVED }),
    fork(BARE, { stdio: 'inherit' }),
  ] as const;
  const sides = [];
  for (const child of children) {
    const [port] = (await once(child, 'message')) as [number];
    const request = { port, text: requestText(token) };
    sides.push({ pid: child.pid ?? 0, request, length: await keptLength(request), us: [] as number[] });
  }
  const batches = Math.max(3, Math.round(Number(options.bodies) / BATCH));
  for (let round = 0; round < batches; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = cpuMsOfProcess(side.pid);
      await onKeptConnections(side.request, BATCH, side.length);
      side.us.push(((cpuMsOfProcess(side.pid) - before) * 1_000) / BATCH);
    }
  }
  for (const child of children) child.kill();
  // The first third warms up.
  const [own = 0, least = 0] = sides.map(({ us }) => mean(us.slice(Math.round(batches / 3))));
  const times = own / least;
  console.log('| Body of 50 flags | CPU, µs |\n| --- | ---: |');
  console.log(`| Halyard | ${own.toFixed(0)} |\n| bare parse and merge | ${least.toFixed(0)} |`);
  console.log(`| ratio, at most ${MOST_TIMES_BARE} | ${times.toFixed(2)} |`);
  if (times > MOST_TIMES_BARE) problems.push(`a body costs ${times.toFixed(2)} times the bare server`);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Metrics as the SDK for Node.js sends them. */
function requestText(token: string): string {
  const toggles = Object.fromEntries(
    Array.from({ length: FLAGS_PER_BODY }, (_, n) => [`flag-${n + 1}`, { yes: n, no: 1, variants: {} }]),
  );
  const stop = new Date().toISOString();
  const bucket = { start: stop, stop, toggles };
  const body = JSON.stringify({ appName: 'bench', instanceId: 'i1', bucket, platformName: 'node' });
  return [
    'POST /api/client/metrics HTTP/1.1',
    'host: 127.0.0.1:4242',
    'accept: */*',
    `authorization: ${token}`,
    'content-type: application/json',
    'unleash-appname: bench',
    'unleash-sdk: unleash-node-sdk:6.12.1',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** The length of a response on a connection that stays open. */
async function keptLength(request: Request): Promise<number> {
  const closed = await readResponse(request);
  // `connection: close` in place of `connection: keep-alive` and `keep-alive: timeout=72`.
  return closed.length - 'close'.length + 'keep-alive'.length + 'Keep-Alive: timeout=72\r\n'.length;
}
