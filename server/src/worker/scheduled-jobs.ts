import { cleanUpDeliveries, rescueDeliveries } from '../delivery/sending/clean-up.ts';
import { announcePotentiallyStale } from '../flags/health/announce.ts';
import { advanceAll } from '../flags/lifecycle/advance.ts';
import { sweepGrants } from '../people/authorization/sweep.ts';
import { sweepExpiredLoginData } from '../people/sessions/end.ts';
import type { Db } from '../platform/db/database.ts';
import { purgeRemoved } from '../publishing/projection/purge.ts';
import { extendPartitions } from '../record/events/partitions.ts';
import { removeExpiredKeys } from '../record/idempotency/expire.ts';
import { expireApplications } from '../reporting/applications/expire.ts';
import { cleanUpEdges } from '../reporting/edges/clean-up.ts';
import { cleanUpMetrics } from '../reporting/metrics/clean-up.ts';
import {
  createMetricPartitions,
  dropMetricPartitions,
  type Retention,
} from '../reporting/metrics/partitions.ts';
import { cleanUpReach } from '../reporting/reach/clean-up.ts';

export type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** The jobs that run on a schedule. `name` is also the name of the queue in pg-boss. */
export const SCHEDULED_JOBS = [
  {
    name: 'extend-event-partitions',
    cron: '7 * * * *',
    run: async (db: Db, log: Log) => {
      const partitions = await extendPartitions(db);
      if (partitions.length > 0) log.info({ partitions }, 'event partitions added');
    },
  },
  {
    name: 'sweep-logins',
    cron: '*/10 * * * *',
    run: async (db: Db, log: Log) => {
      const rows = (await sweepExpiredLoginData(db)) + (await sweepGrants(db));
      if (rows > 0) log.info({ rows }, 'old sessions, login failures and grant tokens removed');
    },
  },
  {
    name: 'remove-expired-idempotency-keys',
    cron: '23 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = await removeExpiredKeys(db);
      if (removed > 0) log.info({ removed }, 'expired idempotency keys removed');
    },
  },
  {
    name: 'clean-up-deliveries',
    cron: '23 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = await cleanUpDeliveries(db);
      if (removed > 0) log.info({ removed }, 'delivery records removed');
    },
  },
  {
    name: 'rescue-deliveries',
    cron: '* * * * *',
    run: async (db: Db, log: Log) => {
      const rescued = await rescueDeliveries(db);
      if (rescued > 0) log.warn({ rescued }, 'deliveries without a job requeued');
    },
  },
  {
    name: 'purge-sdk-documents',
    cron: '41 3 * * *',
    run: async (db: Db, log: Log) => {
      const documents = await purgeRemoved(db);
      if (documents > 0) log.info({ documents }, 'deleted SDK documents purged');
    },
  },
  {
    name: 'partition-metrics',
    cron: '17 * * * *',
    run: async (db: Db, log: Log, retention: Retention) => {
      const added = await createMetricPartitions(db);
      const dropped = await dropMetricPartitions(db, retention);
      if (added.length + dropped.length > 0) log.info({ added, dropped }, 'metric partitions changed');
    },
  },
  {
    name: 'clean-up-metrics',
    cron: '47 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = await cleanUpMetrics(db);
      if (removed > 0) log.info({ removed }, 'outdated application instances and unknown flags removed');
    },
  },
  {
    name: 'clean-up-reach',
    cron: '*/10 * * * *',
    run: async (db: Db, log: Log) => {
      const removed = (await cleanUpReach(db)) + (await cleanUpEdges(db));
      if (removed > 0) log.info({ removed }, 'outdated reach instances, revisions and edges removed');
    },
  },
  {
    name: 'expire-applications',
    cron: '53 4 * * *',
    run: async (db: Db, log: Log) => {
      const applications = await expireApplications(db);
      if (applications > 0) log.info({ applications }, 'idle applications removed');
    },
  },
  {
    name: 'advance-lifecycle',
    cron: '*/10 * * * *',
    run: async (db: Db, log: Log) => {
      const features = await advanceAll(db);
      if (features > 0) log.info({ features }, 'features entered a lifecycle stage');
    },
  },
  {
    name: 'announce-potentially-stale',
    cron: '* * * * *',
    run: async (db: Db, log: Log) => {
      const features = await announcePotentiallyStale(db);
      if (features > 0) log.info({ features }, 'features became potentially stale');
    },
  },
];
