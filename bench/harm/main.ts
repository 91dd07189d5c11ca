// Lets a caller attack a server while other callers use it, and fails if the other callers notice.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadAverage, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { percentile, readWaitedMs, residentMb } from '../measure.ts';
import { createMemoryProbe } from '../memory.ts';
import { type Server, startServer } from '../server.ts';
import { ATTACKS, type Attack, type World } from './attacks.ts';
import type { CallerTask, Outcome } from './caller.ts';
import { makeWorld } from './world.ts';

const settings = readSettings(
  'npm run campaign:harm',
  'Lets one caller attack a server, and measures what others notice. Fails if they wait longer or get errors, or if memory grows.',
  {
    attacks: ['', 'Run only attacks whose names contain one of these strings, separated by semicolons'],
    connections: ['50,500', "The attacker's number of connections, with one run for each number"],
    seconds: [8, 'How long each attack is measured'],
    flags: [5_000, 'Flags in the project that is attacked'],
  },
);
const CALLER = fileURLToPath(new URL('caller.ts', import.meta.url));
/** Each run alternates between attacks and idle windows, so that other load on the machine affects both equally. */
const ROUNDS = 2;
const WINDOW_S = settings.seconds / ROUNDS;
const MAX_DELAY_MS = 250;
const MAX_GROWTH_MB = 150;
const RECOVERY_TIMEOUT_S = 60;

/** The outcomes by kind of request, and the share of the time in which the server was ready to run but had no processor. */
type Window = { probes: Outcome[]; starvedShare: number };

const memoryProbe = createMemoryProbe();

await runCampaign(async ({ fail, atEnd }) => {
  atEnd(memoryProbe.remove);
  const server = await startServer(await makeDatabase('harm', { atEnd }), { env: memoryProbe.env });
  atEnd(server.stop);
  const world = await makeWorld(server.url, settings.flags);
  // The first window only warms up the server, so its result is not used.
  await probe(server, world, 2);
  let idle = await probe(server, world, WINDOW_S);
  const names = idle.probes.map(({ name }) => name);
  console.log(`${loadAverage()}, memory ${residentMb(server.pid)} MB, p95 increase over idle, in ms\n`);
  console.log(
    `| Attack | Caller | Connections | ${names.join(' | ')} | Failures | Memory growth, MB | Remaining growth, resident / in use, MB | Waited for a processor, idle / attacked | Attacker got | Load |`,
  );
  console.log(`|${' --- |'.repeat(names.length + 9)}`);
  const nameParts = settings.attacks.split(';');
  for (const attack of ATTACKS.filter(({ name }) => nameParts.some(part => name.includes(part))))
    for (const connections of settings.connections.split(',').map(Number))
      idle = await run(server, world, attack, connections, idle, problem =>
        fail(`${attack.name}, ${connections} connections: ${problem}`),
      );
});

/** Alternates between attacks and idle windows. Returns the last idle window, with which the next run begins. */
async function run(
  server: Server,
  world: World,
  { name, caller }: Attack,
  connections: number,
  firstIdle: Window,
  fail: (problem: string) => void,
): Promise<Window> {
  const memoryBefore = await memoryProbe.measure(server.pid);
  const growth = () => residentMb(server.pid) - memoryBefore.resident;
  let growthMb = 0;
  const memoryTimer = setInterval(() => {
    growthMb = Math.max(growthMb, growth());
  }, 100);
  const idleWindows = [firstIdle];
  const attackedWindows: Window[] = [];
  const attackOutcomes: Outcome[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const stop = startCaller({ world, attack: { name, connections } });
    // After a second, the connections are open and the first requests are running.
    await sleep(1_000);
    attackedWindows.push(await probe(server, world, WINDOW_S));
    attackOutcomes.push(...(await stop()));
    for (let s = 0; round === ROUNDS && s < RECOVERY_TIMEOUT_S && growth() > MAX_GROWTH_MB; s++)
      await sleep(1_000);
    // Give the server time to finish its work for the attacker, which must not count towards the idle window.
    await sleep(2_000);
    idleWindows.push(await probe(server, world, WINDOW_S));
  }
  clearInterval(memoryTimer);
  const memoryAfter = await memoryProbe.measure(server.pid);
  const remainingMb = memoryAfter.inUse - memoryBefore.inUse;
  const [idle, attacked] = [merge(idleWindows), merge(attackedWindows)];

  const delays = attacked.probes.map(({ times }, n) => p95(times) - p95(idle.probes[n]?.times ?? []));
  const failedProbes = attacked.probes.filter(({ counts }) => Object.keys(counts).length > 0);
  const cells = [
    ...[name, caller, connections],
    ...delays.map(ms => `${ms >= 0 ? '+' : ''}${ms.toFixed(0)}`),
    failedProbes.map(({ name: probeName, counts }) => `${probeName} ${formatCounts(counts)}`).join(', '),
    growthMb,
    `${memoryAfter.resident - memoryBefore.resident} / ${remainingMb}`,
    [idle, attacked].map(({ starvedShare }) => `${(starvedShare * 100).toFixed(0)} %`).join(' / '),
    ...[formatCounts(mergeOutcomes(attackOutcomes).counts), loadAverage()],
  ];
  console.log(`| ${cells.join(' | ')} |`);

  for (const [n, { name: probeName, times }] of attacked.probes.entries())
    if ((delays[n] ?? 0) > MAX_DELAY_MS)
      fail(
        `p95 of ${times.length} × ${probeName} is ${delays[n]?.toFixed(0)} ms above idle, the slowest took ${Math.max(...times).toFixed(0)} ms`,
      );
  for (const { name: probeName, counts } of failedProbes)
    fail(`${probeName} failed: ${formatCounts(counts)}`);
  if (growthMb > MAX_GROWTH_MB) fail(`memory grew by ${growthMb} MB`);
  if (remainingMb > MAX_GROWTH_MB) fail(`${remainingMb} MB is still in use ${RECOVERY_TIMEOUT_S} s later`);
  return idleWindows.at(-1) ?? firstIdle;
}

async function probe({ pid }: Server, world: World, seconds: number): Promise<Window> {
  const waitedBefore = readWaitedMs(pid);
  const startedAt = performance.now();
  const stop = startCaller({ world });
  await sleep(seconds * 1_000);
  const probes = await stop();
  return { probes, starvedShare: (readWaitedMs(pid) - waitedBefore) / (performance.now() - startedAt) };
}

/** Starts a caller process. The returned function stops the process and returns its outcomes. */
function startCaller(task: CallerTask): () => Promise<Outcome[]> {
  const child = fork(CALLER);
  child.send(task);
  return async () => {
    const message = once(child, 'message');
    child.send('stop');
    const [outcomes] = (await message) as [Outcome[]];
    return outcomes;
  };
}

function merge(windows: Window[]): Window {
  const byName = Map.groupBy(
    windows.flatMap(({ probes }) => probes),
    ({ name }) => name,
  );
  const starvedShare = windows.reduce((sum, window) => sum + window.starvedShare, 0) / windows.length;
  return { probes: [...byName.values()].map(mergeOutcomes), starvedShare };
}

function mergeOutcomes(outcomes: Outcome[]): Outcome {
  const counts: Record<string, number> = {};
  for (const [kind, count] of outcomes.flatMap(outcome => Object.entries(outcome.counts)))
    counts[kind] = (counts[kind] ?? 0) + count;
  return { name: outcomes[0]?.name ?? '', times: outcomes.flatMap(({ times }) => times), counts };
}

function formatCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
}

function p95(times: number[]): number {
  return percentile(times, 0.95);
}
