import { makeShares, type Shares } from '../../platform/admission/shares.ts';
import { busyError } from '../admission.ts';

export type SliceLimits = {
  /** How long evaluation may run in one turn of the event loop before other requests and streams are served. */
  sliceMs: number;
  /**
   * The maximum number of flags that wait to be evaluated. A million takes about a second, and a client that would wait longer is
   * better served by a 503.
   */
  maxWaitingFlags: number;
};

export const SLICE_LIMITS: SliceLimits = { sliceMs: 5, maxWaitingFlags: 1_000_000 };
/** A request has a fixed cost beyond its flags, so a small one counts as this many flags. */
const MIN_COUNTED_FLAGS = 100;
/** The share of the waiting flags, not counting those of others, that one caller may have. */
const SHARE = 0.6;

export type Slices = {
  /**
   * Runs the work, which yields after every flag, in slices. Callers with work take turns, no matter how much they have. Returns
   * undefined if the client has disconnected. Throws 429 if the caller has too much work waiting, and 503 if all callers together
   * do.
   */
  run: <T>(
    caller: string,
    work: Generator<void, T>,
    flagCount: number,
    isWanted?: () => boolean,
  ) => Promise<T | undefined>;
  /** Flags that wait to be evaluated, and their callers. */
  readonly waiting: Shares;
};

type Job = { step: (deadline: number) => boolean; release: () => void };

/**
 * Runs all work in one loop. With a timer for each request, a hundred requests would run a hundred slices in one turn of the event
 * loop.
 */
export function makeSlices({ sliceMs, maxWaitingFlags }: SliceLimits): Slices {
  const waiting = makeShares(
    { capacity: maxWaitingFlags, share: SHARE, waiting: 0, waitingPerCaller: 0, waitMs: 0 },
    holder => busyError(holder, 'flags to evaluate'),
  );
  /** The jobs by caller. The caller that is first in this map is next. */
  const queues = new Map<string, Job[]>();
  /** Milliseconds spent in this turn of the event loop. */
  let spentMs = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runTurn);
  };

  /** Returns whether the job is finished. */
  const runSlice = (job: Job): boolean => {
    const startedAt = performance.now();
    const isFinished = job.step(startedAt + sliceMs - spentMs);
    spentMs += performance.now() - startedAt;
    return isFinished;
  };

  const enqueue = (caller: string, job: Job): void => {
    const queue = queues.get(caller);
    if (queue) queue.push(job);
    else queues.set(caller, [job]);
  };

  /** Runs a slice of the next caller's next job. The caller and the job then move to the end. */
  const runNext = ([caller, queue]: [string, Job[]]): void => {
    queues.delete(caller);
    const job = queue.shift();
    if (job && runSlice(job)) job.release();
    else if (job) queue.push(job);
    if (queue.length > 0) queues.set(caller, queue);
  };

  const runTurn = (): void => {
    isScheduled = false;
    spentMs = 0;
    while (spentMs < sliceMs) {
      const [next] = queues;
      if (!next) break;
      runNext(next);
    }
    // Needed even after the last job, so that the next turn starts from zero.
    if (spentMs > 0) schedule();
  };

  const run: Slices['run'] = <T>(
    caller: string,
    work: Generator<void, T>,
    size: number,
    isWanted = () => true,
  ) =>
    new Promise<T | undefined>((resolve, reject) => {
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
      const job = { step, release: waiting.take(caller, Math.max(size, MIN_COUNTED_FLAGS)) };
      const isFree = queues.size === 0 && spentMs < sliceMs;
      if (isFree && runSlice(job)) job.release();
      else enqueue(caller, job);
      schedule();
    });

  return { run, waiting };
}
