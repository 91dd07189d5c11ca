import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, stopProcess } from '../../server/src/test/process.ts';
import { startTcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { startLoad } from './load.ts';

const MAX_LINES_PER_MINUTE = 20;
const WARM_UP_MS = 15_000;
/** The time after the outage in which the server reports that it is over. */
const RECOVERY_MS = 60_000;
const MINUTE_MS = 60_000;

type Line = { time: number; msg: string; status?: number };

/**
 * Makes the database unreachable under load, and counts the log lines of each minute. Lines about successful requests do not
 * count. Returns whether every minute stayed below the limit.
 */
export async function runOutage(
  database: URL,
  token: string,
  minutes: number,
  isSilent: boolean,
): Promise<boolean> {
  const proxy = await startTcpProxy(database.hostname, Number(database.port || 5432));
  const throughProxy = new URL(database);
  throughProxy.host = `127.0.0.1:${proxy.port}`;
  const server = await startProcess({
    DATABASE_URL: throughProxy.href,
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    LOG_LEVEL: 'info',
  });
  const load = startLoad(server.url, token);
  await sleep(WARM_UP_MS);
  const began = Date.now();
  if (isSilent) proxy.freeze();
  else proxy.cut();
  for (let minute = 0; minute < minutes; minute++) {
    await sleep(MINUTE_MS);
    console.log(`minute ${minute + 1}: ${report(minute)}`);
  }
  proxy.thaw();
  await sleep(RECOVERY_MS);
  console.log(`minute after the outage: ${report(minutes)}`);
  await load.stop();
  console.log(load.summary());
  await stopProcess(server);
  await proxy.close();
  return (
    Math.max(...Array.from({ length: minutes + 1 }, (_, at) => linesOf(at).length)) <= MAX_LINES_PER_MINUTE
  );

  function linesOf(minute: number): Line[] {
    const from = began + minute * MINUTE_MS;
    return server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Line)
      .filter(({ time, status = 503 }) => status >= 500 && time >= from && time < from + MINUTE_MS);
  }

  function report(minute: number): string {
    const lines = linesOf(minute);
    const kinds = Map.groupBy(lines, ({ msg }) => msg);
    return `${lines.length} lines: ${[...kinds].map(([msg, { length }]) => `${length} × ${msg}`).join(', ')}`;
  }
}
