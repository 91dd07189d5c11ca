import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';

export type ShareLimits = {
  /** Units that all callers together may hold: requests, bytes, flags. */
  capacity: number;
  /**
   * The fraction of the units not held by others that one caller may hold. With 0.6, the first caller gets at most 60 % of all
   * units and the second one 60 % of the rest, so something is always left for the next caller.
   */
  share: number;
  /** The maximum number of units of one caller, even if the others hold none. Without it, only the share counts. */
  perCaller?: number;
  /** How many requests may wait, in total and per caller, and for how long. */
  waiting: number;
  waitingPerCaller: number;
  waitMs: number;
  /**
   * Whether the server is nearly saturated. While it is, each caller runs one request at a time and pauses after each. Without this
   * function, callers never pause.
   */
  isBusy?: () => boolean;
  /**
   * How long a caller whose queue is full waits for its rejection; 0 by default. Without the delay, its clients would retry in a
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
  /** Whether the client has disconnected. If so, the request gets no units and stops waiting. */
  isGone?: () => boolean;
};

export type Shares = {
  /** Waits for units and returns the function that releases them. Calling it twice is safe. */
  acquire: (caller: string, options?: AcquireOptions) => Promise<Release>;
  /** Like `acquire`, but without waiting: returns undefined if the units are not free. */
  tryAcquire: (caller: string, cost?: number) => Release | undefined;
  /** Like `acquire`, but without waiting: throws if the units are not free. */
  take: (caller: string, cost?: number) => Release;
  /** Units that are held, and requests that wait. */
  readonly heldUnits: number;
  readonly waiting: number;
  /** How many requests got no units, by holder. */
  readonly rejected: Readonly<Record<Holder, number>>;
};

type Request = { cost: number; isGone: () => boolean; start: (release: Release) => void; leave: () => void };

/** For a client that disconnected while its request waited, so nobody reads this error. */
const clientGoneError = (): ApiError =>
  new ApiError('ServiceUnavailableError', 'The client disconnected before the request ran.');

/** After a request that took this long, its caller pauses even if the server is not busy, because PostgreSQL probably is. */
const LONG_REQUEST_MS = 250;
const PAUSE_MS = { min: 5, max: 1_000 };

const CHECK_AGAIN_MS = 100;

const neverGone = (): boolean => false;

/**
 * Divides a limited resource among callers: each gets a share, and waiting callers take turns. A caller with a thousand requests
 * therefore delays only itself. `reject` creates the error for a request that cannot run soon.
 */
export function makeShares(limits: ShareLimits, reject: (holder: Holder) => ApiError): Shares {
  const { capacity, share, perCaller = capacity, rejectAfterMs = 0, isBusy } = limits;
  const unitsByCaller = new Map<string, number>();
  const pausedCallers = new Set<string>();
  /** The waiting requests by caller. The caller that is first in this map is next. */
  const queues = new Map<string, Request[]>();
  let heldUnitCount = 0;
  let waiting = 0;
  let pendingRejectionCount = 0;
  let isScheduled = false;
  let isCheckScheduled = false;
  const rejected = { caller: 0, others: 0 };

  const recordRejection = (caller: string, cost: number): Holder => {
    const unitHolder = findHolder(caller, cost);
    rejected[unitHolder]++;
    return unitHolder;
  };

  const makeRejection = (caller: string, cost: number): ApiError => reject(recordRejection(caller, cost));

  /** A delayed rejection does not count as waiting. Otherwise, one caller could fill the queue that others wait in. */
  const makeDelayedRejection = async (caller: string, cost: number): Promise<ApiError> => {
    const error = makeRejection(caller, cost);
    if (rejectAfterMs === 0 || pendingRejectionCount >= limits.waiting) return error;
    pendingRejectionCount++;
    await sleep(rejectAfterMs);
    pendingRejectionCount--;
    return error;
  };

  const ownShare = (ownUnits: number): number =>
    Math.min(perCaller, share * (capacity - heldUnitCount + ownUnits));

  /** A caller without units gets some even if they exceed its share, because otherwise a large request could never run. */
  const mayHold = (caller: string, cost: number): boolean => {
    const ownUnits = unitsByCaller.get(caller) ?? 0;
    if (heldUnitCount + cost > capacity || pausedCallers.has(caller)) return false;
    if (ownUnits === 0) return true;
    if (ownUnits + cost > ownShare(ownUnits)) return false;
    if (!isBusy?.()) return true;
    scheduleCheck();
    return false;
  };

  /** Checks again later, because nothing else starts the waiting requests once the server is no longer busy. */
  const scheduleCheck = (): void => {
    if (isCheckScheduled) return;
    isCheckScheduled = true;
    setTimeout(() => {
      isCheckScheduled = false;
      schedule();
    }, CHECK_AGAIN_MS).unref();
  };

  const hold = (caller: string, cost: number): Release => {
    heldUnitCount += cost;
    unitsByCaller.set(caller, (unitsByCaller.get(caller) ?? 0) + cost);
    const start = performance.now();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      heldUnitCount -= cost;
      const unitsLeft = (unitsByCaller.get(caller) ?? 0) - cost;
      if (unitsLeft > 0) unitsByCaller.set(caller, unitsLeft);
      else unitsByCaller.delete(caller);
      if (waiting === 0) return;
      const elapsedMs = performance.now() - start;
      if (isBusy && queues.has(caller) && (elapsedMs > LONG_REQUEST_MS || isBusy()))
        pauseCaller(caller, elapsedMs);
      schedule();
    };
  };

  /** A caller with more waiting requests pauses for as long as its last request took. */
  const pauseCaller = (caller: string, lastRequestMs: number): void => {
    pausedCallers.add(caller);
    setTimeout(
      () => {
        pausedCallers.delete(caller);
        schedule();
      },
      Math.min(Math.max(lastRequestMs, PAUSE_MS.min), PAUSE_MS.max),
    ).unref();
  };

  // Waits for the next turn of the event loop. Otherwise, requests that finish immediately would all run before the loop serves
  // any socket.
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
    } while (hasStarted && heldUnitCount < capacity);
  };

  /** Starts the caller's next request if its units are free, and puts the caller last. Returns whether a request was started. */
  const startNext = (caller: string): boolean => {
    const queue = queues.get(caller);
    while (queue?.[0]?.isGone()) queue[0].leave();
    const next = queue?.[0];
    if (!queue || !next || !mayHold(caller, next.cost)) return false;
    const release = hold(caller, next.cost);
    next.start(release);
    if (queue.length > 0) {
      queues.delete(caller);
      queues.set(caller, queue);
    }
    return true;
  };

  const findHolder = (caller: string, cost: number): Holder => {
    const ownUnits = unitsByCaller.get(caller) ?? 0;
    if (ownUnits > 0 && ownUnits + cost > ownShare(ownUnits)) return 'caller';
    const isFull = heldUnitCount + cost > capacity || (waiting > 0 && waiting >= limits.waiting);
    // If units are free, the request waits because its own caller has other requests or is paused.
    const isOwnFault = ownUnits > 0 || pausedCallers.has(caller) || queues.has(caller);
    return isOwnFault && !isFull ? 'caller' : 'others';
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
          rejectRequest(clientGoneError());
        },
      };
      const timer = setTimeout(() => {
        remove();
        rejectRequest(isGone() ? clientGoneError() : makeRejection(caller, cost));
      }, limits.waitMs);
      waiting++;
      queue.push(request);
      queues.set(caller, queue);
    });

  return {
    acquire: async (caller, { cost = 1, isGone = neverGone } = {}) => {
      const queue = queues.get(caller);
      if (queue === undefined && mayHold(caller, cost)) return hold(caller, cost);
      if (waiting >= limits.waiting || cost > capacity) throw makeRejection(caller, cost);
      if ((queue?.length ?? 0) >= limits.waitingPerCaller) throw await makeDelayedRejection(caller, cost);
      return await wait(caller, cost, isGone);
    },
    rejected,
    tryAcquire: (caller, cost = 1) => {
      if (mayHold(caller, cost)) return hold(caller, cost);
      recordRejection(caller, cost);
      return undefined;
    },
    take: (caller, cost = 1) => {
      if (mayHold(caller, cost)) return hold(caller, cost);
      throw makeRejection(caller, cost);
    },
    get heldUnits() {
      return heldUnitCount;
    },
    get waiting() {
      return waiting;
    },
  };
}
