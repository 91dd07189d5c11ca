import { BoundedMap } from '../../bounded-map.ts';
import { counted, tooManyRequests } from '../../errors.ts';
import type { App } from '../app.ts';

/** Writes that a caller may make per minute on average, and in a burst after a pause. 0 per minute: no limit. */
export type WriteLimit = { perMinute: number; burst: number };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many writes a call counts as; 1 by default. */
    cost?: number;
  }
  interface FastifyInstance {
    /** Counts writes of a caller, or rejects them. For requests whose number of writes is in their body. */
    takeWrites: (caller: string, cost: number) => void;
  }
}

/**
 * personal: needs no permission, so that every user may write its events. bulk: writes an event for each of many features.
 * transfer: reads or writes whole features, up to megabytes.
 */
export const COST = { personal: 5, bulk: 10, transfer: 20 } as const;

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const MAX_CALLERS = 10_000;

/**
 * Events are kept permanently, so nobody may write an unlimited number of them, not even a Viewer with favorites and tags. Runs
 * after the guard, which identifies the caller: a user or service account with all its tokens and sessions, or one admin token.
 */
export function installWriteLimit(app: App, limit: WriteLimit): void {
  const take = limit.perMinute === 0 ? () => 0 : makeBuckets(limit);
  app.decorate('takeWrites', (caller: string, cost: number) => {
    const seconds = take(caller, cost);
    if (seconds === 0) return;
    throw tooManyRequests(
      `Too many writes: this server accepts ${limit.perMinute} per minute from one caller. Retry in ${counted(seconds, 'second')}.`,
      seconds,
    );
  });
  app.addHook('onRequest', async ({ method, caller, routeOptions }) => {
    if (caller === '' || READS.has(method) || routeOptions.url === undefined) return;
    app.takeWrites(caller, routeOptions.config.cost ?? 1);
  });
}

/** Takes from the caller's bucket; returns 0, or the seconds after which it holds enough. */
type Take = (caller: string, cost: number) => number;

/**
 * One token bucket for each caller, in this process alone. A caller without a bucket has a full one. So when there are too many,
 * the least recently used bucket can be dropped, because it is the fullest.
 */
export function makeBuckets(
  { perMinute, burst }: WriteLimit,
  now: () => number = () => performance.now(),
  maxCallers = MAX_CALLERS,
): Take {
  const buckets = new BoundedMap<string, { tokens: number; at: number }>(maxCallers);
  const perMs = perMinute / 60_000;
  return (caller, cost) => {
    const at = now();
    const before = buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, before.tokens + (at - before.at) * perMs);
    // A request that costs more than a full bucket requires a full one.
    const needed = Math.min(cost, burst);
    const enough = tokens >= needed;
    buckets.set(caller, { tokens: enough ? tokens - needed : tokens, at });
    return enough ? 0 : Math.ceil((needed - tokens) / perMs / 1_000);
  };
}
