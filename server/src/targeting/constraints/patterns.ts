import { setImmediate } from 'node:timers/promises';
import { exceedsLimit } from '../../platform/errors.ts';
import { compilePattern, writtenOut } from '../../platform/pattern.ts';
import type { Constraint } from './schema.ts';

/** Of all different patterns of a request together. Compiling them takes about 300 ms. */
const MAX_TOTAL = 300_000;
/** After this much the event loop gets a turn, about 10 ms. */
const STRETCH = 10_000;

/** Those of the patterns that are valid. Each is compiled once, and never many without a turn of the event loop. */
export async function validPatterns(constraints: readonly Constraint[]): Promise<ReadonlySet<string>> {
  const patterns = new Set(
    constraints.flatMap(({ operator, value }) => (operator === 'REGEX' && value ? [value] : [])),
  );
  const valid = new Set<string>();
  let total = 0;
  let stretch = 0;
  for (const pattern of patterns) {
    const size = writtenOut(pattern);
    total += size;
    stretch += size;
    if (total > MAX_TOTAL) {
      throw exceedsLimit(
        `The patterns of one request have at most ${MAX_TOTAL} characters together, with repetitions written out.`,
      );
    }
    if (compilePattern(pattern) !== undefined) valid.add(pattern);
    if (stretch < STRETCH) continue;
    stretch = 0;
    await setImmediate();
  }
  return valid;
}
