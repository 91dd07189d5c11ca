import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import type { Result } from './attempt.ts';
import { countOpen, listWaiting } from './store.ts';

const MAX_NAMED_INTEGRATIONS = 20;

/** Registers the delivery metrics. Returns a function that counts an attempt. */
export function registerDeliveryMetrics(registry: Registry, db: Db): (result: Result) => void {
  const attempts = new Counter({
    name: 'halyard_delivery_attempts_total',
    help: 'Delivery attempts, by provider and outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const finishedDeliveries = new Counter({
    name: 'halyard_deliveries_finished_total',
    help: 'Finished deliveries, by provider and state',
    labelNames: ['provider', 'state'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'halyard_delivery_attempt_duration_seconds',
    help: 'Duration of an attempt, by provider',
    labelNames: ['provider'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  const waitDuration = new Histogram({
    name: 'halyard_delivery_wait_seconds',
    help: 'Time from when an attempt is due until it starts, by provider. A first attempt is due when its event is committed',
    labelNames: ['provider'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600],
    registers: [registry],
  });
  // The two metrics below are unknown without a database, so they are NaN rather than 0.
  new Gauge({
    name: 'halyard_deliveries_open',
    help: 'Open deliveries, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const states = await countOpen(db).catch(() => undefined);
      for (const state of ['pending', 'retrying']) {
        const count = states?.find(row => row.state === state)?.count ?? 0;
        this.set({ state }, states ? count : Number.NaN);
      }
    },
  });
  new Gauge({
    name: 'halyard_deliveries_oldest_due_seconds',
    help: 'How many seconds the oldest due delivery of an integration has been waiting, for the 20 that have waited longest',
    labelNames: ['integration'],
    registers: [registry],
    async collect() {
      const waitingIntegrations = await listWaiting(db, MAX_NAMED_INTEGRATIONS).catch(() => undefined);
      this.reset();
      if (!waitingIntegrations?.length) this.set(waitingIntegrations ? 0 : Number.NaN);
      for (const { integration, seconds } of waitingIntegrations ?? []) this.set({ integration }, seconds);
    },
  });
  return ({ provider, outcome, state, durationMs, waitedMs }) => {
    attempts.inc({ provider, outcome });
    waitDuration.observe({ provider }, waitedMs / 1_000);
    duration.observe({ provider }, durationMs / 1_000);
    if (state !== 'retrying') finishedDeliveries.inc({ provider, state });
  };
}
