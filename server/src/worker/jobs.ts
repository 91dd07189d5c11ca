import { PgBoss } from 'pg-boss';
import type { Db } from '../db/database.ts';
import { extendPartitions } from '../events/partitions.ts';

export type Log = {
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
];

/** Creates or updates the tables of the job engine. Part of migrating: a worker never does it. */
export async function migrateJobs(databaseUrl: string, log: Log): Promise<void> {
  const boss = engine(databaseUrl, log, true);
  await boss.start();
  await boss.stop({ graceful: false });
}

/** Runs jobs until the returned function is called, which waits for those that run. */
export async function startWorker(databaseUrl: string, db: Db, log: Log): Promise<() => Promise<void>> {
  const boss = engine(databaseUrl, log, false);
  await boss.start();
  for (const job of JOBS) {
    await boss.createQueue(job.queue, { retryLimit: 3 });
    await boss.schedule(job.queue, job.cron);
    await boss.work(job.queue, async () => await job.run(db, log));
  }
  return async () => await boss.stop({ graceful: true, timeout: 5_000 });
}

function engine(databaseUrl: string, log: Log, migrate: boolean): PgBoss {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'halyard jobs',
    max: 3,
    migrate,
  });
  boss.on('error', error => log.warn({ err: error }, 'job engine'));
  return boss;
}
