// Real SDKs on all transports, some of them stopped, while flags change and servers are killed: reach must name exactly the stopped
// ones, and must never say that a change is live before it is.
import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startBalancer } from '../balancer.ts';
import { type Campaign, load, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { makeToken, send } from '../requests.ts';
import { strategyOf } from '../sdks.ts';
import { startServer } from '../server.ts';
import type { SdkSettings } from './sdks.ts';

const settings = readSettings(
  'npm run campaign:reach',
  'Stops SDKs with SIGSTOP while flags change and servers are killed, and compares the reach of every change with what the SDKs have.',
  {
    sdks: [200, 'SDKs on all transports together'],
    stopped: [20, 'SDKs that are stopped at a time'],
    changes: [10_000, 'Changes in all'],
    rounds: [10, 'Rounds, each with different stopped SDKs'],
    interval: [2_000, 'Poll interval in milliseconds'],
    processes: [20, 'Processes with SDKs'],
    kills: [3, 'Rounds in which a server is killed'],
  },
);

const ENVIRONMENT = 'production';
const FEATURES = '/projects/default/features';
const FLAGS = 20;
const WRITERS = 4;
const PATIENCE_MS = 180_000;
const MAX_ATTEMPTS = 100;
const PER_PROCESS = Math.ceil(settings.sdks / settings.processes);
const SDKS = fileURLToPath(new URL('sdks.ts', import.meta.url));

type Reach = {
  state: string;
  total: number;
  missing: { instance: string }[];
  environments: { instances: number }[];
};
type Group = { child: ChildProcess; names: string[] };
type Made = { event: number; flag: number; number: number };

await runCampaign(run);

async function run(campaign: Campaign): Promise<void> {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('reach', campaign);
  const servers = [await startServer(url), await startServer(url)];
  atEnd(() => Promise.all(servers.map(server => server.stop())));
  const ports = servers.map(server => Number(new URL(server.url).port));
  const balancer = await startBalancer(ports);
  atEnd(balancer.close);
  const counts = { changes: 0, checks: 0, falseLive: 0, wrongNames: 0 };
  const strategies: string[] = [];
  const waits: number[] = [];

  /** Retries while a killed server starts again. */
  async function ask(method: string, path: string, body?: object): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const { status, text } = await send(`${servers[attempt % 2]?.url}`, method, `/api/admin${path}`, body);
      if (status >= 200 && status < 300) return JSON.parse(text || 'null');
      if ((status > 0 && status < 500) || attempt > MAX_ATTEMPTS)
        throw new Error(`${method} ${path}: ${status} ${text}`);
      await sleep(100);
    }
  }

  const reachOf = async (event: number, wait = 0): Promise<Reach> =>
    (await ask('GET', `/events/${event}/reach?limit=1000${wait > 0 ? `&wait=${wait}` : ''}`)) as Reach;

  for (let n = 0; n < FLAGS; n++) {
    await ask('POST', FEATURES, { name: `flag-${n}` });
    const path = `${FEATURES}/flag-${n}/environments/${ENVIRONMENT}/strategies`;
    strategies.push(((await ask('POST', path, strategyOf(0))) as { id: string }).id);
  }
  const token = await makeToken(String(servers[0]?.url), 'backend', ENVIRONMENT);
  const groups = await startSdks(balancer.url, token);
  atEnd(() => groups.forEach(({ child }) => void child.kill('SIGKILL')));
  console.log(`${settings.sdks} SDKs in ${settings.processes} processes, ${load()}`);

  /** Changes a flag through the API, and returns the event. Each writer has its own flags. */
  async function changeFlag(writer: number): Promise<Made> {
    const flag = randomInt(FLAGS / WRITERS) * WRITERS + writer;
    const number = ++counts.changes;
    const path = `${FEATURES}/flag-${flag}/environments/${ENVIRONMENT}/strategies/${strategies[flag]}`;
    await ask('PUT', path, strategyOf(number));
    const search = `/search/events?feature=IS:flag-${flag}&type=IS:feature-strategy-update&limit=1`;
    const { events } = (await ask('GET', search)) as { events: { id: number }[] };
    return { event: events[0]?.id ?? 0, flag, number };
  }

  /** No stopped SDK can have the change. */
  function checkStopped(reach: Reach, stopped: Set<string>, event: number): void {
    counts.checks++;
    const named = missingIn(reach);
    const unnamed = [...stopped].filter(one => !named.has(one));
    if (reach.state !== 'live' && unnamed.length === 0) return;
    counts.falseLive++;
    fail(`event ${event} is ${reach.state}; stopped and not named: ${unnamed.join(' ')}`);
  }

  async function kill(at: number): Promise<void> {
    process.kill(servers[at]?.pid ?? 0, 'SIGKILL');
    servers[at] = await startServer(url, ports[at]);
  }

  async function round(number: number): Promise<void> {
    const shuffled = groups.toSorted(() => randomInt(3) - 1);
    const stopped = shuffled.slice(0, Math.max(1, Math.round(settings.stopped / PER_PROCESS)));
    const running = groups.filter(group => !stopped.includes(group));
    const names = new Set(stopped.flatMap(group => group.names));
    for (const { child } of stopped) child.kill('SIGSTOP');
    while (!stopped.every(isStopped)) await sleep(10);

    const killing = number < settings.kills ? kill(number % 2) : undefined;
    const all: Made[] = [];
    const write = async (writer: number) => {
      while (all.length < settings.changes / settings.rounds) {
        const one = await changeFlag(writer);
        all.push(one);
        checkStopped(await reachOf(one.event), names, one.event);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    await killing;

    // In the end, the running SDKs have every change, and reach names exactly the stopped ones for each change.
    const last = Math.max(...all.map(({ event }) => event));
    const until = performance.now() + PATIENCE_MS;
    let reach = await reachOf(last, 5);
    while (reach.total > names.size && performance.now() < until) reach = await reachOf(last, 5);
    for (const { event } of all) {
      const now = await reachOf(event);
      checkStopped(now, names, event);
      if (now.total === names.size) continue;
      counts.wrongNames++;
      const wrong = [...missingIn(now)].filter(one => !names.has(one));
      fail(`event ${event} names running SDKs: ${wrong.join(' ')}`);
    }
    const newest = new Map(all.toSorted((a, b) => a.number - b.number).map(made => [made.flag, made]));
    for (const made of newest.values())
      if (!(await haveAll(running, made)))
        fail('an SDK has presented the revision of a change that it lacks');
    for (const { child } of stopped) child.kill('SIGCONT');
    await reachOf(last, 60);
    waits.push(await measureWait());
    console.log(`round ${number + 1}: ${all.length} changes, ${names.size} stopped, ${load()}`);
  }

  /** The time from the moment at which all SDKs have a change until wait returns. */
  async function measureWait(): Promise<number> {
    const change = await changeFlag(0);
    const waitUntilLive = async () => {
      for (const until = performance.now() + PATIENCE_MS; ; ) {
        const reach = await reachOf(change.event, 60);
        const at = performance.now();
        if (reach.state === 'live' || at > until) return { reach, at };
      }
    };
    const waiting = waitUntilLive();
    while (!(await haveAll(groups, change))) await sleep(50);
    const arrivedAt = performance.now();
    const { reach, at } = await waiting;
    if (reach.state !== 'live') fail(`wait ended with ${reach.state}, ${reach.total} missing`);
    return at - arrivedAt;
  }

  // Waits until each SDK has presented a revision.
  const first = await changeFlag(0);
  for (let n = 0; n < 10 && (await reachOf(first.event, 20)).state !== 'live'; n++) await sleep(0);
  const { environments } = await reachOf(first.event);
  if (environments[0]?.instances !== settings.sdks) fail(`${environments[0]?.instances} instances are known`);
  for (let n = 0; n < settings.rounds; n++) await round(n);
  console.log(
    `${counts.changes} changes, ${counts.checks} checks: ${counts.falseLive} false live, ${counts.wrongNames} with wrong names; ` +
      `wait returned at most ${(Math.max(...waits) / 1_000).toFixed(1)} s after the last SDK had the change, ${load()}`,
  );
}

async function startSdks(url: string, token: string): Promise<Group[]> {
  const transports = Object.keys(TRANSPORTS) as Transport[];
  const groups: Group[] = [];
  for (let first = 0; first < settings.sdks; first += PER_PROCESS) {
    const transport = transports[groups.length % transports.length] ?? 'polling';
    const names = Array.from(
      { length: Math.min(PER_PROCESS, settings.sdks - first) },
      (_, n) => `sdk-${first + n}`,
    );
    const child = fork(SDKS);
    process.once('exit', () => child.kill('SIGKILL'));
    const { interval } = settings;
    child.send({ url, token, transport, names, interval, flags: FLAGS } satisfies SdkSettings);
    await once(child, 'message');
    groups.push({ child, names });
  }
  return groups;
}

function isStopped({ child }: Group): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
}

/** Whether all SDKs of these groups have a change. */
async function haveAll(groups: Group[], { flag, number }: Made): Promise<boolean> {
  for (const { child } of groups) {
    const response = once(child, 'message');
    child.send('numbers');
    const [all] = (await response) as [number[][]];
    if (all.some(numbers => (numbers[flag] ?? 0) < number)) return false;
  }
  return true;
}

function missingIn({ missing }: Reach): Set<string> {
  return new Set(missing.map(({ instance }) => instance));
}
