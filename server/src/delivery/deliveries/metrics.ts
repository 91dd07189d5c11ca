import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import type { Result } from './attempt.ts';
import { countOpen } from './store.ts';

/** Registers what Prometheus may know of deliveries; returns what is to be told of every attempt. */
export function deliveryMetrics(registry: Registry, db: Db): (result: Result) => void {
  const attempts = new Counter({
    name: 'halyard_delivery_attempts_total',
    help: 'Attempts to deliver, by provider and outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const finished = new Counter({
    name: 'halyard_deliveries_finished_total',
    help: 'Deliveries that ended, by provider and state',
    labelNames: ['provider', 'state'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'halyard_delivery_attempt_duration_seconds',
    help: 'Time of an attempt, by provider',
    labelNames: ['provider'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  const waited = new Histogram({
    name: 'halyard_delivery_wait_seconds',
    help: 'Time from when an attempt was due to its start, by provider: for a first attempt from the commit of the event',
    labelNames: ['provider'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600],
    registers: [registry],
  });
  // Without a database these two are unknown, which is not 0, and the other metrics are still worth having.
  new Gauge({
    name: 'halyard_deliveries_open',
    help: 'Deliveries that wait for an attempt, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const states = await countOpen(db).catch(() => undefined);
      for (const state of ['pending', 'retrying']) {
        const count = states?.find(one => one.state === state)?.count ?? 0;
        this.set({ state }, states ? count : Number.NaN);
      }
    },
  });
  new Gauge({
    name: 'halyard_deliveries_oldest_due_seconds',
    help: 'For how long the most overdue delivery has been due',
    registers: [registry],
    async collect() {
      const states = await countOpen(db).catch(() => undefined);
      this.set(states ? Math.max(0, ...states.map(one => one.oldestSeconds)) : Number.NaN);
    },
  });
  return ({ provider, outcome, state, durationMs, waitedMs }) => {
    attempts.inc({ provider, outcome });
    waited.observe({ provider }, waitedMs / 1_000);
    duration.observe({ provider }, durationMs / 1_000);
    if (state !== 'retrying') finished.inc({ provider, state });
  };
}
