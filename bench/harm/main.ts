// Lets one caller attack a server while others use it, and fails if the others notice.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { residentMb } from '../measure.ts';
import { startServer } from '../server.ts';
import type { Attack, World } from './attack.ts';
import type { AttackResult } from './attacker.ts';
import { ATTACKS } from './attacks.ts';
import type { ProbeResult } from './prober.ts';
import { makeWorld } from './world.ts';

const options = readOptions({
  run: 'npm run campaign:harm',
  does: 'Lets one caller attack a server, and measures what others notice. Fails if they wait longer or get errors, or if memory grows.',
  options: {
    attacks: { type: 'string', default: '', meaning: 'Only attacks whose name contains this text' },
    connections: {
      type: 'string',
      default: '50,500',
      meaning: 'Connections of the attacker, one run for each number',
    },
    seconds: { type: 'string', default: '8', meaning: 'Duration of each run' },
    flags: { type: 'string', default: '5000', meaning: 'Flags in the project that is attacked' },
    port: { type: 'string', default: '', meaning: 'Port of the server; a free one by default' },
  },
});
const CONNECTIONS = options.connections.split(',').map(Number);
const SECONDS = Number(options.seconds);
const MAX_DELAY_MS = 250;
const MAX_GROWTH_MB = 150;
const RECOVERS_WITHIN_S = 60;

type Row = {
  attack: Attack;
  connections: number;
  probes: ProbeResult[];
  statuses: AttackResult['statuses'];
  growthMb: number;
  leftMb: number;
};

const database = `halyard_harm_${randomBytes(4).toString('hex')}`;
await createDatabase(database);
const server = await startServer(new URL(urlOf(database)), Number(options.port) || undefined);
const failures: string[] = [];
try {
  const world = await makeWorld(server.url, Number(options.flags));
  // The first run warms up the server.
  await probe(world, 2);
  const idle = await probe(world, SECONDS);
  console.log(`load ${loadavg()[0]?.toFixed(1)}, memory ${residentMb(server.pid)} MB`);
  console.log(`idle p95: ${idle.map(({ name, p95 }) => `${name} ${p95.toFixed(0)} ms`).join(', ')}\n`);
  console.log(
    `| Attack | Caller | Connections | ${idle.map(({ name }) => name).join(' | ')} | Failures | Memory, MB | Left, MB | Attacker got | Load |`,
  );
  console.log(`|${' --- |'.repeat(idle.length + 8)}`);
  for (const attack of ATTACKS.filter(({ name }) => name.includes(options.attacks)))
    for (const connections of CONNECTIONS) {
      const row = await run(attack, connections, world);
      print(row, idle);
      judge(row, idle);
    }
} finally {
  await server.stop();
  await dropDatabase(database);
}
console.log(failures.length === 0 ? '\nPASSED' : `\nFAILED, ${failures.length} problems:`);
for (const failure of failures) console.log(`- ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function run(attack: Attack, connections: number, world: World): Promise<Row> {
  const before = residentMb(server.pid);
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, residentMb(server.pid));
  }, 100);
  const attacker = start('attacker.ts');
  attacker.send({ name: attack.name, connections, world });
  // The connections are open and the first requests are running.
  await sleep(1_000);
  const probes = await probe(world, SECONDS);
  const statuses = once(attacker, 'message');
  attacker.send('stop');
  const [result] = (await statuses) as [AttackResult];
  clearInterval(watching);
  for (let s = 0; s < RECOVERS_WITHIN_S && residentMb(server.pid) - before > MAX_GROWTH_MB; s++)
    await sleep(1_000);
  // What the server is still doing for the attacker must not count for the next attack.
  await sleep(2_000);
  return {
    attack,
    connections,
    probes,
    statuses: result.statuses,
    growthMb: peak - before,
    leftMb: residentMb(server.pid) - before,
  };
}

async function probe(world: World, seconds: number): Promise<ProbeResult[]> {
  const prober = start('prober.ts');
  prober.send(world);
  await sleep(seconds * 1_000);
  const results = once(prober, 'message');
  prober.send('stop');
  const [probes] = (await results) as [ProbeResult[]];
  return probes;
}

function start(file: string): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)));
}

function delayOf(probe: ProbeResult, idle: ProbeResult[]): number {
  return probe.p95 - (idle.find(({ name }) => name === probe.name)?.p95 ?? 0);
}

function print({ attack, connections, probes, statuses, growthMb, leftMb }: Row, idle: ProbeResult[]): void {
  const delays = probes.map(
    probe => `${delayOf(probe, idle) >= 0 ? '+' : ''}${delayOf(probe, idle).toFixed(0)}`,
  );
  const failed = probes.flatMap(({ name, failures }) =>
    Object.keys(failures).length > 0 ? [`${name} ${counts(failures)}`] : [],
  );
  console.log(
    `| ${attack.name} | ${attack.caller} | ${connections} | ${delays.join(' | ')} | ${failed.join(', ')} | ${growthMb} | ${leftMb} | ${counts(statuses)} | ${loadavg()[0]?.toFixed(1)} |`,
  );
}

function counts(by: Record<string, number>): string {
  return Object.entries(by)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ');
}

function judge({ attack, connections, probes, growthMb, leftMb }: Row, idle: ProbeResult[]): void {
  const fail = (what: string) => failures.push(`${attack.name}, ${connections} connections: ${what}`);
  for (const probe of probes) {
    const delay = delayOf(probe, idle);
    if (delay > MAX_DELAY_MS)
      fail(
        `p95 of ${probe.requests} × ${probe.name} is ${delay.toFixed(0)} ms above idle, the slowest took ${probe.slowest.ms.toFixed(0)} ms at ${probe.slowest.at}`,
      );
    if (Object.keys(probe.failures).length > 0) fail(`${probe.name} failed: ${counts(probe.failures)}`);
  }
  if (growthMb > MAX_GROWTH_MB) fail(`memory grew by ${growthMb} MB`);
  if (leftMb > MAX_GROWTH_MB) fail(`${leftMb} MB are still in use ${RECOVERS_WITHIN_S} s later`);
}
