import { makeTurns } from '../../../../plane/src/platform/admission/turns.ts';
import { exceedsLimit } from '../../../../plane/src/platform/errors.ts';
import { compilePattern, writtenOut } from '../../../../plane/src/platform/pattern.ts';
import type { Constraint } from './schema.ts';

/** For all distinct patterns of a request together. Compiling this much takes about 300 ms. */
const MAX_TOTAL_SIZE = 300_000;
/** Compiled in one turn of the event loop; this much takes about 10 ms. */
const TURN_SIZE = 10_000;

/** All requests take turns, step by step, so that many of them together block the event loop no longer than one. */
const runInTurn = makeTurns();
let requests = 0;

/** The patterns of the constraints that compile. Each distinct pattern is compiled once. */
export async function validPatterns(constraints: readonly Constraint[]): Promise<ReadonlySet<string>> {
  const patterns = new Set(
    constraints.flatMap(({ operator, value }) => (operator === 'REGEX' && value ? [value] : [])),
  );
  const request = `request ${++requests}`;
  const valid = new Set<string>();
  for (const step of inSteps(patterns))
    await runInTurn(request, () => {
      for (const pattern of step) if (compilePattern(pattern) !== undefined) valid.add(pattern);
    });
  return valid;
}

/** The patterns in steps that each take one turn. Rejects more than a request can have before anything is compiled. */
function inSteps(patterns: Iterable<string>): string[][] {
  const steps: string[][] = [];
  let total = 0;
  let size = TURN_SIZE;
  for (const pattern of patterns) {
    const added = writtenOut(pattern);
    total += added;
    if (total > MAX_TOTAL_SIZE) {
      throw exceedsLimit(
        `The patterns of one request can have at most ${MAX_TOTAL_SIZE} characters in total, counting repetitions such as a{3} as aaa.`,
      );
    }
    if (size >= TURN_SIZE) {
      steps.push([]);
      size = 0;
    }
    size += added;
    steps.at(-1)?.push(pattern);
  }
  return steps;
}
