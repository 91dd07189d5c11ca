import { formatCount, tooManyRequests } from '../../platform/errors.ts';
import { makeBuckets } from '../../platform/http/protection/rate-limit.ts';
import type { Scope } from '../state/scope.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import type { StreamLimits } from './limits.ts';

/** A delta that spans this many revisions is about as large as a hydration. */
const FAR_BEHIND_REVISIONS = 1_000;
const MAX_ID_LENGTH = 100;

type Limits = Pick<StreamLimits, 'hydrationsPerClient' | 'hydrationsPerTokenAndMinute' | 'streams'>;
type Client = { token: SdkToken; connectionId: string | undefined; revision: number | undefined };

/**
 * Throws 429 for a client that hydrates too often, such as an SDK that cannot write its backup file and reconnects 200 times per
 * second, each time without an id. Resumed streams do not count, so all clients can reconnect at the same time after a restart.
 */
export function makeHydrationLimit({ hydrationsPerClient, hydrationsPerTokenAndMinute, streams }: Limits) {
  const takeForClient = makeBuckets(hydrationsPerClient);
  const takeForToken = makeBuckets({ perMinute: hydrationsPerTokenAndMinute, burst: streams });
  return ({ token, connectionId, revision }: Client, scope: Scope): void => {
    if (revision !== undefined && scope.revision - revision < FAR_BEHIND_REVISIONS) return;
    const isKnown = connectionId !== undefined && connectionId !== '' && connectionId.length <= MAX_ID_LENGTH;
    const seconds =
      (isKnown && takeForClient(`${token.id} ${connectionId}`, 1)) || takeForToken(`${token.id}`, 1);
    if (seconds === 0) return;
    throw tooManyRequests(
      `Too many hydrations: this client keeps reading everything from the start. Send the Last-Event-ID, or retry in ${formatCount(seconds, 'second')}. Poll GET /api/client/features until then.`,
      seconds,
    );
  };
}
