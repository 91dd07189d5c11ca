import { ApiError } from '../../platform/errors.ts';

export type SliceLimits = {
  /** How long one turn of the event loop evaluates before requests and streams get their turn. */
  sliceMs: number;
  /** Flags that wait to be evaluated. A million takes about a second; a client that waits longer is better off with 503. */
  waitingFlags: number;
};

export const SLICE_LIMITS: SliceLimits = { sliceMs: 5, waitingFlags: 1_000_000 };
/** A request costs more than its flags, so a small one counts as this many. */
const LEAST_FLAGS = 100;

export type Slices = {
  /**
   * Runs the work, which yields after every flag, together with all other work in slices. Returns undefined if its
   * client has gone. Throws 503 if too much work waits.
   */
  run: <T>(work: Generator<void, T>, flags: number, isWanted?: () => boolean) => Promise<T | undefined>;
  /** Flags that wait to be evaluated. */
  readonly waitingFlags: number;
};

type Job = { step: (deadline: number) => boolean; flags: number };

/** One queue for all work: with a timer for each request, a hundred requests would take a hundred slices in one turn. */
export function makeSlices({ sliceMs, waitingFlags: most }: SliceLimits): Slices {
  const queue: Job[] = [];
  let waitingFlags = 0;
  /** Milliseconds of this turn of the event loop. */
  let spent = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  };

  /** Returns whether the job is finished. */
  const runSlice = (job: Job): boolean => {
    const start = performance.now();
    const isFinished = job.step(start + sliceMs - spent);
    spent += performance.now() - start;
    return isFinished;
  };

  const turn = (): void => {
    isScheduled = false;
    spent = 0;
    while (spent < sliceMs) {
      const job = queue.shift();
      if (!job) break;
      if (runSlice(job)) waitingFlags -= job.flags;
      else queue.push(job);
    }
    // Also after the last job: the next turn begins with nothing spent.
    if (spent > 0) schedule();
  };

  const run = <T>(work: Generator<void, T>, size: number, isWanted = () => true): Promise<T | undefined> => {
    const flags = Math.max(size, LEAST_FLAGS);
    return new Promise((resolve, reject) => {
      const step = (deadline: number): boolean => {
        try {
          if (!isWanted()) {
            work.return(undefined as T);
            resolve(undefined);
            return true;
          }
          do {
            const { done, value } = work.next();
            if (!done) continue;
            resolve(value);
            return true;
          } while (performance.now() < deadline);
          return false;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      const job = { step, flags };
      if (waitingFlags + flags > most) {
        reject(busy());
        return;
      }
      const isFree = queue.length === 0 && spent < sliceMs;
      if (isFree && runSlice(job)) schedule();
      else {
        queue.push(job);
        waitingFlags += flags;
        schedule();
      }
    });
  };

  return {
    run,
    get waitingFlags() {
      return waitingFlags;
    },
  };
}

const busy = (): ApiError =>
  new ApiError('ServiceUnavailableError', 'The server has too many flags to evaluate now. Retry later.', {
    retryAfter: 2,
  });
