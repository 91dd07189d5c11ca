import type { RunInTurn } from '../platform/admission/turns.ts';

/** Work that yields wherever other requests may run in between. */
export type Steps = Generator<void, void>;

/**
 * Runs the first step immediately, which is the only one for almost every body, and the others in turns of the event loop. Bodies
 * of different tokens alternate.
 */
export function runInTurns(run: RunInTurn, token: number, steps: Steps): Promise<void> | undefined {
  return steps.next().done ? undefined : rest(run, token, steps);
}

async function rest(run: RunInTurn, token: number, steps: Steps): Promise<void> {
  while (!(await run(`${token}`, () => steps.next().done)));
}
