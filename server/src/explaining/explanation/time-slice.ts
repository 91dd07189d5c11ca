import { setTimeout as sleep } from 'node:timers/promises';
import type { Steps } from './strategies.ts';

const SLICE_MS = 5;
/** Lasts as long as a slice, because other requests need many turns of the event loop and should get half of the time. */
const PAUSE_MS = 5;

/** How long a request may work before it pauses to let other requests run. */
export type TimeSlice = { isOver: () => boolean; pause: () => Promise<void> };

/** Creates a time slice. `onResume` runs after each pause and may throw to stop the work. */
export function makeTimeSlice(onResume: () => void): TimeSlice {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > SLICE_MS,
    pause: async () => {
      await sleep(PAUSE_MS);
      onResume();
      startedAt = performance.now();
    },
  };
}

/** Runs the steps and pauses whenever the slice is over. */
export async function runInSlices<T>(steps: Steps<T>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.isOver()) await slice.pause();
  }
}
