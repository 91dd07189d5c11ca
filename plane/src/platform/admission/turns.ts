import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeShares } from './shares.ts';

/** The amount of waiting work is limited where it is accepted, so nothing is rejected here. */
const LIMITS = {
  capacity: 1,
  share: 1,
  waiting: Number.POSITIVE_INFINITY,
  waitingPerCaller: Number.POSITIVE_INFINITY,
  waitMs: 600_000,
};

/** Runs each step of long work in its own turn of the event loop, so that requests and the work of other callers run in between. */
export type RunInTurn = <T>(caller: string, step: () => T) => Promise<T>;

/** Callers with long work alternate, step by step. */
export function makeTurns(): RunInTurn {
  const turns = makeShares(LIMITS, () => {
    throw new Error('A step waited 10 minutes for its turn');
  });
  return async (caller, step) => {
    const release = await turns.acquire(caller);
    try {
      await nextTurn();
      return step();
    } finally {
      release();
    }
  };
}
