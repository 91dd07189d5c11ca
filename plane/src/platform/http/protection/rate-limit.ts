import { BoundedMap } from '../../bounded-map.ts';
import { formatCount, tooManyRequests } from '../../errors.ts';
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
 * personal: needs no permission, so any user can cause its events. bulk: writes an event for each of many features. transfer:
 * reads or writes whole features, up to several megabytes.
 */
export const COST = { personal: 5, bulk: 10, transfer: 20 } as const;

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
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
      `Too many writes: this server accepts ${limit.perMinute} per minute from one caller. Retry in ${formatCount(seconds, 'second')}.`,
      seconds,
    );
  });
  app.addHook('onRequest', async ({ method, caller, routeOptions }) => {
    if (caller === '' || READ_METHODS.has(method) || routeOptions.url === undefined) return;
    app.takeWrites(caller, routeOptions.config.cost ?? 1);
  });
}

/** Takes the cost from the caller's bucket. Returns 0, or the seconds after which the bucket holds enough. */
type Take = (caller: string, cost: number) => number;

/**
 * One token bucket for each caller, in this process alone. A caller without a bucket starts with a full one. So when there are
 * too many buckets, the least recently used one can be dropped, because it has had the most time to refill.
 */
export function makeBuckets(
  { perMinute, burst }: WriteLimit,
  now: () => number = () => performance.now(),
  maxCallers = MAX_CALLERS,
): Take {
  const buckets = new BoundedMap<string, { tokens: number; updatedAt: number }>(maxCallers);
  const perMs = perMinute / 60_000;
  return (caller, cost) => {
    const time = now();
    const bucket = buckets.get(caller) ?? { tokens: burst, updatedAt: time };
    const tokens = Math.min(burst, bucket.tokens + (time - bucket.updatedAt) * perMs);
    // A request that costs more than a full bucket requires a full one.
    const neededTokens = Math.min(cost, burst);
    const hasEnough = tokens >= neededTokens;
    buckets.set(caller, { tokens: hasEnough ? tokens - neededTokens : tokens, updatedAt: time });
    return hasEnough ? 0 : Math.ceil((neededTokens - tokens) / perMs / 1_000);
  };
}
