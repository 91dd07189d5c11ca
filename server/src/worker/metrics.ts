import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../platform/db/database.ts';
import { INDEX_PARTS, readIndexLag } from '../record/event-index/lag.ts';
import { countEventIdsLeft } from '../record/events/partitions.ts';

/** Registers the metrics of jobs; returns what to call when a run of a job failed. */
export function jobMetrics(registry: Registry, db: Db): (job: string) => void {
  const failures = new Counter({
    name: 'halyard_job_failures_total',
    help: 'Runs of background jobs that failed, by job',
    labelNames: ['job'],
    registers: [registry],
  });
  // Unknown without a database, which is not 0.
  new Gauge({
    name: 'halyard_event_ids_left',
    help: 'Event ids that the attached partitions have room for; at 0 no change can be stored',
    registers: [registry],
    async collect() {
      this.set(await countEventIdsLeft(db).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'halyard_event_index_lag_seconds',
    help: 'For how long a complete chunk of events has waited to be indexed for the search, by part of the index; 0 when none waits',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      for (const part of INDEX_PARTS)
        this.set({ part }, await readIndexLag(db, part).catch(() => Number.NaN));
    },
  });
  return job => failures.inc({ job });
}
