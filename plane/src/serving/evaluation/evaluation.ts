import { Counter, Gauge, type Registry } from 'prom-client';
import type { Shares } from '../../platform/admission/shares.ts';
import type { Scope } from '../state/scope.ts';
import { type Evaluators, makeEvaluators } from './evaluators.ts';
import { makeSlices, type SliceLimits, type Slices } from './slices.ts';

/** The only way in which the server evaluates flags: evaluators for scopes, and slices in which their work runs. */
export type Evaluation = Pick<Evaluators, 'of'> &
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
    help: 'Flags that wait to be evaluated for frontend SDKs',
    registers: [metrics],
    collect() {
      this.set(slices.waiting.held);
    },
  });
  const skipped = new Counter({
    name: 'halyard_sdk_evaluation_skipped_total',
    help: 'Flags that were disabled for a context because their evaluation would take too long',
    registers: [metrics],
  });
  const { of } = makeEvaluators(slices, undefined, () => skipped.inc());
  const forRequest: Evaluation['of'] = scope => {
    onRequest(scope);
    return of(scope);
  };
  return { of: forRequest, run: slices.run, waiting: slices.waiting, unread };
}
