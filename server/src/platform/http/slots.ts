import { ApiError } from '../errors.ts';

export type SlotSettings = {
  /** How many may run at once, of all callers and of one. */
  running: number;
  runningPerCaller: number;
  /** How many requests of one caller may wait, and how long. */
  waitingPerCaller: number;
  waitMs: number;
};

type Waiting = { caller: string; start: () => void };

/** `take` waits for a slot and returns what gives it back. */
export type Slots = { take: (caller: string) => Promise<() => void> };

/**
 * Lets a few requests run at once. One caller gets only some of the slots and of the queue, so that it cannot keep the
 * others waiting. A request that cannot run soon is rejected with 503.
 */
export function makeSlots(settings: SlotSettings): Slots {
  const running: string[] = [];
  const waiting: Waiting[] = [];

  const countRunning = (caller: string) => running.filter(one => one === caller).length;
  const hasAll = (caller: string) => countRunning(caller) >= settings.runningPerCaller;
  const isFree = (caller: string) => running.length < settings.running && !hasAll(caller);

  /** Occupies a slot and returns what gives it back; the second call of that does nothing. */
  const occupy = (caller: string) => {
    running.push(caller);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      running.splice(running.indexOf(caller), 1);
      startNext();
    };
  };
  /** The caller with the fewest running requests is next, and of its requests the first. */
  const startNext = () => {
    const [next] = waiting
      .filter(({ caller }) => isFree(caller))
      .toSorted((a, b) => countRunning(a.caller) - countRunning(b.caller));
    if (!next) return;
    waiting.splice(waiting.indexOf(next), 1);
    next.start();
  };
  const wait = (caller: string) =>
    new Promise<() => void>((resolve, reject) => {
      const entry = {
        caller,
        start: () => {
          clearTimeout(timer);
          resolve(occupy(caller));
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(hasAll(caller) ? tooManyOfCaller(settings) : busy());
      }, settings.waitMs);
      waiting.push(entry);
    });

  return {
    take: async caller => {
      if (isFree(caller)) return occupy(caller);
      const own = waiting.filter(one => one.caller === caller).length;
      if (own >= settings.waitingPerCaller) throw hasAll(caller) ? tooManyOfCaller(settings) : busy();
      return await wait(caller);
    },
  };
}

const RETRY_AFTER_SECONDS = 5;

const tooManyOfCaller = ({ runningPerCaller }: SlotSettings): ApiError =>
  unavailable(
    `Too many large reads: this server runs ${runningPerCaller} at once for one caller. Send fewer of them at once, and retry after the time in Retry-After.`,
  );

const busy = (): ApiError =>
  unavailable('The server is busy with large reads of other callers. Retry after the time in Retry-After.');

const unavailable = (why: string): ApiError =>
  new ApiError('ServiceUnavailableError', why, { retryAfter: RETRY_AFTER_SECONDS });
