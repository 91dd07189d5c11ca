import { Counter, Gauge, type Registry } from 'prom-client';
import type { Holder } from './shares.ts';

/** The number of waiting and rejected requests. */
export type AdmissionCounts = {
  readonly waiting: number;
  readonly rejected: Readonly<Record<Holder, number>>;
};

/** Waiting and rejected requests, by resource. */
export type Admission = Map<string, AdmissionCounts>;

export function registerAdmissionMetrics(registry: Registry, admission: Admission): void {
  new Gauge({
    name: 'halyard_admission_waiting',
    help: 'Requests waiting for a shared resource, by resource',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, { waiting }] of admission) this.set({ kind }, waiting);
    },
  });
  new Counter({
    name: 'halyard_admission_rejected_total',
    help: 'Requests rejected because a shared resource was in use, by resource and by who held it (caller: the same caller, others: other callers)',
    labelNames: ['kind', 'holder'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [kind, { rejected }] of admission)
        for (const holder of ['caller', 'others'] satisfies Holder[])
          this.inc({ kind, holder }, rejected[holder]);
    },
  });
}
