// Twenty minutes of mixed load on two server processes while the database is restarted twice and black-holed once. It passes when
// no transaction deadlocked, callers saw nothing worse than 503 with Retry-After while the database was unreachable (a report or
// list that had begun is cut off, because its status has already been sent), memory stayed flat, and every delivery is accounted
// for.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { readSettings, runCampaign } from '../campaign.ts';
import { residentMb } from '../measure.ts';
import { newestPrograms, startOwnPostgres } from '../own-postgres.ts';
import { ADMIN_TOKEN, startProxy } from '../server.ts';
import { prepare } from './data.ts';
import { accountForDeliveries, countDeadlocks, startReceivers } from './deliveries.ts';
import { startLoad } from './load.ts';

const settings = readSettings(
  'npm run campaign:soak',
  'Runs a mixed load on two servers while PostgreSQL is restarted twice and becomes unreachable once.',
  {
    minutes: [20, 'Duration of the load'],
    seed: [randomInt(2 ** 31), 'Seed of a run to repeat'],
    postgres: [newestPrograms(), 'Folder of the PostgreSQL programs'],
    as: ['postgres', 'System user that runs PostgreSQL'],
  },
);

const BLACK_HOLE_MS = 20_000;
const DOWN_MS = 3_000;
/** Connections that hang when the database stops responding end at their own timeout; then everything works again. */
const RECOVERS_WITHIN_MS = 30_000;
const SETTLES_WITHIN_MS = 180_000;
const MAX_GROWTH = 0.1;

const say = (text: string) => console.log(new Date().toISOString().slice(11, 19), text);

await runCampaign(async ({ fail, atEnd }) => {
  say(`seed ${settings.seed}, ${settings.minutes} minutes`);
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
    // Without a limit, V8 lets garbage grow as long as there is memory, which looks like a leak.
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
  const [start, total] = [Date.now(), settings.minutes * 60_000];
  const until = async (part: number) => {
    while (Date.now() - start < total * part) {
      await sleep(Math.min(30_000, Math.max(100, start + total * part - Date.now())));
      say(`memory ${memory.now()}; ${load.summary()}`);
    }
  };
  const away = async (what: string, work: () => Promise<void>) => {
    say(what);
    load.databaseGoesDown();
    await work();
    const recoveredMs = await load.databaseIsBack(RECOVERS_WITHIN_MS);
    say(`${what}: all kinds of requests succeed again after ${(recoveredMs / 1_000).toFixed(1)} s`);
    if (recoveredMs >= RECOVERS_WITHIN_MS) fail(`${what}: no recovery in time`);
  };

  await until(0.3);
  await away('restart of the database', () => postgres.restart('fast', DOWN_MS));
  await until(0.5);
  await away('black hole', async () => {
    proxy.freeze();
    await sleep(BLACK_HOLE_MS);
    proxy.thaw();
  });
  await until(0.7);
  await away('second restart of the database', () => postgres.restart('fast', DOWN_MS));
  await until(1);

  await load.stop();
  const growth = memory.growth();
  const deliveries = await accountForDeliveries(postgres.url, receivers, SETTLES_WITHIN_MS, say, fail);
  const deadlocks = await countDeadlocks(postgres.url);
  say(`memory grew by ${(growth * 100).toFixed(1)} %; ${deadlocks} deadlocks; ${load.summary()}`);
  say(`deliveries: ${JSON.stringify(deliveries)}`);
  if (deadlocks > 0) fail(`${deadlocks} deadlocks`);
  if (growth > MAX_GROWTH) fail(`memory grew by ${(growth * 100).toFixed(1)} %`);
  for (const { process, output } of servers) {
    if (process.exitCode !== null) fail('a server ended by itself');
    // Lines that must not appear whatever happens to the database.
    const lines = output().split('\n');
    for (const line of lines.filter(one => /deadlock detected|unhandled|uncaught|"level":60/i.test(one)))
      fail(`log: ${line.slice(0, 1_000)}`);
  }
});

/** The memory of all processes now, and how much more the last quarter of the run used than the second one: 0.1 is 10 %. */
function watchMemory(pids: number[]): { now: () => string; growth: () => number } {
  const samples: number[] = [];
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  const timer = setInterval(() => samples.push(sum(pids.map(residentMb))), 2_000).unref();
  const quarter = (n: number) => {
    const [from, to] = [n, n + 1].map(part => Math.floor((samples.length * part) / 4));
    return sum(samples.slice(from, to)) / ((to ?? 0) - (from ?? 0));
  };
  return {
    now: () => `${pids.map(residentMb).join(' + ')} MB`,
    growth: () => {
      clearInterval(timer);
      return quarter(3) / quarter(1) - 1;
    },
  };
}
