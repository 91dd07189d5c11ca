import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';

export type ShareLimits = {
  /** Units that all callers together may hold: requests, bytes, flags. */
  capacity: number;
  /**
   * The part of the units not held by others that one caller may hold. With 0.6, the first caller gets at most 60 % of all units, the
   * second one 60 % of the rest, so something is left for the next caller.
   */
  share: number;
  /** The maximum number of units of one caller, even if the others hold none. Without it, only the share counts. */
  perCaller?: number;
  /** How many requests may wait, in total and per caller, and for how long. */
  waiting: number;
  waitingPerCaller: number;
  waitMs: number;
  /**
   * Whether the server is nearly saturated. Each caller then runs one request at a time and pauses after each. Without this
   * function, callers never pause.
   */
  isBusy?: () => boolean;
  /**
   * How long a caller whose queue is full waits for its rejection; no time by default. Its clients would otherwise retry in a
   * tight loop.
   */
  rejectAfterMs?: number;
};

/** Who holds the units that a rejected request needs: its own caller, or other callers. */
export type Holder = 'caller' | 'others';

export type Release = () => void;

export type AcquireOptions = {
  /** How many units the request takes; 1 by default. */
  cost?: number;
  /** Whether the client has disconnected. Then the request gets no units, and nobody waits for it. */
  isGone?: () => boolean;
};

export type Shares = {
  /** Waits for units and returns the function that releases them. Calling it twice is safe. */
  acquire: (caller: string, options?: AcquireOptions) => Promise<Release>;
  /** The same without waiting: undefined if the units are not free. */
  tryAcquire: (caller: string, cost?: number) => Release | undefined;
  /** The same without waiting: throws if the units are not free. */
  take: (caller: string, cost?: number) => Release;
  /** Units that are held, and requests that wait. */
  readonly held: number;
  readonly waiting: number;
  /** How many requests got no units, by holder. */
  readonly rejected: Readonly<Record<Holder, number>>;
};

type Request = { cost: number; isGone: () => boolean; start: (release: Release) => void; leave: () => void };

/** A client that disconnected while its request waited. Nobody reads this error. */
const clientGone = (): ApiError =>
  new ApiError('ServiceUnavailableError', 'The client disconnected before the request ran.');

/** After a request that took this long, its caller pauses even if the server is not busy: PostgreSQL probably is. */
const LONG_MS = 250;
const REST_MS = { least: 5, most: 1_000 };

const LOOK_AGAIN_MS = 100;

const neverGone = (): boolean => false;

/**
 * Divides a limited resource among callers: each gets a share, and waiting callers take turns. A caller with a thousand requests
 * therefore delays only itself. `reject` creates the error for a request that cannot run soon.
 */
export function makeShares(limits: ShareLimits, reject: (holder: Holder) => ApiError): Shares {
  const { capacity, share, perCaller = capacity, rejectAfterMs = 0, isBusy } = limits;
  const heldBy = new Map<string, number>();
  const resting = new Set<string>();
  /** The waiting requests by caller. The caller that is first in this map is next. */
  const queues = new Map<string, Request[]>();
  let held = 0;
  let waiting = 0;
  let rejecting = 0;
  let isScheduled = false;
  let isLookingAgain = false;
  const rejected = { caller: 0, others: 0 };

  const countRejected = (caller: string, cost: number): Holder => {
    const by = holder(caller, cost);
    rejected[by]++;
    return by;
  };

  const rejection = (caller: string, cost: number): ApiError => reject(countRejected(caller, cost));

  /** Not counted as waiting, because otherwise one caller could take the slots in which others wait. */
  const lateRejection = async (caller: string, cost: number): Promise<ApiError> => {
    const error = rejection(caller, cost);
    if (rejectAfterMs === 0 || rejecting >= limits.waiting) return error;
    rejecting++;
    await sleep(rejectAfterMs);
    rejecting--;
    return error;
  };

  const ownShare = (own: number): number => Math.min(perCaller, share * (capacity - held + own));

  /** A caller without units gets some even if they exceed its share, because otherwise a large request could never run. */
  const isFree = (caller: string, cost: number): boolean => {
    const own = heldBy.get(caller) ?? 0;
    if (held + cost > capacity || resting.has(caller)) return false;
    if (own === 0) return true;
    if (own + cost > ownShare(own)) return false;
    if (!isBusy?.()) return true;
    scheduleCheck();
    return false;
  };

  /** Checks again later, because nothing else starts the waiting requests once the server is no longer busy. */
  const scheduleCheck = (): void => {
    if (isLookingAgain) return;
    isLookingAgain = true;
    setTimeout(() => {
      isLookingAgain = false;
      schedule();
    }, LOOK_AGAIN_MS).unref();
  };

  const hold = (caller: string, cost: number): Release => {
    held += cost;
    heldBy.set(caller, (heldBy.get(caller) ?? 0) + cost);
    const start = performance.now();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      held -= cost;
      const left = (heldBy.get(caller) ?? 0) - cost;
      if (left > 0) heldBy.set(caller, left);
      else heldBy.delete(caller);
      if (waiting === 0) return;
      const ms = performance.now() - start;
      if (isBusy && queues.has(caller) && (ms > LONG_MS || isBusy())) rest(caller, ms);
      schedule();
    };
  };

  /** A caller with more waiting requests pauses for as long as its last request took. */
  const rest = (caller: string, ms: number): void => {
    resting.add(caller);
    setTimeout(
      () => {
        resting.delete(caller);
        schedule();
      },
      Math.min(Math.max(ms, REST_MS.least), REST_MS.most),
    ).unref();
  };

  // Not in the same turn, because requests that finish immediately would otherwise run one after the other before the event loop
  // serves a socket.
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(startWaiting);
  };

  const startWaiting = (): void => {
    isScheduled = false;
    let hasStarted: boolean;
    do {
      hasStarted = false;
      for (const caller of [...queues.keys()]) hasStarted = startNext(caller) || hasStarted;
    } while (hasStarted && held < capacity);
  };

  /** Starts the caller's next request if its units are free, and puts the caller last. Returns whether it did. */
  const startNext = (caller: string): boolean => {
    const queue = queues.get(caller);
    while (queue?.[0]?.isGone()) queue[0].leave();
    const next = queue?.[0];
    if (!queue || !next || !isFree(caller, next.cost)) return false;
    const release = hold(caller, next.cost);
    next.start(release);
    if (queue.length > 0) {
      queues.delete(caller);
      queues.set(caller, queue);
    }
    return true;
  };

  const holder = (caller: string, cost: number): Holder => {
    const own = heldBy.get(caller) ?? 0;
    return own > 0 && own + cost > ownShare(own) ? 'caller' : 'others';
  };

  const wait = (caller: string, cost: number, isGone: () => boolean): Promise<Release> =>
    new Promise((resolve, rejectRequest) => {
      const queue = queues.get(caller) ?? [];
      const remove = (): void => {
        clearTimeout(timer);
        waiting--;
        queue.splice(queue.indexOf(request), 1);
        if (queue.length === 0) queues.delete(caller);
      };
      const request: Request = {
        cost,
        isGone,
        start: release => {
          remove();
          resolve(release);
        },
        leave: () => {
          remove();
          rejectRequest(clientGone());
        },
      };
      const timer = setTimeout(() => {
        remove();
        rejectRequest(isGone() ? clientGone() : rejection(caller, cost));
      }, limits.waitMs);
      waiting++;
      queue.push(request);
      queues.set(caller, queue);
    });

  return {
    acquire: async (caller, { cost = 1, isGone = neverGone } = {}) => {
      const queue = queues.get(caller);
      if (queue === undefined && isFree(caller, cost)) return hold(caller, cost);
      if (waiting >= limits.waiting || cost > capacity) throw rejection(caller, cost);
      if ((queue?.length ?? 0) >= limits.waitingPerCaller) throw await lateRejection(caller, cost);
      return await wait(caller, cost, isGone);
    },
    rejected,
    tryAcquire: (caller, cost = 1) => {
      if (isFree(caller, cost)) return hold(caller, cost);
      countRejected(caller, cost);
      return undefined;
    },
    take: (caller, cost = 1) => {
      if (isFree(caller, cost)) return hold(caller, cost);
      throw rejection(caller, cost);
    },
    get held() {
      return held;
    },
    get waiting() {
      return waiting;
    },
  };
}
