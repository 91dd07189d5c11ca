import type { Release, Shares } from '../../platform/admission/shares.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { SdkToken } from '../tokens/tokens.ts';

/** How long the server remembers a rejected client, and how many it remembers. */
const REMEMBERED_MS = 3_600_000;
const MAX_REMEMBERED = 50_000;
/** How long a slot is reserved for a client that was invited. */
const RESERVED_MS = 30_000;
const MAX_ID_LENGTH = 100;

export type StreamSlots = {
  /** Returns a slot for a stream. If none is free, remembers the client and returns undefined. */
  admit: (token: SdkToken, connectionId: string | undefined) => Release | undefined;
  /** Returns whether to invite a polling client to stream, which happens once per rejection and reserves a slot. */
  invite: (token: SdkToken, connectionId: string | undefined) => boolean;
};

/**
 * Decides which clients stream and which poll. If an SDK is invited and then rejected again, it polls twice as often from then on,
 * so the server reserves a slot for each client it invites, and invites only clients that it has rejected itself.
 */
export function makeStreamSlots(max: number, invitedAfterMs: number, streams: Shares): StreamSlots {
  /** When each client was rejected, and the reserved slots with the end of each reservation. Both are sorted, oldest first. */
  const rejections = new BoundedMap<string, number>(MAX_REMEMBERED);
  const reservations = new Map<string, { reservedUntil: number; release: Release }>();
  /** Invitations leave a tenth of the slots free for clients that reconnect. */
  const maxInvited = max - Math.floor(max / 10);

  const getSlotKey = ({ id }: SdkToken, connectionId: string | undefined): string | undefined =>
    connectionId === undefined || connectionId === '' || connectionId.length > MAX_ID_LENGTH
      ? undefined
      : `${id} ${connectionId}`;

  const endReservations = (): void => {
    for (const [key, { reservedUntil, release }] of reservations) {
      if (reservedUntil >= Date.now()) return;
      reservations.delete(key);
      release();
    }
  };

  const forgetRejections = (): void => {
    for (const [key, rejectedAt] of rejections) {
      if (rejectedAt >= Date.now() - REMEMBERED_MS) return;
      rejections.delete(key);
    }
  };

  return {
    admit: (token, connectionId) => {
      endReservations();
      const key = getSlotKey(token, connectionId);
      const reservation = key === undefined ? undefined : reservations.get(key);
      if (key !== undefined && reservation) {
        reservations.delete(key);
        return reservation.release;
      }
      const slot = streams.tryAcquire(`${token.id}`);
      if (slot || key === undefined) return slot;
      rejections.set(key, Date.now());
      return undefined;
    },
    invite: (token, connectionId) => {
      if (rejections.size === 0) return false;
      forgetRejections();
      const key = getSlotKey(token, connectionId);
      const rejectedAt = key === undefined ? undefined : rejections.get(key);
      if (key === undefined || rejectedAt === undefined || Date.now() - rejectedAt < invitedAfterMs)
        return false;
      endReservations();
      const release = streams.heldUnits < maxInvited ? streams.tryAcquire(`${token.id}`) : undefined;
      if (!release) return false;
      rejections.delete(key);
      reservations.set(key, { reservedUntil: Date.now() + RESERVED_MS, release });
      return true;
    },
  };
}
