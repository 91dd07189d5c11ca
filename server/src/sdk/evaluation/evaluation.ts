import { Counter, Gauge, type Registry } from 'prom-client';
import { type Evaluators, makeEvaluators } from './evaluators.ts';
import { makeSlices, type SliceLimits, type Slices } from './slices.ts';

/** The one way to evaluate flags on the server: evaluators of scopes, and slices that their work runs in. */
export type Evaluation = Pick<Evaluators, 'of'> & Pick<Slices, 'run'>;

export function makeEvaluation(limits: SliceLimits, metrics: Registry): Evaluation {
  const slices = makeSlices(limits);
  new Gauge({
    name: 'halyard_sdk_evaluation_waiting_flags',
    help: 'Flags that wait to be evaluated for frontend SDKs',
    registers: [metrics],
    collect() {
      this.set(slices.waitingFlags);
    },
  });
  const skipped = new Counter({
    name: 'halyard_sdk_evaluation_skipped_total',
    help: 'Flags that were disabled for a context because their evaluation would take too long',
    registers: [metrics],
  });
  return { of: makeEvaluators(slices, undefined, () => skipped.inc()).of, run: slices.run };
}
