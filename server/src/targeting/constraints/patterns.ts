import { setImmediate } from 'node:timers/promises';
import { exceedsLimit } from '../../platform/errors.ts';
import { compilePattern, writtenOut } from '../../platform/pattern.ts';
import type { Constraint } from './schema.ts';

/** For all distinct patterns of a request together. Compiling this much takes about 300 ms. */
const MAX_TOTAL_SIZE = 300_000;
/** The event loop gets a turn after this much, which takes about 10 ms to compile. */
const TURN_SIZE = 10_000;

/** The patterns of the constraints that compile. Each distinct pattern is compiled once. */
export async function validPatterns(constraints: readonly Constraint[]): Promise<ReadonlySet<string>> {
  const patterns = new Set(
    constraints.flatMap(({ operator, value }) => (operator === 'REGEX' && value ? [value] : [])),
  );
  const valid = new Set<string>();
  let total = 0;
  let sinceTurn = 0;
  for (const pattern of patterns) {
    const size = writtenOut(pattern);
    total += size;
    sinceTurn += size;
    if (total > MAX_TOTAL_SIZE) {
      throw exceedsLimit(
        `The patterns of one request can have at most ${MAX_TOTAL_SIZE} characters in total, counting repetitions such as a{3} as aaa.`,
      );
    }
    if (compilePattern(pattern) !== undefined) valid.add(pattern);
    if (sinceTurn < TURN_SIZE) continue;
    sinceTurn = 0;
    await setImmediate();
  }
  return valid;
}
