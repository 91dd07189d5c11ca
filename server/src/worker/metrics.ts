import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../platform/db/database.ts';
import { INDEX_PARTS, readIndexLag } from '../record/event-index/lag.ts';
import { countEventIdsLeft } from '../record/events/partitions.ts';
import { SCHEDULED_JOBS } from './scheduled-jobs.ts';
import { countJobs, countPartitions } from './store.ts';

const PARTITIONED_TABLES = ['events', 'metric_days', 'metric_hours'] as const;
const STATES = ['ready', 'deferred', 'active', 'failed'] as const;

/** Registers the job metrics. Returns a function to call when a run of a job fails. */
export function registerJobMetrics(registry: Registry, db: Db): (job: string) => void {
  const failures = new Counter({
    name: 'halyard_job_failures_total',
    help: 'Runs of background jobs that failed, by name',
    labelNames: ['name'],
    registers: [registry],
  });
  // Each series starts at 0, because Prometheus sees no increase in a series that begins with 1.
  for (const name of ['index-events', ...SCHEDULED_JOBS.map(job => job.name)]) failures.inc({ name }, 0);
  new Gauge({
    name: 'halyard_jobs',
    help: 'Jobs in the queues, by name and state: ready to run, deferred to a later time, active, failed after the last retry',
    labelNames: ['name', 'state'],
    registers: [registry],
    async collect() {
      // Without a database there are no series, because even the queue names are unknown.
      this.reset();
      for (const { name, ...counts } of await countJobs(db).catch(() => []))
        for (const state of STATES) this.set({ name, state }, counts[state]);
    },
  });
  new Gauge({
    name: 'halyard_partitions',
    help: 'Partitions of the tables that grow with time, by table',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      const counts = await countPartitions(db, PARTITIONED_TABLES).catch(() => undefined);
      for (const table of PARTITIONED_TABLES)
        this.set({ table }, counts?.find(count => count.table === table)?.count ?? Number.NaN);
    },
  });
  // The value is NaN without a database, because the number is unknown rather than 0.
  new Gauge({
    name: 'halyard_event_ids_left',
    help: 'Event ids that the attached partitions have room for; at 0, no change can be stored',
    registers: [registry],
    async collect() {
      this.set(await countEventIdsLeft(db).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'halyard_event_index_lag_seconds',
    help: 'How long a complete chunk of events has been waiting to be indexed, by part of the index; 0 if none is waiting',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      for (const part of INDEX_PARTS)
        this.set({ part }, await readIndexLag(db, part).catch(() => Number.NaN));
    },
  });
  return job => failures.inc({ name: job });
}
