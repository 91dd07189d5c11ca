import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { readOptions } from '../server/src/platform/command-line.ts';
import { openDb } from '../server/src/platform/db/database.ts';
import { indexNextText } from '../server/src/record/event-index/text/build.ts';
import { withClient } from './database.ts';
import { onCopy } from './events/copy-database.ts';
import { databaseOf, prepareEvents } from './events/load.ts';
import type { ProfileName } from './events/profiles.ts';
import { cpuBetween, readCpu } from './measure.ts';
import { describeMachine } from './server.ts';

const options = readOptions({
  run: 'npm run bench:text-index',
  does: 'Measures the CPU time and the memory that the text of a chunk of 24,000 events takes to be indexed.',
  options: {
    events: { type: 'string', default: '100000', meaning: 'Number of events in the log' },
    profile: { type: 'string', default: 'skewed', meaning: 'Distribution of the events: skewed or flat' },
  },
});

const SAMPLE_MS = 10;
const MB = 1_048_576;

const base = process.memoryUsage.rss();

/** Runs work and returns the highest memory of this process meanwhile, above that at the start of the process, in MB. */
async function peakMemory(work: () => Promise<boolean>): Promise<{ done: boolean; mb: number }> {
  let peak = base;
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      peak = Math.max(peak, process.memoryUsage.rss());
      await sleep(SAMPLE_MS);
    }
  })();
  const done = await work();
  isRunning = false;
  await watching;
  return { done, mb: (peak - base) / MB };
}

const profile: ProfileName = options.profile === 'flat' ? 'flat' : 'skewed';
const original = databaseOf(profile, Number(options.events));
await prepareEvents(original, profile, Number(options.events));
await onCopy(original, async url => {
  console.log(await withClient(url, describeMachine));
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  try {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    const backends = rows.map(row => row.pid);
    console.log('| chunk | CPU of the server, ms | CPU of PostgreSQL, ms | wall, ms | memory, MB |');
    console.log('|--:|--:|--:|--:|--:|');
    for (let chunk = 0; ; chunk++) {
      const before = { own: process.cpuUsage(), postgres: await readCpu(backends), at: performance.now() };
      const { done, mb } = await peakMemory(() => indexNextText(db));
      if (!done) break;
      const own = process.cpuUsage(before.own);
      const postgres = cpuBetween(before.postgres, await readCpu(backends));
      const wall = performance.now() - before.at;
      console.log(
        `| ${chunk} | ${((own.user + own.system) / 1_000).toFixed(0)} | ${postgres ?? '?'} | ${wall.toFixed(0)} | ${mb.toFixed(0)} |`,
      );
    }
    const sizes = await sql<{ dimension: string; rows: number; megabytes: number }>`
      select dimension, count(*) as rows, round(sum(length(positions)) / 1e6, 1)::float8 as megabytes
      from event_folded_postings group by dimension order by dimension`.execute(db);
    console.log('\n| dimension | rows | sets, MB |\n|---|--:|--:|');
    for (const row of sizes.rows) console.log(`| ${row.dimension} | ${row.rows} | ${row.megabytes} |`);
  } finally {
    await db.destroy();
  }
});
