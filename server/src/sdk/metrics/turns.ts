import { setImmediate } from 'node:timers/promises';

/** Work that yields where other requests may have their turn. */
export type Steps = Generator<void, void>;

export type RunInTurns = (steps: Steps) => Promise<void> | undefined;

/**
 * Runs the first step at once, which is all that almost every body has, and the others in turns of the event loop. Large bodies wait for
 * each other: a step of each of them in the same turn would block it again.
 */
export function makeTurns(): RunInTurns {
  let last: Promise<void> = Promise.resolve();
  return steps => {
    if (steps.next().done) return undefined;
    const own = last.then(() => rest(steps));
    last = own.catch(() => {});
    return own;
  };
}

async function rest(steps: Steps): Promise<void> {
  do await setImmediate();
  while (!steps.next().done);
}
