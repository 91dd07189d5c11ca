import type { EvaluationContext } from '../evaluation/context.ts';
import type { Evaluator } from '../evaluation/evaluator.ts';
import type { Flag } from '../evaluation/flags.ts';
import { ENABLED_SUFFIX, hasPayload, toEvaluatedFlag } from './values.ts';

/** The client closes its stream when its page has been hidden for this long. */
const INACTIVITY_S = 120;

/** Builds the body with one flag. It waits its turn like a list of flags, because one flag can take 100 ms. */
// biome-ignore lint/correctness/useYield: a flag is evaluated in one step
export function* evaluateFlag(
  evaluator: Evaluator,
  flag: Flag,
  context: EvaluationContext,
  key: string,
): Generator<void, string> {
  return JSON.stringify(toEvaluatedFlag(flag, evaluator.evaluate(flag, context), key));
}

/** Builds the body with all flags of the scope and the URL of the change stream. Yields after each flag. */
export const bulkBody = (streamPath: string) =>
  function* (evaluator: Evaluator, context: EvaluationContext): Generator<void, Buffer> {
    const flags: string[] = [];
    for (const flag of evaluator.flags) {
      const result = evaluator.evaluate(flag, context);
      flags.push(JSON.stringify(toEvaluatedFlag(flag, result)));
      const key = `${flag.name}${ENABLED_SUFFIX}`;
      if (hasPayload(flag) && !evaluator.find(key))
        flags.push(JSON.stringify(toEvaluatedFlag(flag, result, key)));
      yield;
    }
    const stream = { type: 'sse', endpoint: { requestUri: streamPath }, inactivityDelaySec: INACTIVITY_S };
    return Buffer.from(`{"flags":[${flags.join(',')}],"eventStreams":[${JSON.stringify(stream)}]}`);
  };
