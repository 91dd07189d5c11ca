import type { RunInTurn } from '../../platform/admission/turns.ts';

/** Work that yields where other requests may have their turn. */
export type Steps = Generator<void, void>;

/**
 * Runs the first step immediately, which is all that almost every body has, and the others in turns of the event loop. Bodies of
 * different tokens alternate.
 */
export function runInTurns(run: RunInTurn, token: number, steps: Steps): Promise<void> | undefined {
  return steps.next().done ? undefined : rest(run, token, steps);
}

async function rest(run: RunInTurn, token: number, steps: Steps): Promise<void> {
  while (!(await run(`${token}`, () => steps.next().done)));
}
