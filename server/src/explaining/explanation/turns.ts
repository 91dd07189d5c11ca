import { setTimeout as sleep } from 'node:timers/promises';
import type { Steps } from './strategies.ts';

const TURN_MS = 5;
/** Other requests need many turns of the event loop, so this work leaves half of the time to them. */
const PAUSE_MS = 5;

/** The share of one request's work between two pauses, during which other requests run. */
export type Turn = { isOver: () => boolean; next: () => Promise<void> };

/** `onNext` runs after each pause and may throw to stop the work. */
export function makeTurn(onNext: () => void): Turn {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > TURN_MS,
    next: async () => {
      await sleep(PAUSE_MS);
      onNext();
      startedAt = performance.now();
    },
  };
}

/** Runs the steps and pauses when a turn is over. */
export async function inTurns<T>(steps: Steps<T>, turn: Turn): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (turn.isOver()) await turn.next();
  }
}

/** Runs all steps without a pause. */
export function withoutPause<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
