import type { Release, Shares } from '../../platform/admission/shares.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { SdkToken } from '../tokens/tokens.ts';

/** How long a rejected client is remembered, and how many of them are. */
const REMEMBERED_MS = 3_600_000;
const MAX_REMEMBERED = 50_000;
/** How long a slot is reserved for a client that was invited. */
const RESERVED_MS = 30_000;
const MAX_ID_LENGTH = 100;

export type StreamSlots = {
  /** A slot for a stream of the client, or undefined if none is free. The client is then remembered. */
  admit: (token: SdkToken, connectionId: string | undefined) => Release | undefined;
  /** Whether a client that polls is invited to stream: once after each rejection, and a slot is reserved for it. */
  invite: (token: SdkToken, connectionId: string | undefined) => boolean;
};

/**
 * Decides which clients stream and which poll. An SDK that was invited and rejected again polls twice as often from then on, so
 * only clients whose rejection this server remembers are invited.
 */
export function makeStreamSlots(most: number, invitedAfterMs: number, streams: Shares): StreamSlots {
  /** Times of the rejections, and reserved slots with the end of the reservation. The oldest come first. */
  const rejected = new BoundedMap<string, number>(MAX_REMEMBERED);
  const reserved = new Map<string, { until: number; release: Release }>();
  /** Invitations leave a tenth of the slots free for clients that reconnect. */
  const mostInvited = most - Math.floor(most / 10);

  const keyOf = ({ id }: SdkToken, connectionId: string | undefined): string | undefined =>
    connectionId === undefined || connectionId === '' || connectionId.length > MAX_ID_LENGTH
      ? undefined
      : `${id} ${connectionId}`;

  const endReservations = (): void => {
    for (const [key, { until, release }] of reserved) {
      if (until >= Date.now()) return;
      reserved.delete(key);
      release();
    }
  };

  const forgetRejections = (): void => {
    for (const [key, at] of rejected) {
      if (at >= Date.now() - REMEMBERED_MS) return;
      rejected.delete(key);
    }
  };

  return {
    admit: (token, connectionId) => {
      endReservations();
      const key = keyOf(token, connectionId);
      const own = key === undefined ? undefined : reserved.get(key);
      if (key !== undefined && own) {
        reserved.delete(key);
        return own.release;
      }
      const slot = streams.tryAcquire(`${token.id}`);
      if (slot || key === undefined) return slot;
      rejected.set(key, Date.now());
      return undefined;
    },
    invite: (token, connectionId) => {
      if (rejected.size === 0) return false;
      forgetRejections();
      const key = keyOf(token, connectionId);
      const at = key === undefined ? undefined : rejected.get(key);
      if (key === undefined || at === undefined || Date.now() - at < invitedAfterMs) return false;
      endReservations();
      const release = streams.held < mostInvited ? streams.tryAcquire(`${token.id}`) : undefined;
      if (!release) return false;
      rejected.delete(key);
      reserved.set(key, { until: Date.now() + RESERVED_MS, release });
      return true;
    },
  };
}
