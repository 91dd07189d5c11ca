// Real SDKs on all transports, some of them stopped, while flags change and servers are killed: reach must name exactly the stopped
// ones, and must never say that a change is live before it is.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CLIENT_LIMITS } from '../../plane/src/counting/clients.ts';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { makeApiToken, makeFeature } from '../../server/src/test/factories.ts';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startBalancer } from '../balancer.ts';
import { ADMIN_TOKEN, startServer } from '../server.ts';
import { measureMemory } from './memory.ts';
import type { SdkSettings } from './sdks.ts';

const options = readOptions({
  run: 'npm run campaign:reach',
  does: 'Stops SDKs with SIGSTOP while flags change and servers are killed, and compares the reach of every change with what the SDKs have.',
  options: {
    sdks: { type: 'string', default: '200', meaning: 'SDKs on all transports together' },
    stopped: { type: 'string', default: '20', meaning: 'SDKs that are stopped at a time' },
    changes: { type: 'string', default: '10000', meaning: 'Changes in all' },
    rounds: { type: 'string', default: '10', meaning: 'Rounds, each with different stopped SDKs' },
    interval: { type: 'string', default: '2000', meaning: 'Poll interval in milliseconds' },
    processes: { type: 'string', default: '20', meaning: 'Processes with SDKs' },
    kills: { type: 'string', default: '3', meaning: 'Rounds in which a server is killed' },
  },
});
const [SDKS, STOPPED, CHANGES, ROUNDS, INTERVAL, PROCESSES, KILLS] = [
  options.sdks,
  options.stopped,
  options.changes,
  options.rounds,
  options.interval,
  options.processes,
  options.kills,
].map(Number) as [number, number, number, number, number, number, number];

const ENVIRONMENT = 'production';
const FLAGS = 20;
const WRITERS = 4;
const PATIENCE_MS = 180_000;
const PER_PROCESS = Math.ceil(SDKS / PROCESSES);

type Reach = {
  state: string;
  total: number;
  missing: { instance: string }[];
  environments: { instances: number; firstAt: string; halfAt: string; lastAt: string }[];
};
type Group = { child: ChildProcess; transport: Transport; names: string[] };
type Made = { event: number; flag: number; number: number };

const problems: string[] = [];
const name = `halyard_reach_${randomBytes(4).toString('hex')}`;
process.setMaxListeners(0);
await createDatabase(name);
const url = new URL(urlOf(name));
const servers = [await startServer(url), await startServer(url)];
const ports = servers.map(server => Number(new URL(server.url).port));
const balancer = await startBalancer(ports);
const groups: Group[] = [];
const strategies: string[] = [];
const counts = { changes: 0, checks: 0, falseLive: 0, wrongNames: 0 };
const waits: number[] = [];
let made = 0;

/** Retries while a killed server starts again. */
async function ask(method: string, path: string, body?: object): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`${servers[attempt % 2]?.url}/api/admin${path}`, {
        method,
        headers: { authorization: ADMIN_TOKEN, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response.status < 500) return response;
      await response.text();
    } catch {
      // The server was killed.
    }
    if (attempt > 100) throw new Error(`${method} ${path} failed`);
    await sleep(100);
  }
}

const reachOf = async (event: number, wait = 0): Promise<Reach> =>
  (await (
    await ask('GET', `/events/${event}/reach?limit=1000${wait > 0 ? `&wait=${wait}` : ''}`)
  ).json()) as Reach;

const strategyOf = (number: number) => ({
  name: 'default',
  constraints: [{ contextName: 'userId', operator: 'IN', values: [String(number)] }],
});

async function prepare(): Promise<string> {
  const db = openDb({ url: url.href, poolSize: 2, onError: () => {} });
  for (let n = 0; n < FLAGS; n++) await makeFeature(db, 'default', { name: `flag-${n}` });
  const fields = { tokenName: 'campaign', type: 'backend' as const, environment: ENVIRONMENT };
  const { secret } = await makeApiToken(db, fields);
  await db.destroy();
  for (let n = 0; n < FLAGS; n++) {
    const path = `/projects/default/features/flag-${n}/environments/${ENVIRONMENT}/strategies`;
    const response = await ask('POST', path, strategyOf(0));
    strategies.push(((await response.json()) as { id: string }).id);
  }
  return secret;
}

async function startSdks(token: string): Promise<void> {
  const transports = Object.keys(TRANSPORTS) as Transport[];
  const file = fileURLToPath(new URL('sdks.ts', import.meta.url));
  for (let n = 0; n < PROCESSES; n++) {
    const transport = transports[n % transports.length] ?? 'polling';
    const first = n * PER_PROCESS;
    const count = Math.min(PER_PROCESS, SDKS - first);
    const settings: SdkSettings = {
      url: balancer.url,
      token,
      transport,
      first,
      count,
      interval: INTERVAL,
      flags: FLAGS,
    };
    const child = fork(file, { env: { ...process.env, SDK_SETTINGS: JSON.stringify(settings) } });
    process.once('exit', () => child.kill('SIGKILL'));
    await once(child, 'message');
    groups.push({ child, transport, names: Array.from({ length: count }, (_, at) => `sdk-${first + at}`) });
  }
}

/** Changes a flag through the API, and returns the event. Each writer has its own flags. */
async function changeFlag(writer: number): Promise<Made> {
  const flag = randomInt(FLAGS / WRITERS) * WRITERS + writer;
  const number = ++made;
  const path = `/projects/default/features/flag-${flag}/environments/${ENVIRONMENT}/strategies/${strategies[flag]}`;
  const response = await ask('PUT', path, strategyOf(number));
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const found = await ask(
    'GET',
    `/search/events?feature=IS:flag-${flag}&type=IS:feature-strategy-update&limit=1`,
  );
  const { events } = (await found.json()) as { events: { id: number }[] };
  counts.changes++;
  return { event: events[0]?.id ?? 0, flag, number };
}

const isStopped = ({ child }: Group): boolean =>
  /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8'));

async function numbersOf({ child }: Group): Promise<number[][]> {
  const answer = once(child, 'message');
  child.send('numbers');
  const [{ numbers }] = (await answer) as [{ numbers: number[][] }];
  return numbers;
}

/** Whether all running SDKs have a change. */
async function haveAll(running: Group[], { flag, number }: Made): Promise<boolean> {
  for (const group of running)
    for (const numbers of await numbersOf(group)) if ((numbers[flag] ?? 0) < number) return false;
  return true;
}

const missingIn = (reach: Reach): Set<string> => new Set(reach.missing.map(({ instance }) => instance));

/** No stopped SDK can have the change. */
function checkStopped(reach: Reach, stopped: Set<string>, event: number): void {
  counts.checks++;
  const named = missingIn(reach);
  const unnamed = [...stopped].filter(one => !named.has(one));
  if (reach.state !== 'live' && unnamed.length === 0) return;
  counts.falseLive++;
  problems.push(`event ${event} is ${reach.state}; stopped and not named: ${unnamed.join(' ')}`);
}

async function kill(at: number): Promise<void> {
  const server = servers[at];
  if (!server) return;
  process.kill(server.pid, 'SIGKILL');
  servers[at] = await startServer(url, ports[at]);
}

async function round(number: number): Promise<void> {
  const shuffled = groups.toSorted(() => randomInt(3) - 1);
  const stopped = shuffled.slice(0, Math.max(1, Math.round(STOPPED / PER_PROCESS)));
  const running = groups.filter(group => !stopped.includes(group));
  const names = new Set(stopped.flatMap(group => group.names));
  for (const { child } of stopped) child.kill('SIGSTOP');
  while (!stopped.every(isStopped)) await sleep(10);

  const killing = number < KILLS ? kill(number % 2) : Promise.resolve();
  const all: Made[] = [];
  const write = async (writer: number) => {
    while (all.length < CHANGES / ROUNDS) {
      const one = await changeFlag(writer);
      all.push(one);
      checkStopped(await reachOf(one.event), names, one.event);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await killing;

  // In the end, the running SDKs have every change, and reach names exactly the stopped ones for each change.
  const last = all.toSorted((a, b) => a.event - b.event).at(-1);
  if (!last) return;
  const until = performance.now() + PATIENCE_MS;
  let reach = await reachOf(last.event, 5);
  while (reach.total > names.size && performance.now() < until) reach = await reachOf(last.event, 5);
  for (const { event } of all) {
    const now = await reachOf(event);
    checkStopped(now, names, event);
    if (now.total === names.size) continue;
    counts.wrongNames++;
    const wrong = [...missingIn(now)].filter(one => !names.has(one));
    if (counts.wrongNames < 5) problems.push(`event ${event} names running SDKs: ${wrong.join(' ')}`);
  }
  for (const group of running)
    for (const numbers of await numbersOf(group))
      if (all.some(({ flag, number: wanted }) => (numbers[flag] ?? 0) < wanted))
        problems.push('an SDK has presented the revision of a change that it does not have');
  for (const { child } of stopped) child.kill('SIGCONT');
  await reachOf(last.event, 60);
  await measureWait();
  console.log(
    `round ${number + 1}: ${all.length} changes, ${names.size} stopped, load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** The time from the moment at which all SDKs have a change until wait returns. */
async function measureWait(): Promise<void> {
  const change = await changeFlag(0);
  let returnedAt = 0;
  const waitUntilLive = async (): Promise<Reach> => {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      const reach = await reachOf(change.event, 60);
      returnedAt = performance.now();
      if (reach.state === 'live' || returnedAt > until) return reach;
    }
  };
  const waiting = waitUntilLive();
  while (!(await haveAll(groups, change))) await sleep(50);
  const arrivedAt = performance.now();
  const reach = await waiting;
  if (reach.state !== 'live') problems.push(`wait ended with ${reach.state}, ${reach.total} missing`);
  if (!(await haveAll(groups, change))) counts.falseLive++;
  waits.push(returnedAt - arrivedAt);
}

/** Of each instance, when as many are known as a server remembers. Just after the table of a map has doubled, the figure is higher. */
const MAX_BYTES = 200;
const bytes = measureMemory(CLIENT_LIMITS.clients);
console.log(
  `${bytes.toFixed(0)} bytes for each of ${CLIENT_LIMITS.clients.toLocaleString('en')} instances, load ${loadavg()[0]?.toFixed(1)}`,
);
if (bytes > MAX_BYTES) problems.push(`an instance takes ${bytes.toFixed(0)} bytes`);
const startedAt = performance.now();
try {
  await startSdks(await prepare());
  console.log(`${SDKS} SDKs in ${PROCESSES} processes, load ${loadavg()[0]?.toFixed(1)}`);
  // Waits until each SDK has presented a revision.
  const first = await changeFlag(0);
  for (let n = 0; n < 10 && (await reachOf(first.event, 20)).state !== 'live'; n++) await sleep(0);
  const { environments } = await reachOf(first.event);
  if (environments[0]?.instances !== SDKS) problems.push(`${environments[0]?.instances} instances are known`);
  for (let n = 0; n < ROUNDS; n++) await round(n);
  const slowest = Math.max(...waits) / 1_000;
  console.log(
    `${counts.changes} changes, ${counts.checks} checks in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${counts.falseLive} false live, ${counts.wrongNames} with wrong names`,
  );
  console.log(
    `wait returned at most ${slowest.toFixed(1)} s after the last SDK had the change (interval ${INTERVAL / 1_000} s), load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(problems.length === 0 ? 'no problem found' : problems.slice(0, 20).join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  for (const { child } of groups) child.kill('SIGKILL');
  balancer.close();
  for (const server of servers) await server.stop();
  await dropDatabase(name);
}
process.exit();
