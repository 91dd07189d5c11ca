import type { EvaluationContext } from '../evaluation/context.ts';
import type { Evaluator } from '../evaluation/evaluator.ts';
import type { Flag } from '../evaluation/flags.ts';
import { ENABLED_SUFFIX, evaluatedOf, hasPayload } from './values.ts';

/** The client closes its stream when its page has been hidden for this long. */
const INACTIVITY_S = 120;

/** The body with one flag. It waits its turn like a list of flags, because one flag can take 100 ms. */
// biome-ignore lint/correctness/useYield: a flag is evaluated in one step
export function* evaluateOne(
  evaluator: Evaluator,
  flag: Flag,
  context: EvaluationContext,
  key: string,
): Generator<void, string> {
  return JSON.stringify(evaluatedOf(flag, evaluator.evaluate(flag, context), key));
}

/** The body with all flags of the scope, and the URL of the stream of changes. Yields after each flag. */
export const bulkBody = (streamPath: string) =>
  function* (evaluator: Evaluator, context: EvaluationContext): Generator<void, Buffer> {
    const flags: string[] = [];
    for (const flag of evaluator.flags) {
      const result = evaluator.evaluate(flag, context);
      flags.push(JSON.stringify(evaluatedOf(flag, result)));
      const key = `${flag.name}${ENABLED_SUFFIX}`;
      if (hasPayload(flag) && !evaluator.find(key))
        flags.push(JSON.stringify(evaluatedOf(flag, result, key)));
      yield;
    }
    const stream = { type: 'sse', endpoint: { requestUri: streamPath }, inactivityDelaySec: INACTIVITY_S };
    return Buffer.from(`{"flags":[${flags.join(',')}],"eventStreams":[${JSON.stringify(stream)}]}`);
  };
