import { tooManyRequests } from '../errors.ts';
import type { AdmissionCounts } from './metrics.ts';

/**
 * Starts the requests from one network a few at a time. Otherwise, the event loop would start every request that has arrived
 * before doing anything else, and a client with 500 connections would make everybody wait for 500 requests in every turn.
 */
export type NetworkQueues = AdmissionCounts & {
  /** Calls `begin` immediately or in a later turn of the event loop. Throws if too many requests from the network are waiting. */
  enqueue: (network: string, begin: () => void) => void;
};

/** Most requests keep the event loop busy for 0.1 to 0.4 ms before they wait for something. */
const CONCURRENCY = 16;
/** The maximum number of requests from one network that may wait. */
const MAX_WAITING = 4_096;
const RETRY_AFTER_SECONDS = 2;

export function makeNetworkQueues(concurrency = CONCURRENCY, maxWaiting = MAX_WAITING): NetworkQueues {
  /** The number of requests that have started in this turn of the event loop, by network. */
  const startedRequests = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  const rejected = { caller: 0, others: 0 };
  let isTurnScheduled = false;

  const count = (network: string, requests: number): void => {
    startedRequests.set(network, requests);
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    setImmediate(startTurn);
  };

  const startTurn = (): void => {
    isTurnScheduled = false;
    startedRequests.clear();
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
    enqueue: (network, begin) => {
      const queue = queues.get(network);
      const started = startedRequests.get(network) ?? 0;
      if (!queue && started < concurrency) {
        count(network, started + 1);
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
