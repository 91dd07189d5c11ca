// Latency and throughput of deliveries: latency on an idle server, throughput compared with pg-boss and an empty handler, a dead
// receiver next to a healthy one, and the list of 100,000 records.
import { randomBytes } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { buildApp } from '../server/src/app.ts';
import { createIntegration } from '../server/src/delivery/integrations/create.ts';
import { createInitialAdminTokens } from '../server/src/people/api-tokens/initial-admin-tokens.ts';
import { SYSTEM } from '../server/src/platform/actor.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { makeSender } from '../server/src/platform/outgoing/send.ts';
import { keyringOf } from '../server/src/platform/secrets/seal.ts';
import { change } from '../server/src/record/change.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { ADMIN_TOKEN } from '../server/src/test/harness.ts';
import { startProcess, stopProcess } from '../server/src/test/process.ts';
import { startReceiver } from '../server/src/test/receiver.ts';
import { percentile, recordStatements, timed, timeInTurn } from './measure.ts';

const options = readOptions({
  run: 'npm run bench:deliveries',
  does: 'Measures latency and throughput of deliveries, a dead receiver next to a healthy one, and the list of records.',
  options: {
    latency: { type: 'string', default: '300', meaning: 'Number of deliveries on an idle server' },
    events: { type: 'string', default: '3000', meaning: 'Number of events for the throughput' },
    dead: {
      type: 'string',
      default: '5000',
      meaning: 'Number of deliveries that wait for the dead receiver',
    },
    records: { type: 'string', default: '100000', meaning: 'Number of records in the list' },
    only: { type: 'string', default: '', meaning: 'Run only the measurements whose name contains this text' },
  },
});
const KEY = Buffer.alloc(32, 7);
const settings = { keyring: keyringOf(KEY, []), targets: { allowed: [], allowPrivate: true } };

const name = `halyard_deliveries_${randomBytes(4).toString('hex')}`;
await createDatabase(name);
const db = openDb({ url: urlOf(name), poolSize: 4, onError: console.error });
await migrate(urlOf(name));
await createInitialAdminTokens(db, [ADMIN_TOKEN]);
const receiver = await startReceiver();
try {
  const [{ version } = { version: '' }] = (
    await sql<{ version: string }>`show server_version`.execute(db)
  ).rows.map(row => ({ version: Object.values(row)[0] as string }));
  console.log(
    `${cpus().length} cores, Node ${process.version}, PostgreSQL ${version}, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  for (const [what, measure] of Object.entries({
    latency: measureLatency,
    throughput: measureThroughput,
    dead: measureDead,
    page: measurePage,
  })) {
    if (what.includes(options.only)) await measure();
  }
} finally {
  await receiver.close();
  await db.destroy();
  await dropDatabase(name);
}

function addWebhook(url: string, type: string) {
  const input = { provider: 'webhook', enabled: true, events: [type], parameters: { url } };
  return change(db, SYSTEM, current => createIntegration(current, settings, input));
}

function startServer() {
  return startProcess({
    DATABASE_URL: urlOf(name),
    LOG_LEVEL: 'fatal',
    HALYARD_SECRET_KEY: KEY.toString('base64'),
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    HALYARD_DELIVERY_SCHEDULE: '0,5,300,1800',
  });
}

async function happen(
  type: 'tag-created' | 'tag-deleted' | 'tag-type-created' | 'tag-type-updated' | 'tag-type-deleted',
) {
  await change(db, SYSTEM, async ({ record }) => record({ type, data: { name: 'measured' } }));
}

async function measureLatency(): Promise<void> {
  await addWebhook(`${receiver.url}/idle`, 'tag-created');
  const server = await startServer();
  await sleep(1_000);
  const times: number[] = [];
  for (let n = -20; n < Number(options.latency); n++) {
    receiver.received.length = 0;
    await happen('tag-created');
    const committed = performance.now();
    const [request] = await receiver.count(1);
    if (n >= 0) times.push((request?.at ?? 0) - committed);
    await sleep(20);
  }
  await stopProcess(server);
  console.log(
    `Commit to first byte, ${times.length} on an idle server: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms, max ${Math.max(...times).toFixed(1)} ms`,
  );
}

async function measureThroughput(): Promise<void> {
  const count = Number(options.events);
  for (let n = 0; n < 3; n++) await addWebhook(`${receiver.url}/fast/${n}`, 'tag-deleted');
  await inBatches(count, 100, () => ({ type: 'tag-deleted', data: { name: 'measured' } }));
  // As autovacuum would have within a minute; the jobs of the other side are analyzed below.
  await sql`analyze`.execute(db);
  receiver.received.length = 0;
  const server = await startServer();
  const started = performance.now();
  await receiver.count(1, 60_000);
  const first = performance.now();
  await receiver.count(count * 3, 600_000);
  const perSecond = (count * 3) / ((performance.now() - first) / 1_000);
  await stopProcess(server);

  const boss = new PgBoss({ connectionString: urlOf(name), max: 4, migrate: false });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('empty');
  for (let n = 0; n < count * 3; n += 500) {
    await boss.insert(
      'empty',
      Array.from({ length: 500 }, () => ({ data: { delivery: n, attempt: 1 } })),
    );
  }
  await sql`analyze`.execute(db);
  let done = 0;
  const emptied = Promise.withResolvers<void>();
  const emptyStarted = performance.now();
  await boss.work(
    'empty',
    { batchSize: 50, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async jobs => {
      done += jobs.length;
      if (done >= count * 3) emptied.resolve();
    },
  );
  await emptied.promise;
  const empty = (count * 3) / ((performance.now() - emptyStarted) / 1_000);
  await boss.stop({ graceful: false });
  const bare = await bareRequests(count * 3);
  console.log(
    `Throughput, 3 integrations, ${count * 3} deliveries: ${perSecond.toFixed(0)} per second; bare requests to the same receiver: ${bare.toFixed(0)}; pg-boss with an empty handler: ${empty.toFixed(0)}; ${((100 * perSecond) / empty).toFixed(0)} % (first byte ${(first - started).toFixed(0)} ms after the server was ready)`,
  );
}

/** The same requests without anything around them: what HTTP alone would allow on this machine. */
async function bareRequests(count: number): Promise<number> {
  const sender = makeSender(settings.targets);
  const body = JSON.stringify({ id: 1, type: 'tag-deleted', data: { name: 'measured' } });
  let left = count;
  const started = performance.now();
  const one = async () => {
    while (left-- > 0) await sender.send({ url: `${receiver.url}/bare`, headers: {}, body });
  };
  await Promise.all(Array.from({ length: 60 }, one));
  const perSecond = count / ((performance.now() - started) / 1_000);
  await sender.close();
  return perSecond;
}

async function inBatches(
  count: number,
  size: number,
  event: () => { type: 'tag-deleted' | 'tag-type-updated'; data: object },
) {
  for (let n = 0; n < count; n += size) {
    await change(db, SYSTEM, async ({ record }) => {
      for (let i = 0; i < Math.min(size, count - n); i++) record(event());
    });
  }
}

/** One receiver never responds and has thousands of open deliveries. Another one gets one event at a time. */
async function measureDead(): Promise<void> {
  await addWebhook(`${receiver.url}/dead`, 'tag-type-updated');
  await addWebhook(`${receiver.url}/alive`, 'tag-type-deleted');
  await inBatches(Number(options.dead), 100, () => ({
    type: 'tag-type-updated',
    data: { name: 'measured' },
  }));
  let alive = 0;
  receiver.received.length = 0;
  receiver.answer((request, response) => {
    if (request.path === '/dead') return;
    alive = request.at;
    response.end();
  });
  const server = await startServer();
  const times: number[] = [];
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    alive = 0;
    await happen('tag-type-deleted');
    const committed = performance.now();
    while (alive === 0) await sleep(1);
    times.push(alive - committed);
    await sleep(100);
  }
  await stopProcess(server, 'SIGKILL');
  receiver.answer(200);
  // Open deliveries would disturb the next measurement.
  await sql`delete from pgboss.job where name = 'deliver'`.execute(db);
  await sql`delete from integration_deliveries where state in ('pending', 'retrying')`.execute(db);
  console.log(
    `Next to a receiver that hangs with ${options.dead} open deliveries, ${times.length} deliveries to another: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms, max ${Math.max(...times).toFixed(1)} ms`,
  );
}

async function measurePage(): Promise<void> {
  const count = Number(options.records);
  const { id } = await addWebhook(`${receiver.url}/page`, 'tag-type-created');
  // In parts: a statement may take 15 s.
  for (let n = 0; n < count; n += 10_000) await fillRecords(db, id, Math.min(10_000, count - n));
  await sql`analyze integration_deliveries, events`.execute(db);
  // One connection: the one whose statements are recorded is the one that repeats them bare.
  const one: Db = openDb({ url: urlOf(name), poolSize: 1, onError: console.error });
  const app = await buildApp(
    one,
    readConfig({ DATABASE_URL: urlOf(name), LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
  );
  const server = await startServer();
  const path = `/api/admin/addons/${id}/events`;
  const url = server.url + path;
  const headers = { authorization: ADMIN_TOKEN };
  const page = (await (await fetch(url, { headers })).json()) as { integrationEvents: unknown[] };
  if (page.integrationEvents.length !== 50) throw new Error('not a page of 50');
  const { statements, connection } = await recordStatements(app, path, ADMIN_TOKEN);
  const bare = async (client: pg.Client) => {
    for (const statement of statements) await client.query(statement);
  };
  const http = async () => {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`status ${response.status}`);
  };
  // Until the code is compiled as in a server that has been up for a minute.
  for (let n = 0; n < 300; n++) await timed(http);
  const times = await timeInTurn(200, http, () => bare(connection));
  const [over, under] = [percentile(times.http, 0.5), percentile(times.bare, 0.5)];
  console.log(
    `A page of 50 of ${count} records: p50 ${over.toFixed(1)} ms, bare statements ${under.toFixed(1)} ms, ratio ${(over / under).toFixed(2)}`,
  );
  await stopProcess(server);
  await app.close();
  await one.destroy();
}

/** Records as deliveries leave them, each with an event of its own and one attempt. */
async function fillRecords(on: Db, integration: number, count: number): Promise<void> {
  await sql`
    with made as (
      insert into events (type, group_id, created_by, created_by_user_id, project, feature_name, data, pre_data)
      select 'feature-updated', 'g' || n, 'alice', 1, 'default', 'feature-' || n % 1000,
        jsonb_build_object('name', 'feature-' || n % 1000, 'description', repeat('x', 300)),
        jsonb_build_object('name', 'feature-' || n % 1000, 'description', repeat('y', 300))
      from generate_series(1, ${count}::integer) as n returning id
    )
    insert into integration_deliveries (integration_id, event_id, state, state_details, details, attempts)
    select ${integration}::integer, id, 'success', 'Delivered. The receiver responded with 200.',
      jsonb_build_object('url', 'https://x/*****', 'contentType', 'application/json', 'body', jsonb_build_object('id', id)), 1
    from made`.execute(on);
}
