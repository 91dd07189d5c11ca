import { makeTurns } from '@halyard/plane/platform/admission/turns.ts';
import { exceedsLimit } from '@halyard/plane/platform/errors.ts';
import { compilePattern, expandedLength } from '@halyard/plane/platform/pattern.ts';
import type { Constraint } from './schema.ts';

/** The maximum total size of all distinct patterns in a request. Compiling patterns of this size takes about 300 ms. */
const MAX_TOTAL_SIZE = 300_000;
/** The size of the patterns that are compiled in one turn of the event loop, which takes about 10 ms. */
const TURN_SIZE = 10_000;

/** Requests take turns, one step at a time, so that many requests together block the event loop no longer than a single one. */
const runInTurn = makeTurns();
let requestCount = 0;

/** Returns the patterns of the constraints that compile. Each distinct pattern is compiled once. */
export async function listValidPatterns(constraints: readonly Constraint[]): Promise<ReadonlySet<string>> {
  const patterns = new Set(
    constraints.flatMap(({ operator, value }) => (operator === 'REGEX' && value ? [value] : [])),
  );
  const request = `request ${++requestCount}`;
  const compiledPatterns = new Set<string>();
  for (const step of splitIntoSteps(patterns))
    await runInTurn(request, () => {
      for (const pattern of step) if (compilePattern(pattern) !== undefined) compiledPatterns.add(pattern);
    });
  return compiledPatterns;
}

/** Splits the patterns into steps that each take one turn. Rejects too many patterns before anything is compiled. */
function splitIntoSteps(patterns: Iterable<string>): string[][] {
  const steps: string[][] = [];
  let total = 0;
  let size = TURN_SIZE;
  for (const pattern of patterns) {
    const length = expandedLength(pattern);
    total += length;
    if (total > MAX_TOTAL_SIZE) {
      throw exceedsLimit(
        `The patterns in one request can have at most ${MAX_TOTAL_SIZE} characters in total, counting repetitions such as a{3} as aaa.`,
      );
    }
    if (size >= TURN_SIZE) {
      steps.push([]);
      size = 0;
    }
    size += length;
    steps.at(-1)?.push(pattern);
  }
  return steps;
}
