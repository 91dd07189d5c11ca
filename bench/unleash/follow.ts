import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runImport, startImport } from './command.ts';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

/** The lag that 95 % of the writes must not exceed. */
const MAX_LAG_MS = 3_000;
const WRITE_EVERY_MS = 200;

type Report = (claim: string, hasPassed: boolean, detail?: string) => void;

/** Changes flags in Unleash while `import --follow` runs, and measures how long each change takes to arrive. */
export async function checkFollow(
  { url }: Instance,
  target: string,
  source: string,
  minutes: number,
  report: Report,
): Promise<void> {
  const flags = ['checkout-v2', 'dark-mode', 'old-basket', 'no-strategy', 'parent-flag'];
  const child = startImport(target, source, ['--accept', '--follow']);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  while (!output.includes('Following')) await sleep(200);
  await sleep(5_000);
  const writtenAt: number[] = [];
  const lastArrived = flags.map(() => -1);
  const lags: number[] = [];
  const deadline = performance.now() + minutes * 60_000;
  const write = async () => {
    while (performance.now() < deadline) {
      const n = writtenAt.length;
      const pause = sleep(WRITE_EVERY_MS);
      writtenAt.push(performance.now());
      const response = await fetch(`${url}/api/admin/projects/default/features/${flags[n % flags.length]}`, {
        method: 'PATCH',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify([{ op: 'replace', path: '/description', value: `write ${n}` }]),
      });
      if (!response.ok) throw new Error(`Unleash responded with ${response.status}`);
      writtenAt[n] = performance.now();
      await pause;
    }
  };
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  const readArrivals = async () => {
    const { rows } = await client.query('select name, description from features where name = any($1)', [
      flags,
    ]);
    const now = performance.now();
    for (const { name, description } of rows) {
      const index = flags.indexOf(name);
      const newest = Number(/^write (\d+)$/.exec(description)?.[1] ?? -1);
      for (
        let n = (lastArrived[index] ?? -1) < 0 ? index : (lastArrived[index] ?? 0) + flags.length;
        n <= newest;
        n += flags.length
      )
        lags.push(Math.max(0, now - (writtenAt[n] ?? now)));
      lastArrived[index] = Math.max(lastArrived[index] ?? -1, newest);
    }
  };
  const writes = write();
  while (performance.now() < deadline + 2 * MAX_LAG_MS) {
    await readArrivals();
    await sleep(100);
  }
  await writes;
  await client.end();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  lags.sort((a, b) => a - b);
  const p95 = Math.round(lags[Math.floor(lags.length * 0.95)] ?? Number.POSITIVE_INFINITY);
  report(
    `--follow imports ${writtenAt.length} writes; lag p95 ${p95} ms, maximum ${Math.round(lags.at(-1) ?? 0)} ms`,
    lags.length === writtenAt.length && p95 <= MAX_LAG_MS,
    `arrived: ${lags.length}\n${output.slice(-2_000)}`,
  );
  const rerun = await runImport(target, source, ['--accept']);
  report('a later import has nothing left to write', rerun.output.includes('Written: 0.'), rerun.output);
}
