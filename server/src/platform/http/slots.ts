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

/**
 * Lets a few requests run at once. One caller gets only some of the slots and of the queue, so that it cannot keep the
 * others waiting. A request that cannot run soon is rejected with 503.
 */
export function makeSlots(settings: SlotSettings): { take: (caller: string) => Promise<() => void> } {
  const running: string[] = [];
  const waiting: Waiting[] = [];

  const isFree = (caller: string) =>
    running.length < settings.running &&
    running.filter(one => one === caller).length < settings.runningPerCaller;

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
  const startNext = () => {
    const next = waiting.findIndex(({ caller }) => isFree(caller));
    if (next >= 0) waiting.splice(next, 1)[0]?.start();
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
        reject(tooMany());
      }, settings.waitMs);
      waiting.push(entry);
    });

  return {
    take: async caller => {
      if (isFree(caller)) return occupy(caller);
      const own = waiting.filter(one => one.caller === caller).length;
      if (own >= settings.waitingPerCaller) throw tooMany();
      return await wait(caller);
    },
  };
}

const tooMany = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'Too many large reads are running. Send fewer of them at once, and retry after the time in Retry-After.',
    { retryAfter: 5 },
  );
