import { PgBoss } from 'pg-boss';
import type { Db } from '../db/database.ts';
import { extendPartitions } from '../events/partitions.ts';
import { announcePotentiallyStale } from '../health/announce.ts';

type Log = {
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
};

/** One entry per job: its queue, when it runs, what it does. */
const JOBS = [
  {
    queue: 'extend-event-partitions',
    cron: '7 * * * *',
    run: async (db: Db, log: Log) => {
      const made = await extendPartitions(db);
      if (made.length > 0) log.info({ made }, 'event partitions added');
    },
  },
  {
    queue: 'announce-potentially-stale',
    cron: '* * * * *',
    run: async (db: Db, log: Log) => {
      const features = await announcePotentiallyStale(db);
      if (features > 0) log.info({ features }, 'features became potentially stale');
    },
  },
];

/** Runs jobs until the returned function is called, which waits for those that run. */
export async function startWorker(databaseUrl: string, db: Db, log: Log): Promise<() => Promise<void>> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'halyard jobs',
    max: 3,
    migrate: false,
  });
  boss.on('error', error => log.warn({ err: error }, 'job engine'));
  await boss.start();
  for (const job of JOBS) {
    await boss.createQueue(job.queue, { retryLimit: 3 });
    await boss.schedule(job.queue, job.cron);
    await boss.work(job.queue, async () => await job.run(db, log));
  }
  return async () => await boss.stop({ graceful: true, timeout: 5_000 });
}
