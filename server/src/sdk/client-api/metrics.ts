import { Counter, type Registry } from 'prom-client';

export const OPERATIONS = [
  'features',
  'feature',
  'delta',
  'streaming',
  'register',
  'metrics',
  'validate',
  'other',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export type CountRequest = (operation: Operation, status: number) => void;

/** Counts requests of SDKs in plain numbers: a labelled counter costs a microsecond, which is a part of a 304 that counts. */
export function requestMetrics(registry: Registry): CountRequest {
  const counts = new Map<Operation, Map<number, number>>();
  new Counter({
    name: 'halyard_sdk_requests_total',
    help: 'Requests of SDKs, by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, statuses] of counts) {
        for (const [status, count] of statuses) this.inc({ operation, status }, count);
      }
    },
  });
  return (operation, status) => {
    const statuses = counts.get(operation) ?? new Map<number, number>();
    counts.set(operation, statuses);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
}
