// Sends generated hostile requests to a real server and fails if one becomes a 5xx or hangs, if the process ends or
// grows, or if it logs an error. --seed repeats a run.
import { randomBytes, randomInt } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { exposedFeatures } from '../../server/src/test/consistency.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { listAdminOperations, listOperations } from '../../server/src/test/operations.ts';
import { startProcess, stopProcess } from '../../server/src/test/process.ts';
import { watchMemory } from '../soak/memory.ts';
import { type Callers, makeCallers } from './callers.ts';
import { asCurl } from './curl.ts';
import { MARKER } from './evaluation-twists.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';
import { closeConnections, send } from './send.ts';

const options = readOptions({
  run: 'npm run campaign:hostile',
  does: 'Sends generated hostile requests to a server. Fails when a request gets a 5xx or hangs, or when the process grows or exits.',
  options: {
    requests: { type: 'string', default: '100000', meaning: 'Number of requests' },
    from: {
      type: 'string',
      default: '0',
      meaning: 'Number of the first request, to repeat a failure sooner',
    },
    seed: { type: 'string', default: String(randomInt(2 ** 31)), meaning: 'Seed of a run to repeat' },
    operations: {
      type: 'string',
      default: 'all',
      meaning: 'Operations to call: all, admin, sdk, frontend, ofrep, metrics or playground',
    },
    'at-once': { type: 'string', default: '16', meaning: 'Number of concurrent requests' },
  },
});

const REQUESTS = Number(options.requests);
const SEED = Number(options.seed);
const AT_ONCE = Number(options['at-once']);
const ROUND = 1_000;
const HANG_MS = 2_000;
const MOST_GROWTH = 0.1;
const MOST_SHOWN = 30;
const ADMIN_TOKEN = `*:*.${randomBytes(24).toString('hex')}`;

const withPath = (pattern: RegExp) => listOperations().filter(({ path }) => pattern.test(path));
const OPERATIONS = {
  all: listOperations,
  admin: listAdminOperations,
  sdk: () => listOperations().filter(({ isForSdks }) => isForSdks),
  frontend: () => withPath(/^\/api\/frontend/),
  ofrep: () => withPath(/^\/ofrep/),
  metrics: () => withPath(/metrics|register|\/usage$|\/applications$/),
  playground: () => withPath(/^\/api\/admin\/playground/),
};
const list = Object.entries(OPERATIONS).find(([key]) => key === options.operations)?.[1];
if (!list) {
  console.error(
    `--operations is "${options.operations}". It must be one of ${Object.keys(OPERATIONS).join(', ')}.`,
  );
  process.exit(2);
}
const operations = list();
const failures: string[] = [];
const slow: { request: HostileRequest; number: number; ms: number }[] = [];
const statuses = new Map<number | undefined, number>();
const asked = new Set<string>();
let lastRound = 0;
const heap: number[] = [];

console.log(`seed ${SEED}, ${REQUESTS} requests to ${options.operations} operations, ${AT_ONCE} at once`);
const name = `halyard_hostile_${randomBytes(4).toString('hex')}`;
await createDatabase(name);
const server = await startProcess(
  {
    DATABASE_URL: urlOf(name),
    LOG_LEVEL: 'error',
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    HALYARD_WRITES_PER_MINUTE: '0',
    // A small heap is collected often, so that its lowest values tell what is really in use.
    NODE_OPTIONS: '--max-old-space-size=320',
  },
  60_000,
);
const db = openDb({ url: urlOf(name), poolSize: 2, onError: () => {} });
const memory = watchMemory([server.process.pid ?? 0]);
const started = Date.now();
try {
  await attack();
  await repeatSlow();
  await judge();
} finally {
  closeConnections();
  await db.destroy();
  if (server.process.exitCode === null) await stopProcess(server);
  await dropDatabase(name);
}

const counts = [...statuses]
  .toSorted(([a = 0], [b = 0]) => a - b)
  .map(([status, count]) => `${status ?? 'none'}: ${count}`);
console.log(`statuses: ${counts.join(', ')}`);
console.log(`${asked.size} operations, ${Math.round((Date.now() - started) / 1_000)} s, seed ${SEED}`);
console.log(failures.length === 0 ? 'PASSED' : `FAILED, ${failures.length} problems:`);
for (const failure of failures.slice(0, MOST_SHOWN)) console.log(`- ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function attack(): Promise<void> {
  const arbitrary = hostileRequests(operations);
  for (let first = Number(options.from); first < REQUESTS && isAlive(); first += ROUND) {
    lastRound = first;
    const requests = fc.sample(arbitrary, {
      numRuns: Math.min(ROUND, REQUESTS - first),
      seed: SEED + first,
    });
    const callers = await makeCallers(db, server.url, ADMIN_TOKEN);
    const queue = requests.map((request, at) => ({ request, number: first + at })).values();
    const work = async () => {
      for (const { request, number } of queue) {
        if (!isAlive()) return;
        await attempt(withCredentials(request, callers), number);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (!isAlive()) return;
    heap.push(await usedHeapMb());
    console.log(
      `${first + requests.length} sent, ${failures.length} problems, ${memory.now()}, heap ${heap.at(-1)} MB`,
    );
  }
}

function isAlive(): boolean {
  return server.process.exitCode === null && server.process.signalCode === null;
}

function withCredentials(request: HostileRequest, callers: Callers): HostileRequest {
  // The cookie and authorization headers of the request are hostile on purpose.
  return { ...request, headers: { ...callers[request.caller], ...request.headers } };
}

async function attempt(request: HostileRequest, number: number): Promise<void> {
  const copies = request.delivery === 'several at once' ? 4 : 1;
  const outcomes = await Promise.all(Array.from({ length: copies }, () => send(server.port, request)));
  asked.add(request.operation);
  for (const { status, ms, problem } of outcomes) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== undefined && status >= 500) fail(`status ${status}`, request, number);
    if (problem !== undefined) fail(problem, request, number);
    if (ms > HANG_MS && problem === undefined) slow.push({ request, number, ms });
  }
}

/** One response after 2 s may be the fault of the machine: a request hangs if it is slow again while nothing else runs. */
async function repeatSlow(): Promise<void> {
  for (const { request, number, ms } of slow.slice(0, 200)) {
    if (!isAlive()) return;
    const again = await send(server.port, request);
    if (again.ms > HANG_MS)
      fail(`${Math.round(ms)} ms, and ${Math.round(again.ms)} ms when repeated alone`, request, number);
  }
  console.log(`${slow.length} responses took more than ${HANG_MS} ms under load`);
}

function fail(what: string, request: HostileRequest, number: number): void {
  const { authorization: _, cookie: __, ...headers } = request.headers;
  failures.push(`#${number} ${what}: ${asCurl({ ...request, headers }, number)}`);
}

async function judge(): Promise<void> {
  if (!isAlive())
    failures.push(
      `the process ended with ${server.process.exitCode ?? server.process.signalCode} in the round of request ${lastRound}`,
    );
  // A short run has too few samples, and does not reach everything.
  if (REQUESTS - Number(options.from) >= 20_000) {
    judgeMemory();
    const missed = operations.length - asked.size;
    if (missed > 0) failures.push(`${missed} operations were not called`);
  }
  for (const line of server.output().split('\n'))
    if (line.trim() !== '') failures.push(`log: ${line.slice(0, 1_000)}`);
  if (!isAlive()) return;
  const unhandled = await metric('halyard_unhandled_rejections_total');
  if (unhandled !== 0) failures.push(`unhandled rejections: ${unhandled ?? 'the metric is missing'}`);
  const exposed = await exposedFeatures(db);
  if (exposed.length > 0) failures.push(`enabled without an enabled strategy: ${exposed.join(', ')}`);
  for (const table of await tablesWith(MARKER)) failures.push(`table ${table} has a value of a context`);
}

/** The tables that contain the text in any column. */
async function tablesWith(marker: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`.execute(db);
  const found = [];
  for (const { name: table } of rows) {
    const { rows: hits } = await sql`
      select from ${sql.raw(table)} as one where one::text like ${`%${marker}%`} limit 1`.execute(db);
    if (hits.length > 0) found.push(table);
  }
  return found;
}

function judgeMemory(): void {
  // The lowest value of a quarter: what the garbage collector has not reached yet is no growth.
  const lowest = (quarter: number) =>
    Math.min(...heap.slice((heap.length * quarter) / 4, (heap.length * (quarter + 1)) / 4));
  for (const [what, growth] of [
    ['resident memory', memory.growth()],
    ['heap', lowest(3) / lowest(1) - 1],
  ] as const) {
    const percent = `${Math.round(growth * 1_000) / 10} %`;
    console.log(`${what}: the last quarter is ${percent} above the second`);
    if (!(growth <= MOST_GROWTH)) failures.push(`${what} grew by ${percent}`);
  }
}

async function metric(name: string): Promise<number | undefined> {
  const text = await (await fetch(`${server.url}/internal-backstage/prometheus`)).text();
  const value = new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

async function usedHeapMb(): Promise<number> {
  return Math.round(((await metric('nodejs_heap_size_used_bytes')) ?? 0) / 2 ** 20);
}
