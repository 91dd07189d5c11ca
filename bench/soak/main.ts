// Runs a mixed load on two server processes for 20 minutes, while the database is restarted twice and becomes unreachable once.
// Passes if no transaction deadlocked, memory stayed flat, every delivery is accounted for, and callers saw nothing worse than 503
// with Retry-After while the database was unreachable. Reports and lists may also be cut off once their status has been sent.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { readSettings, runCampaign } from '../campaign.ts';
import { residentMb } from '../measure.ts';
import { findNewestPrograms, startOwnPostgres } from '../own-postgres.ts';
import { ADMIN_TOKEN, startProxy } from '../server.ts';
import { prepare } from './data.ts';
import { checkDeliveries, countDeadlocks, startReceivers } from './deliveries.ts';
import { startLoad } from './load.ts';

const settings = readSettings(
  'npm run campaign:soak',
  'Runs a mixed load on two servers while PostgreSQL is restarted twice and becomes unreachable once.',
  {
    minutes: [20, 'Duration of the load'],
    seed: [randomInt(2 ** 31), 'Seed of a run to repeat'],
    postgres: [findNewestPrograms(), 'Folder that contains the PostgreSQL binaries'],
    as: ['postgres', 'Operating system user that runs PostgreSQL'],
  },
);

const BLACK_HOLE_MS = 20_000;
const DOWN_MS = 3_000;
/** When the database stops responding, connections hang until they time out. After that, everything must work again. */
const RECOVERY_TIMEOUT_MS = 30_000;
const SETTLE_TIMEOUT_MS = 180_000;
const MAX_GROWTH = 0.1;

const log = (text: string) => console.log(new Date().toISOString().slice(11, 19), text);

await runCampaign(async ({ fail, atEnd }) => {
  log(`seed ${settings.seed}, ${settings.minutes} minutes`);
  const postgres = startOwnPostgres(settings.postgres, settings.as, [
    'max_connections=200',
    'log_lock_waits=on',
  ]);
  atEnd(postgres.remove);
  const { proxy, throughProxy } = await startProxy(new URL(postgres.url));
  const receivers = await startReceivers();
  const env = {
    DATABASE_URL: throughProxy.href,
    LOG_LEVEL: 'info',
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    HALYARD_DELIVERY_SCHEDULE: '0,1,2,4,8,16,32',
    HALYARD_WRITES_PER_MINUTE: '0',
    // Without a limit, V8 collects garbage only when memory runs short, which looks like a leak.
    NODE_OPTIONS: '--max-old-space-size=256',
  };
  atEnd(proxy.close);
  atEnd(receivers.close);
  const servers: RunningServer[] = [];
  for (let n = 0; n < 2; n++) {
    const server = await startProcess(env, 60_000);
    servers.push(server);
    atEnd(() => stopProcess(server, 'SIGKILL').catch(() => {}));
  }
  await prepare(String(servers[0]?.url), receivers.urls);
  const memory = watchMemory(servers.map(({ process }) => process.pid ?? 0));
  const load = startLoad(
    servers.map(({ url }) => url),
    randomFrom(settings.seed),
    fail,
  );
  const [startedAt, totalMs] = [Date.now(), settings.minutes * 60_000];
  const runUntil = async (fraction: number) => {
    while (Date.now() - startedAt < totalMs * fraction) {
      await sleep(Math.min(30_000, Math.max(100, startedAt + totalMs * fraction - Date.now())));
      log(`memory ${memory.summary()}; ${load.summary()}`);
    }
  };
  const runFault = async (fault: string, work: () => Promise<void>) => {
    log(fault);
    load.beginFault();
    await work();
    const recoveredMs = await load.endFault(RECOVERY_TIMEOUT_MS);
    log(`${fault}: all kinds of requests succeed again after ${(recoveredMs / 1_000).toFixed(1)} s`);
    if (recoveredMs >= RECOVERY_TIMEOUT_MS) fail(`${fault}: no recovery in time`);
  };

  await runUntil(0.3);
  await runFault('database restart', () => postgres.restart('fast', DOWN_MS));
  await runUntil(0.5);
  await runFault('black hole', async () => {
    proxy.freeze();
    await sleep(BLACK_HOLE_MS);
    proxy.restore();
  });
  await runUntil(0.7);
  await runFault('second database restart', () => postgres.restart('fast', DOWN_MS));
  await runUntil(1);

  await load.stop();
  const growth = memory.growth();
  const deliveries = await checkDeliveries(postgres.url, receivers, SETTLE_TIMEOUT_MS, log, fail);
  const deadlocks = await countDeadlocks(postgres.url);
  log(`memory grew by ${(growth * 100).toFixed(1)} %; ${deadlocks} deadlocks; ${load.summary()}`);
  log(`deliveries: ${JSON.stringify(deliveries)}`);
  if (deadlocks > 0) fail(`${deadlocks} deadlocks`);
  if (growth > MAX_GROWTH) fail(`memory grew by ${(growth * 100).toFixed(1)} %`);
  for (const { process, output } of servers) {
    if (process.exitCode !== null) fail('a server exited unexpectedly');
    // These log lines must not appear, whatever happens to the database.
    const lines = output().split('\n');
    for (const line of lines.filter(text => /deadlock detected|unhandled|uncaught|"level":60/i.test(text)))
      fail(`log: ${line.slice(0, 1_000)}`);
  }
});

/** Samples the memory of all processes. The growth is from the second quarter of the run to the last, and 0.1 means 10 %. */
function watchMemory(pids: number[]): { summary: () => string; growth: () => number } {
  const samples: number[] = [];
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const timer = setInterval(() => samples.push(sum(pids.map(residentMb))), 2_000).unref();
  const computeQuarterMean = (n: number) => {
    const [firstSample, endSample] = [n, n + 1].map(fraction => Math.floor((samples.length * fraction) / 4));
    return sum(samples.slice(firstSample, endSample)) / ((endSample ?? 0) - (firstSample ?? 0));
  };
  return {
    summary: () => `${pids.map(residentMb).join(' + ')} MB`,
    growth: () => {
      clearInterval(timer);
      return computeQuarterMean(3) / computeQuarterMean(1) - 1;
    },
  };
}
