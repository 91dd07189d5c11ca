import { Counter, Gauge, type Registry } from 'prom-client';
import type { Shares } from '../../platform/admission/shares.ts';
import type { Scope } from '../state/scope.ts';
import { type Evaluators, makeEvaluators } from './evaluators.ts';
import { makeSlices, type SliceLimits, type Slices } from './slices.ts';

/** The only place where the server evaluates flags: with one evaluator per scope, in slices. */
export type Evaluation = Pick<Evaluators, 'getEvaluator'> &
  Pick<Slices, 'run' | 'waiting'> & {
    /** Bytes of results that clients have not read. */
    unread: Shares;
  };

export function makeEvaluation(
  limits: SliceLimits,
  unread: Shares,
  metrics: Registry,
  /** Called once for each request. */
  onRequest: (scope: Scope) => void = () => {},
): Evaluation {
  const slices = makeSlices(limits);
  new Gauge({
    name: 'halyard_sdk_evaluation_waiting_flags',
    help: 'Flags waiting to be evaluated for frontend SDKs',
    registers: [metrics],
    collect() {
      this.set(slices.waiting.heldUnits);
    },
  });
  const skipped = new Counter({
    name: 'halyard_sdk_evaluation_skipped_total',
    help: 'Flags that evaluated as disabled for a context because their evaluation would take too long',
    registers: [metrics],
  });
  const { getEvaluator } = makeEvaluators(slices, undefined, () => skipped.inc());
  const getEvaluatorForRequest: Evaluation['getEvaluator'] = scope => {
    onRequest(scope);
    return getEvaluator(scope);
  };
  return { getEvaluator: getEvaluatorForRequest, run: slices.run, waiting: slices.waiting, unread };
}
