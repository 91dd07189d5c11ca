import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { run, start } from './command.ts';
import { ADMIN_TOKEN, type Instance } from './instance.ts';

/** The lag that 95 % of the writes must not exceed. */
const MAX_LAG_MS = 3_000;
const WRITE_EVERY_MS = 200;

type Report = (what: string, isRight: boolean, detail?: string) => void;

/** Changes flags in Unleash while an import follows it, and measures how long each change takes to arrive. */
export async function checkFollow(
  { url }: Instance,
  target: string,
  from: string,
  minutes: number,
  report: Report,
): Promise<void> {
  const flags = ['checkout-v2', 'dark-mode', 'old-basket', 'no-strategy', 'parent-flag'];
  const child = start(target, from, ['--accept', '--follow']);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  while (!output.includes('Following')) await sleep(200);
  await sleep(5_000);
  const writtenAt: number[] = [];
  const arrived = flags.map(() => -1);
  const lags: number[] = [];
  const end = performance.now() + minutes * 60_000;
  const write = async () => {
    while (performance.now() < end) {
      const n = writtenAt.length;
      const next = sleep(WRITE_EVERY_MS);
      writtenAt.push(performance.now());
      const response = await fetch(`${url}/api/admin/projects/default/features/${flags[n % flags.length]}`, {
        method: 'PATCH',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify([{ op: 'replace', path: '/description', value: `write ${n}` }]),
      });
      if (!response.ok) throw new Error(`Unleash responded with ${response.status}`);
      writtenAt[n] = performance.now();
      await next;
    }
  };
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  const look = async () => {
    const { rows } = await client.query('select name, description from features where name = any($1)', [
      flags,
    ]);
    const now = performance.now();
    for (const { name, description } of rows) {
      const at = flags.indexOf(name);
      const seen = Number(/^write (\d+)$/.exec(description)?.[1] ?? -1);
      for (
        let n = (arrived[at] ?? -1) < 0 ? at : (arrived[at] ?? 0) + flags.length;
        n <= seen;
        n += flags.length
      )
        lags.push(Math.max(0, now - (writtenAt[n] ?? now)));
      arrived[at] = Math.max(arrived[at] ?? -1, seen);
    }
  };
  const writing = write();
  while (performance.now() < end + 2 * MAX_LAG_MS) {
    await look();
    await sleep(100);
  }
  await writing;
  await client.end();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  lags.sort((a, b) => a - b);
  const p95 = Math.round(lags[Math.floor(lags.length * 0.95)] ?? Number.POSITIVE_INFINITY);
  report(
    `${writtenAt.length} writes arrive while it follows; lag p95 ${p95} ms, maximum ${Math.round(lags.at(-1) ?? 0)} ms`,
    lags.length === writtenAt.length && p95 <= MAX_LAG_MS,
    `arrived: ${lags.length}\n${output.slice(-2_000)}`,
  );
  const after = await run(target, from, ['--accept']);
  report('nothing is left to import after it followed', after.output.includes('Written: 0.'), after.output);
}
