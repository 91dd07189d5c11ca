import { PgBoss } from 'pg-boss';
import { cleanUpDeliveries, rescueDeliveries } from '../delivery/deliveries/clean-up.ts';
import { type DispatcherSettings, startDispatcher } from '../delivery/deliveries/dispatcher.ts';
import { announcePotentiallyStale } from '../flags/health/announce.ts';
import { sweepLogins } from '../people/sessions/end.ts';
import { boundedConnection, type Db } from '../platform/db/database.ts';
import { listenTo } from '../platform/db/listen.ts';
import { DELIVERY_QUEUE } from '../record/deliveries.ts';
import { extendPartitions } from '../record/events/partitions.ts';
import { mergeTextIndex } from '../record/events/text-index.ts';
import { removeExpiredKeys } from '../record/idempotency/expire.ts';
import { WAKE_CHANNEL } from '../record/wake.ts';

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

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
    queue: 'merge-text-index',
    cron: '* * * * *',
    run: async (db: Db) => {
      await mergeTextIndex(db);
    },
  },
  {
    queue: 'sweep-logins',
    cron: '*/10 * * * *',
    run: async (db: Db, log: Log) => {
      const rows = await sweepLogins(db);
      if (rows > 0) log.info({ rows }, 'ended sessions and failed logins removed');
    },
  },
  {
    queue: 'remove-expired-idempotency-keys',
    cron: '23 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = await removeExpiredKeys(db);
      if (removed > 0) log.info({ removed }, 'expired idempotency keys removed');
    },
  },
  {
    queue: 'clean-up-deliveries',
    cron: '23 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = await cleanUpDeliveries(db);
      if (removed > 0) log.info({ removed }, 'records of deliveries removed');
    },
  },
  {
    queue: 'rescue-deliveries',
    cron: '* * * * *',
    run: async (db: Db, log: Log) => {
      const rescued = await rescueDeliveries(db);
      if (rescued > 0) log.warn({ rescued }, 'deliveries without a job were given one');
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

/** Runs jobs and delivers events until the returned function is called, which waits for what runs. */
export async function startWorker(
  databaseUrl: string,
  db: Db,
  log: Log,
  deliveries: DispatcherSettings,
  onJobFailed: (job: string) => void = () => {},
): Promise<() => Promise<void>> {
  const boss = new PgBoss({
    ...boundedConnection(databaseUrl),
    application_name: 'halyard jobs',
    max: 3,
    migrate: false,
    // So often it is noticed that a worker is gone; its jobs come back 10 s after its last heartbeat.
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
  });
  boss.on('error', error => log.error({ err: error }, 'job engine failed'));
  await boss.start();
  for (const job of JOBS) {
    await boss.createQueue(job.queue, { retryLimit: 3 });
    await boss.schedule(job.queue, job.cron);
    await boss.work(job.queue, async () => {
      try {
        await job.run(db, log);
      } catch (error) {
        // pg-boss keeps the reason in its table, where nobody looks.
        log.error({ err: error, job: job.queue }, 'job failed');
        onJobFailed(job.queue);
        throw error;
      }
    });
  }
  // Whoever comes back after a crash need not wait for the first round: what was on its way is free again.
  boss.supervise(DELIVERY_QUEUE).catch(error => log.error({ err: error }, 'job supervision failed'));
  const dispatcher = startDispatcher(db, boss, deliveries, log);
  const stopListening = listenTo(databaseUrl, WAKE_CHANNEL, dispatcher.wake, error =>
    log.warn({ err: error }, 'delivery listener disconnected'),
  );
  return async () => {
    await stopListening();
    await dispatcher.stop();
    await boss.stop({ graceful: true, timeout: 5_000 });
  };
}
