// Stops some real SDKs on all transports while flags change and servers are killed. Reach must list exactly the stopped SDKs, and
// must never report a change as live too early.
import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startBalancer } from '../balancer.ts';
import { type Campaign, loadAverage, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { makeToken, send } from '../requests.ts';
import { makeStrategy } from '../sdks.ts';
import { startServer } from '../server.ts';
import type { SdkSettings } from './sdks.ts';

const settings = readSettings(
  'npm run campaign:reach',
  'Stops SDKs with SIGSTOP while flags change and servers are killed, and compares the reach of every change with what the SDKs have.',
  {
    sdks: [200, 'SDKs on all transports in total'],
    stopped: [20, 'SDKs that are stopped at a time'],
    changes: [10_000, 'Changes in total'],
    rounds: [10, 'Rounds, each with different stopped SDKs'],
    interval: [2_000, 'Poll interval in milliseconds'],
    processes: [20, 'Processes with SDKs'],
    kills: [3, 'Rounds in which a server is killed'],
  },
);

const ENVIRONMENT = 'production';
const FEATURES = '/projects/default/features';
const FLAG_COUNT = 20;
const WRITERS = 4;
const TIMEOUT_MS = 180_000;
const MAX_ATTEMPTS = 100;
const SDKS_PER_PROCESS = Math.ceil(settings.sdks / settings.processes);
const SDK_SCRIPT = fileURLToPath(new URL('sdks.ts', import.meta.url));

type Reach = {
  state: string;
  total: number;
  missing: { instance: string }[];
  environments: { instances: number }[];
};
type Group = { child: ChildProcess; names: string[] };
type FlagChange = { event: number; flag: number; number: number };

await runCampaign(run);

async function run(campaign: Campaign): Promise<void> {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('reach', campaign);
  const servers = [await startServer(url), await startServer(url)];
  atEnd(() => Promise.all(servers.map(server => server.stop())));
  const ports = servers.map(server => Number(new URL(server.url).port));
  const balancer = await startBalancer(ports);
  atEnd(balancer.close);
  const counts = { changes: 0, checks: 0, prematureLive: 0, wrongInstances: 0 };
  const strategies: string[] = [];
  const waits: number[] = [];

  /** Sends a request to the admin API, and retries while a killed server restarts. */
  async function sendAdmin(method: string, path: string, body?: object): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const { status, text } = await send(`${servers[attempt % 2]?.url}`, method, `/api/admin${path}`, body);
      if (status >= 200 && status < 300) return JSON.parse(text || 'null');
      if ((status > 0 && status < 500) || attempt > MAX_ATTEMPTS)
        throw new Error(`${method} ${path}: ${status} ${text}`);
      await sleep(100);
    }
  }

  const readReach = async (event: number, wait = 0): Promise<Reach> =>
    (await sendAdmin('GET', `/events/${event}/reach?limit=1000${wait > 0 ? `&wait=${wait}` : ''}`)) as Reach;

  for (let n = 0; n < FLAG_COUNT; n++) {
    await sendAdmin('POST', FEATURES, { name: `flag-${n}` });
    const path = `${FEATURES}/flag-${n}/environments/${ENVIRONMENT}/strategies`;
    strategies.push(((await sendAdmin('POST', path, makeStrategy(0))) as { id: string }).id);
  }
  const token = await makeToken(String(servers[0]?.url), 'backend', ENVIRONMENT);
  const groups = await startSdks(balancer.url, token);
  atEnd(() => groups.forEach(({ child }) => void child.kill('SIGKILL')));
  console.log(`${settings.sdks} SDKs in ${settings.processes} processes, ${loadAverage()}`);

  /** Changes one of the writer's own flags through the API, and returns the event. */
  async function changeFlag(writer: number): Promise<FlagChange> {
    const flag = randomInt(FLAG_COUNT / WRITERS) * WRITERS + writer;
    const number = ++counts.changes;
    const path = `${FEATURES}/flag-${flag}/environments/${ENVIRONMENT}/strategies/${strategies[flag]}`;
    await sendAdmin('PUT', path, makeStrategy(number));
    const search = `/search/events?feature=IS:flag-${flag}&type=IS:feature-strategy-update&limit=1`;
    const { events } = (await sendAdmin('GET', search)) as { events: { id: number }[] };
    return { event: events[0]?.id ?? 0, flag, number };
  }

  /** Fails if reach reports a change as live or omits a stopped SDK, because a stopped SDK cannot have the change. */
  function checkStopped(reach: Reach, stopped: Set<string>, event: number): void {
    counts.checks++;
    const listedSdks = listMissingInstances(reach);
    const unlistedSdks = [...stopped].filter(sdk => !listedSdks.has(sdk));
    if (reach.state !== 'live' && unlistedSdks.length === 0) return;
    counts.prematureLive++;
    fail(`event ${event} is ${reach.state}; stopped and not listed: ${unlistedSdks.join(' ')}`);
  }

  async function kill(index: number): Promise<void> {
    process.kill(servers[index]?.pid ?? 0, 'SIGKILL');
    servers[index] = await startServer(url, { port: ports[index] });
  }

  async function runRound(number: number): Promise<void> {
    const shuffled = groups.toSorted(() => randomInt(3) - 1);
    const stoppedGroups = shuffled.slice(0, Math.max(1, Math.round(settings.stopped / SDKS_PER_PROCESS)));
    const runningGroups = groups.filter(group => !stoppedGroups.includes(group));
    const names = new Set(stoppedGroups.flatMap(group => group.names));
    for (const { child } of stoppedGroups) child.kill('SIGSTOP');
    while (!stoppedGroups.every(isStopped)) await sleep(10);

    const restart = number < settings.kills ? kill(number % 2) : undefined;
    const changes: FlagChange[] = [];
    const write = async (writer: number) => {
      while (changes.length < settings.changes / settings.rounds) {
        const flagChange = await changeFlag(writer);
        changes.push(flagChange);
        checkStopped(await readReach(flagChange.event), names, flagChange.event);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    await restart;

    // When the running SDKs have every change, reach must list exactly the stopped SDKs for each change.
    const lastEvent = Math.max(...changes.map(({ event }) => event));
    const deadline = performance.now() + TIMEOUT_MS;
    let reach = await readReach(lastEvent, 5);
    while (reach.total > names.size && performance.now() < deadline) reach = await readReach(lastEvent, 5);
    for (const { event } of changes) {
      const reachNow = await readReach(event);
      checkStopped(reachNow, names, event);
      if (reachNow.total === names.size) continue;
      counts.wrongInstances++;
      const wrongInstances = [...listMissingInstances(reachNow)].filter(name => !names.has(name));
      fail(`event ${event} lists running SDKs: ${wrongInstances.join(' ')}`);
    }
    const newestByFlag = new Map(
      changes.toSorted((a, b) => a.number - b.number).map(newestChange => [newestChange.flag, newestChange]),
    );
    for (const newestChange of newestByFlag.values())
      if (!(await haveAll(runningGroups, newestChange)))
        fail('an SDK has sent the revision of a change that it does not have');
    for (const { child } of stoppedGroups) child.kill('SIGCONT');
    await readReach(lastEvent, 60);
    waits.push(await measureWait());
    console.log(`round ${number + 1}: ${changes.length} changes, ${names.size} stopped, ${loadAverage()}`);
  }

  /** Measures the time from when the last SDK has a change until a request with the `wait` parameter returns. */
  async function measureWait(): Promise<number> {
    const change = await changeFlag(0);
    const waitUntilLive = async () => {
      for (const deadline = performance.now() + TIMEOUT_MS; ; ) {
        const reach = await readReach(change.event, 60);
        const liveAt = performance.now();
        if (reach.state === 'live' || liveAt > deadline) return { reach, liveAt };
      }
    };
    const liveResult = waitUntilLive();
    while (!(await haveAll(groups, change))) await sleep(50);
    const arrivedAt = performance.now();
    const { reach, liveAt } = await liveResult;
    if (reach.state !== 'live') fail(`wait ended with ${reach.state}, ${reach.total} missing`);
    return liveAt - arrivedAt;
  }

  // Waits for all SDKs, because reach includes an SDK only after the SDK has sent a revision.
  const firstChange = await changeFlag(0);
  for (let n = 0; n < 10 && (await readReach(firstChange.event, 20)).state !== 'live'; n++) await sleep(0);
  const { environments } = await readReach(firstChange.event);
  if (environments[0]?.instances !== settings.sdks) fail(`${environments[0]?.instances} instances are known`);
  for (let n = 0; n < settings.rounds; n++) await runRound(n);
  console.log(
    `${counts.changes} changes, ${counts.checks} checks: ${counts.prematureLive} changes reported live too early, ${counts.wrongInstances} with wrong instances; ` +
      `wait returned at most ${(Math.max(...waits) / 1_000).toFixed(1)} s after the last SDK had the change, ${loadAverage()}`,
  );
}

async function startSdks(url: string, token: string): Promise<Group[]> {
  const transports = Object.keys(TRANSPORTS) as Transport[];
  const groups: Group[] = [];
  for (let firstSdk = 0; firstSdk < settings.sdks; firstSdk += SDKS_PER_PROCESS) {
    const transport = transports[groups.length % transports.length] ?? 'polling';
    const names = Array.from(
      { length: Math.min(SDKS_PER_PROCESS, settings.sdks - firstSdk) },
      (_, n) => `sdk-${firstSdk + n}`,
    );
    const child = fork(SDK_SCRIPT);
    process.once('exit', () => child.kill('SIGKILL'));
    const intervalMs = settings.interval;
    child.send({ url, token, transport, names, intervalMs, flagCount: FLAG_COUNT } satisfies SdkSettings);
    await once(child, 'message');
    groups.push({ child, names });
  }
  return groups;
}

function isStopped({ child }: Group): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
}

/** Returns whether all SDKs of these groups have a change. */
async function haveAll(groups: Group[], { flag, number }: FlagChange): Promise<boolean> {
  for (const { child } of groups) {
    const response = once(child, 'message');
    child.send('numbers');
    const [instances] = (await response) as [number[][]];
    if (instances.some(numbers => (numbers[flag] ?? 0) < number)) return false;
  }
  return true;
}

function listMissingInstances({ missing }: Reach): Set<string> {
  return new Set(missing.map(({ instance }) => instance));
}
