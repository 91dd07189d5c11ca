import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';

const LOOKUPS_PER_SECOND = 10;
/** How long a token that is unknown upstream is rejected without another lookup. */
const REJECTED_FOR_MS = 60_000;
const MAX_REJECTIONS = 10_000;

/**
 * Looks up unknown tokens upstream, once for each hash and at most 10 times a second, so that random tokens do not
 * overload upstream. Throws if the limit is reached, in which case SDKs get a 503.
 */
export function limitLookups<T extends { token: object | null }>(
  lookUp: (hash: string) => Promise<T>,
  /** Whether a response is as recent as the edge's own state. Edges that read from this one ignore older responses. */
  isCurrent: (response: T) => boolean,
  now: () => number = () => performance.now(),
): (hash: string) => Promise<T> {
  const rejections = new BoundedMap<string, { response: T; expiresAt: number }>(MAX_REJECTIONS);
  const pendingLookups = new Map<string, Promise<T>>();
  let remaining = LOOKUPS_PER_SECOND;
  let filledAt = now();

  const take = (): boolean => {
    remaining = Math.min(LOOKUPS_PER_SECOND, remaining + ((now() - filledAt) / 1_000) * LOOKUPS_PER_SECOND);
    filledAt = now();
    if (remaining < 1) return false;
    remaining--;
    return true;
  };

  return async hash => {
    const rejection = rejections.get(hash);
    if (rejection && rejection.expiresAt > now() && isCurrent(rejection.response)) return rejection.response;
    const pendingLookup = pendingLookups.get(hash);
    if (pendingLookup !== undefined) return await pendingLookup;
    if (!take()) throw new Error('Too many unknown tokens');
    const lookup = lookUp(hash)
      .then(response => {
        if (response.token === null) rejections.set(hash, { response, expiresAt: now() + REJECTED_FOR_MS });
        return response;
      })
      .finally(() => pendingLookups.delete(hash));
    pendingLookups.set(hash, lookup);
    return await lookup;
  };
}
