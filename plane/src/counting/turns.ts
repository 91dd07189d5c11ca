import type { RunInTurn } from '../platform/admission/turns.ts';

/** Work that yields wherever other requests may run in between. */
export type Steps = Generator<void, void>;

/**
 * Runs the first step immediately, which is enough for almost every body, and the others in later turns of the event loop.
 * Bodies of different tokens alternate.
 */
export function runInTurns(run: RunInTurn, token: number, steps: Steps): Promise<void> | undefined {
  return steps.next().done ? undefined : runRest(run, token, steps);
}

async function runRest(run: RunInTurn, token: number, steps: Steps): Promise<void> {
  while (!(await run(`${token}`, () => steps.next().done)));
}
