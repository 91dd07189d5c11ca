// Twenty minutes of mixed load on two server processes while the database is restarted twice and black-holed once. It passes when
// no transaction deadlocked, callers saw nothing worse than 503 with Retry-After while the database was unreachable (a report or
// list that had begun is cut off, because its status has already been sent), memory stayed flat, and every delivery is accounted
// for.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { startTcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { newestPrograms, startOwnPostgres } from '../own-postgres.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { prepare } from './data.ts';
import { accountForDeliveries, countDeadlocks, startReceivers } from './deliveries.ts';
import { startLoad } from './load.ts';
import { watchMemory } from './memory.ts';

const options = readOptions({
  run: 'npm run campaign:soak',
  does: 'Runs a mixed load on two servers while PostgreSQL is restarted twice and becomes unreachable once.',
  options: {
    minutes: { type: 'string', default: '20', meaning: 'Duration of the load' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)), meaning: 'Seed of a run to repeat' },
    postgres: { type: 'string', default: newestPrograms(), meaning: 'Folder of the PostgreSQL programs' },
    as: { type: 'string', default: 'postgres', meaning: 'System user that runs PostgreSQL' },
  },
});

const BLACK_HOLE_MS = 20_000;
const DOWN_MS = 3_000;
/** Connections that hang when the database stops responding end at their own timeout; then everything works again. */
const RECOVERS_WITHIN_MS = 30_000;
const SETTLES_WITHIN_MS = 180_000;

const minutes = Number(options.minutes);
const say = (text: string) => console.log(new Date().toISOString().slice(11, 19), text);

say(`seed ${options.seed}, ${minutes} minutes`);
const postgres = startOwnPostgres(options.postgres, options.as, ['max_connections=200', 'log_lock_waits=on']);
const proxy = await startTcpProxy('127.0.0.1', postgres.port);
const receivers = await startReceivers();
const problems: string[] = [];
let servers: RunningServer[] = [];
try {
  const url = new URL(postgres.url);
  url.port = String(proxy.port);
  const env = {
    DATABASE_URL: url.href,
    LOG_LEVEL: 'info',
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    HALYARD_DELIVERY_SCHEDULE: '0,1,2,4,8,16,32',
    HALYARD_WRITES_PER_MINUTE: '0',
    // Without a limit, V8 lets garbage grow as long as there is memory, which looks like a leak.
    NODE_OPTIONS: '--max-old-space-size=256',
  };
  servers = [await startProcess(env, 60_000), await startProcess(env, 60_000)];
  await prepare(String(servers[0]?.url), receivers.urls);
  const memory = watchMemory(servers.map(({ process }) => process.pid ?? 0));
  const load = startLoad(
    servers.map(server => server.url),
    randomFrom(Number(options.seed)),
  );
  const [start, total] = [Date.now(), minutes * 60_000];
  const until = async (part: number) => {
    while (Date.now() - start < total * part) {
      await sleep(Math.min(30_000, Math.max(100, start + total * part - Date.now())));
      say(`${load.summary()}; memory ${memory.now()}`);
    }
  };
  const away = async (what: string, work: () => Promise<void>) => {
    say(what);
    load.databaseGoesAway();
    await work();
    const recoveredMs = await load.databaseIsBack(RECOVERS_WITHIN_MS);
    say(`${what}: all kinds of requests succeed again after ${(recoveredMs / 1_000).toFixed(1)} s`);
    if (recoveredMs >= RECOVERS_WITHIN_MS) problems.push(`${what}: no recovery in time`);
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

  const outcome = await load.stop();
  const growth = memory.growth();
  const deliveries = await accountForDeliveries(postgres.url, receivers, SETTLES_WITHIN_MS, say);
  const deadlocks = await countDeadlocks(postgres.url);
  const logs = servers.map(server => server.output());
  problems.push(...outcome.problems, ...deliveries.problems, ...problemsOf(logs));
  if (deadlocks > 0) problems.push(`${deadlocks} deadlocks`);
  for (const { process } of servers) if (process.exitCode !== null) problems.push('a server ended by itself');
  if (growth > 0.1) problems.push(`memory grew by ${(growth * 100).toFixed(1)} %`);
  console.log(
    JSON.stringify(
      {
        minutes,
        requests: outcome.requests,
        duringFaults: outcome.duringFaults,
        cutOff: outcome.cutOff,
        latencyMs: outcome.latencyMs,
        deadlocks,
        memoryGrowth: Number(growth.toFixed(3)),
        deliveries: deliveries.counts,
        problems: problems.slice(0, 50),
      },
      null,
      2,
    ),
  );
} finally {
  for (const server of servers) await stopProcess(server, 'SIGKILL').catch(() => {});
  await proxy.close();
  await receivers.close();
  postgres.remove();
}
process.exit(problems.length === 0 ? 0 : 1);

/** Lines that must not appear whatever happens to the database. */
function problemsOf(logs: string[]): string[] {
  return logs.flatMap(log =>
    log
      .split('\n')
      .filter(line => /deadlock detected|unhandled|uncaught|"level":60/i.test(line))
      .slice(0, 5)
      .map(line => `log: ${line.slice(0, 1_000)}`),
  );
}
