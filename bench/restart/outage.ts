import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, stopProcess } from '../../server/src/test/process.ts';
import type { Campaign } from '../campaign.ts';
import { ADMIN_TOKEN, startProxy } from '../server.ts';
import { startLoad } from './load.ts';

const MAX_LINES_PER_MINUTE = 20;
const WARM_UP_MS = 15_000;
const MINUTE_MS = 60_000;

type Line = { time: number; msg: string; status?: number };

/** Makes the database unreachable under load, and counts the log lines of each minute, except those about successful requests. */
export async function runOutage(
  { fail, atEnd }: Campaign,
  database: URL,
  token: string,
  minutes: number,
  isUnresponsive: boolean,
): Promise<void> {
  const { proxy, throughProxy } = await startProxy(database);
  atEnd(proxy.close);
  const server = await startProcess({
    DATABASE_URL: throughProxy.href,
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    LOG_LEVEL: 'info',
  });
  atEnd(() => stopProcess(server));
  const load = startLoad(server.url, token);
  await sleep(WARM_UP_MS);
  const outageStart = Date.now();
  if (isUnresponsive) proxy.freeze();
  else proxy.cut();
  for (let minute = 0; minute <= minutes; minute++) {
    // The last minute follows the outage, so its lines include those that report the recovery.
    if (minute === minutes) proxy.restore();
    await sleep(MINUTE_MS);
    const lines = readLines(minute);
    const kinds = Map.groupBy(lines, ({ msg }) => msg);
    console.log(
      `minute ${minute + 1}: ${lines.length} lines: ${[...kinds].map(([msg, { length }]) => `${length} × ${msg}`).join(', ')}`,
    );
    if (lines.length > MAX_LINES_PER_MINUTE) fail(`minute ${minute + 1}: ${lines.length} log lines`);
  }
  await load.stop();
  console.log(load.summary());

  function readLines(minute: number): Line[] {
    const minuteStart = outageStart + minute * MINUTE_MS;
    return server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Line)
      .filter(
        ({ time, status = 503 }) => status >= 500 && time >= minuteStart && time < minuteStart + MINUTE_MS,
      );
  }
}
