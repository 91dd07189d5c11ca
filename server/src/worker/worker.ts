import { PgBoss } from 'pg-boss';
import { DELIVERY_QUEUE, WAKE_CHANNEL } from '../delivery/outbox.ts';
import { type DispatcherSettings, startDispatcher } from '../delivery/sending/dispatcher.ts';
import { JobsClient } from '../platform/db/client.ts';
import { boundedConnection, type Db } from '../platform/db/database.ts';
import { listenTo } from '../platform/db/listen.ts';
import { startIndexer } from '../record/event-index/indexer.ts';
import { DEFAULT_RETENTION, type Retention } from '../reporting/metrics/partitions.ts';
import { type Log, SCHEDULED_JOBS } from './scheduled-jobs.ts';

/** Queues are checked rarely, because scheduled jobs start at most once a minute and each check costs a statement. */
const JOB_POLL_SECONDS = 5;

/** Runs jobs and delivers events. The returned function stops both and waits for running work. */
export async function startWorker(
  databaseUrl: string,
  db: Db,
  log: Log,
  deliveries: DispatcherSettings,
  onJobFailed: (job: string) => void = () => {},
  retention: Retention = DEFAULT_RETENTION,
): Promise<() => Promise<void>> {
  const boss = new PgBoss({
    ...boundedConnection(databaseUrl, 'job engine'),
    ...{ Client: JobsClient },
    max: 3,
    migrate: false,
    // The interval at which pg-boss looks for dead workers. A job returns to its queue 10 s after its last heartbeat.
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
  });
  // pg-boss emits most errors as plain objects with the fields of the error.
  boss.on('error', fields =>
    log.error({ err: Object.assign(new Error(fields.message), fields) }, 'job engine failed'),
  );
  await boss.start();
  await scheduleJobs(boss, db, log, onJobFailed, retention).catch(async error => {
    // The engine is stopped, because the caller may retry the start and each attempt would leave an engine behind.
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  });
  // After a crash, this requeues the deliveries of the dead process immediately.
  boss.supervise(DELIVERY_QUEUE).catch(error => log.error({ err: error }, 'job supervision failed'));
  const dispatcher = startDispatcher(db, boss, deliveries, log);
  const stopListening = listenTo(databaseUrl, WAKE_CHANNEL, dispatcher.wake, error =>
    log.warn({ err: error }, 'delivery listener disconnected'),
  );
  const stopIndexer = startIndexer(db, databaseUrl, error => {
    log.error({ err: error, job: 'index-events' }, 'job failed');
    onJobFailed('index-events');
  });
  return async () => {
    await stopIndexer();
    await stopListening();
    await dispatcher.stop();
    await boss.stop({ graceful: true, timeout: 5_000 });
  };
}

async function scheduleJobs(
  boss: PgBoss,
  db: Db,
  log: Log,
  onJobFailed: (job: string) => void,
  retention: Retention,
): Promise<void> {
  await unscheduleRemovedJobs(boss);
  for (const job of SCHEDULED_JOBS) {
    await boss.createQueue(job.name, { retryLimit: 3 });
    await boss.schedule(job.name, job.cron);
    await boss.work(job.name, { pollingIntervalSeconds: JOB_POLL_SECONDS }, async () => {
      try {
        await job.run(db, log, retention);
      } catch (error) {
        // pg-boss stores the reason in its table, where no operator looks for it.
        log.error({ err: error, job: job.name }, 'job failed');
        onJobFailed(job.name);
        throw error;
      }
    });
  }
}

/**
 * Removes schedules of jobs that no longer exist. pg-boss stores schedules, so a job of an older version would otherwise fill a
 * queue that nobody reads.
 */
async function unscheduleRemovedJobs(boss: PgBoss): Promise<void> {
  for (const { name } of await boss.getSchedules()) {
    if (!SCHEDULED_JOBS.some(job => job.name === name)) await boss.unschedule(name);
  }
}
