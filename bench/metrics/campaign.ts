// Sends a known number of evaluations to two servers while connections to the database are cut at commits and writers change the
// flags. In the end the sums in the database must be exact, and PostgreSQL must have seen no deadlock. Then kills a server and counts
// what is lost.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { makeApiToken, makeFeature } from '../../server/src/test/factories.ts';
import { ADMIN_TOKEN, printMachine, type Server, startProxiedServers, startServer } from '../server.ts';

const options = readOptions({
  run: 'npm run campaign:metrics',
  does: 'Cuts connections at commits and kills a server while SDKs send metrics, and compares the sums.',
  options: {
    evaluations: { type: 'string', default: '1000000', meaning: 'Evaluations in all' },
    instances: { type: 'string', default: '200', meaning: 'Instances that send them' },
    cuts: { type: 'string', default: '50', meaning: 'Connections that are cut at a commit' },
    writers: { type: 'string', default: '8', meaning: 'Writers that change flags' },
    flags: { type: 'string', default: '500', meaning: 'Flags' },
  },
});

const ENVIRONMENT = 'production';
const FLAGS = Number(options.flags);
const CUTS = Number(options.cuts);
const EVALUATIONS = Number(options.evaluations);
const INSTANCES = Number(options.instances);
/** A batch has 2,000 rows, so a flush has few commits. Both servers flush every 10 s. */
const MOST_CUT_SECONDS = 60 + CUTS * 30;
const LOST_WITHIN_MS = 10_000;
const RETRY_AFTER_MS = 500;
const MOST_RETRIES = 60;
/** The flush itself takes a moment, longer on a busy machine. */
const TOLERANCE_MS = 3_000;

const name = `halyard_counts_${randomBytes(4).toString('hex')}`;
const url = new URL(urlOf(name));
const problems: string[] = [];
const expected = new Map<string, { yes: number; no: number }>();
process.setMaxListeners(0);

await createDatabase(name);
const { proxy, servers, stop } = await startProxiedServers(url);
const client = new pg.Client({ connectionString: url.href });
await client.connect();
let isRunning = true;
let writes = 0;
try {
  const token = await prepare();
  const writing = Array.from({ length: Number(options.writers) }, (_, writer) => write(writer));
  const cutting = cut();
  await Promise.all(Array.from({ length: INSTANCES }, (_, instance) => send(token, instance)));
  console.log(`${EVALUATIONS} evaluations sent, ${proxy.cuts} connections cut so far`);
  await cutting;
  isRunning = false;
  await Promise.all(writing);
  await stop();
  await compare();
  await kill(token);
  console.log(problems.length === 0 ? 'no problem found' : problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  isRunning = false;
  await stop();
  await client.end();
  await proxy.close();
  await dropDatabase(name);
}
process.exit();

async function prepare(): Promise<string> {
  const db = openDb({ url: url.href, poolSize: 2, onError: () => {} });
  await printMachine(db);
  for (let n = 0; n < FLAGS; n++) await makeFeature(db, 'default', { name: `flag-${n}`, type: 'release' });
  const fields = { tokenName: 'campaign', type: 'backend' as const, environment: ENVIRONMENT };
  const { secret } = await makeApiToken(db, fields);
  await db.destroy();
  return secret;
}

/** Sends the share of one instance in bodies as an SDK sends them, until the connections were cut often enough. */
async function send(token: string, instance: number): Promise<void> {
  const share = Math.floor(EVALUATIONS / INSTANCES) + (instance < EVALUATIONS % INSTANCES ? 1 : 0);
  const bodies = Math.max(5, CUTS);
  for (let body = 0, left = share; left > 0; body++) {
    const size = body >= bodies - 1 ? left : Math.min(left, Math.ceil(share / bodies));
    await sendBody(servers[instance % servers.length], token, `app-${instance % 5}`, instance, size);
    left -= size;
    await sleep(randomInt(2 * 10_000));
  }
}

async function sendBody(
  server: Server | undefined,
  token: string,
  appName: string,
  instance: number,
  evaluations: number,
): Promise<void> {
  const toggles: Record<string, { yes: number; no: number; variants: Record<string, number> }> = {};
  for (let n = 0; n < evaluations; n++) {
    const flag = `flag-${randomInt(FLAGS)}`;
    toggles[flag] ??= { yes: 0, no: 0, variants: {} };
    if (randomInt(2) === 0) {
      toggles[flag].yes++;
      toggles[flag].variants.blue = toggles[flag].yes;
    } else toggles[flag].no++;
  }
  const stop = new Date().toISOString();
  const body = JSON.stringify({
    appName,
    instanceId: `i-${instance}`,
    bucket: { start: stop, stop, toggles },
  });
  const send = () =>
    fetch(`${server?.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body,
    });
  let response = await send();
  // As SDKs do: the server took nothing, and its connection to the database is back soon.
  for (let retries = 0; response.status === 503 && retries < MOST_RETRIES; retries++) {
    await sleep(RETRY_AFTER_MS);
    response = await send();
  }
  if (response.status !== 202) problems.push(`metrics were rejected with ${response.status}`);
  for (const [flag, { yes, no }] of Object.entries(toggles)) {
    const sum = expected.get(flag) ?? { yes: 0, no: 0 };
    expected.set(flag, { yes: sum.yes + yes, no: sum.no + no });
  }
}

/** Cuts the connection of a flush at its commit, again and again. */
async function cut(): Promise<void> {
  const deadline = performance.now() + MOST_CUT_SECONDS * 1_000;
  for (let number = 1; number <= CUTS && performance.now() < deadline; number++) {
    proxy.cutAfter('commit', 'metric_batches');
    while (proxy.cuts < number && performance.now() < deadline) await sleep(20);
  }
  if (proxy.cuts < CUTS) problems.push(`only ${proxy.cuts} of ${CUTS} connections were cut`);
}

/** Changes the flags that SDKs report, so that locks of flags and writes of metrics meet. */
async function write(writer: number): Promise<void> {
  while (isRunning) {
    const flag = `/api/admin/projects/default/features/flag-${randomInt(FLAGS)}`;
    const path = [`${flag}/environments/${ENVIRONMENT}/on`, `${flag}/environments/${ENVIRONMENT}/off`][
      randomInt(2)
    ];
    const server = servers[writer % servers.length];
    const response = await fetch(`${server?.url}${path}`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN },
    });
    await response.arrayBuffer();
    if (response.status < 300) writes++;
    await sleep(20);
  }
}

async function compare(): Promise<void> {
  for (const table of ['metric_hours', 'metric_days']) {
    const { rows } = await client.query<{ name: string; yes: string; no: string; blue: string }>(
      `select name, sum(yes) filter (where variant = '') as yes, sum(no) as no,
         coalesce(sum(yes) filter (where variant = 'blue'), 0) as blue
       from ${table} join metric_features on metric_features.id = feature_id group by name`,
    );
    const stored = new Map(rows.map(row => [row.name, row]));
    const wrong = [...expected].filter(([flag, { yes, no }]) => {
      const row = stored.get(flag);
      return Number(row?.yes) !== yes || Number(row?.no) !== no || Number(row?.blue) !== yes;
    });
    const total = rows.reduce((sum, row) => sum + Number(row.yes) + Number(row.no), 0);
    console.log(
      `${table}: ${total} evaluations of ${rows.length} flags, ${wrong.length} flags with wrong sums`,
    );
    if (wrong.length > 0 || total !== EVALUATIONS)
      problems.push(`${table} has ${total} of ${EVALUATIONS} evaluations`);
  }
  const { rows } = await client.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  const deadlocks = Number(rows[0]?.deadlocks);
  console.log(`${proxy.cuts} connections cut, ${writes} changes of flags, ${deadlocks} deadlocks`);
  if (deadlocks > 0) problems.push(`${deadlocks} deadlocks`);
}

/** Kills a server that gets one evaluation at a time, and finds out when the first lost one was sent. */
async function kill(token: string): Promise<void> {
  const server = await startServer(url);
  const before = await total();
  const sentAt: number[] = [];
  const start = performance.now();
  while (performance.now() - start < 25_000) {
    await sendBody(server, token, 'killed', 0, 1);
    sentAt.push(performance.now());
    await sleep(20);
  }
  process.kill(server.pid, 'SIGKILL');
  const killedAt = performance.now();
  await sleep(1_000);
  const stored = (await total()) - before;
  const firstLost = sentAt[stored];
  const lostMs = firstLost === undefined ? 0 : killedAt - firstLost;
  console.log(
    `kill -9: ${sentAt.length - stored} of ${sentAt.length} evaluations lost, from the last ${(lostMs / 1_000).toFixed(1)} s`,
  );
  if (stored === 0 || lostMs > LOST_WITHIN_MS + TOLERANCE_MS)
    problems.push(`the kill lost ${lostMs} ms of evaluations`);
}

async function total(): Promise<number> {
  const { rows } = await client.query<{ sum: string }>(
    `select coalesce(sum(yes + no), 0) as sum from metric_hours where variant = ''`,
  );
  return Number(rows[0]?.sum);
}
