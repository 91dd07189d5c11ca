import { tooManyRequests } from '../errors.ts';
import type { Rejections } from './metrics.ts';

/**
 * Starts the requests of one network a few at a time. Otherwise the event loop would start everything that has arrived before it
 * does anything else, and a client with 500 connections would make everybody wait for 500 requests in every turn.
 */
export type Arrivals = Rejections & {
  /** Calls `begin` immediately or in a later turn of the event loop. Throws if too many requests of the network are waiting. */
  arrive: (network: string, begin: () => void) => void;
};

/** Most requests keep the event loop busy for 0.1 to 0.4 ms before they wait for something. */
const CONCURRENCY = 16;
/** As many connections as may wait to be accepted. */
const MAX_WAITING = 4_096;
const RETRY_AFTER_SECONDS = 2;

export function makeArrivals(concurrency = CONCURRENCY, maxWaiting = MAX_WAITING): Arrivals {
  /** How many requests began in this turn of the event loop. */
  const begun = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  const rejected = { caller: 0, others: 0 };
  let isTurnScheduled = false;

  const count = (network: string, requests: number): void => {
    begun.set(network, requests);
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    setImmediate(startTurn);
  };

  const startTurn = (): void => {
    isTurnScheduled = false;
    begun.clear();
    for (const [network, queue] of queues) {
      const next = queue.splice(0, concurrency);
      if (queue.length === 0) queues.delete(network);
      count(network, next.length);
      for (const begin of next) begin();
    }
  };

  return {
    rejected,
    get waiting() {
      return [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
    },
    arrive: (network, begin) => {
      const queue = queues.get(network);
      const already = begun.get(network) ?? 0;
      if (!queue && already < concurrency) {
        count(network, already + 1);
        begin();
      } else if (!queue) queues.set(network, [begin]);
      else if (queue.length < maxWaiting) queue.push(begin);
      else {
        rejected.caller++;
        throw tooManyRequests(
          `Too many requests at a time: ${maxWaiting.toLocaleString('en')} from this network are already waiting. Send fewer requests at a time.`,
          RETRY_AFTER_SECONDS,
        );
      }
    },
  };
}
