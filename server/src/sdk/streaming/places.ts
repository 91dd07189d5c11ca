import type { SdkToken } from '../tokens/tokens.ts';

/** A token may take so many times the places that are left: four fifths of all places, and fewer the fewer are left. */
const TIMES_LEFT = 4;
/** How long a rejected client is remembered, and how many of them are. */
const REMEMBERED_MS = 3_600_000;
const MOST_REMEMBERED = 50_000;
/** How long a place is reserved for a client that was invited. */
const RESERVED_MS = 30_000;
const MAX_ID_LENGTH = 100;

export type Places = {
  /** Whether the client may open a stream now. If not, it is remembered. */
  admit: (token: SdkToken, ofToken: number, connectionId: string | undefined) => boolean;
  /** Whether a client that polls is invited to stream: once after each rejection, and a place is reserved for it. */
  invite: (token: SdkToken, ofToken: number, connectionId: string | undefined) => boolean;
};

/**
 * Decides which clients stream and which poll. An SDK that was invited and rejected again polls twice as often from then on, so
 * only clients whose rejection this server remembers are invited.
 */
export function makePlaces(most: number, invitedAfterMs: number, taken: () => number): Places {
  /** Times of the rejections and ends of the reservations. The oldest come first. */
  const rejected = new Map<string, number>();
  const reserved = new Map<string, number>();
  /** Invitations leave a tenth of the places free for clients that reconnect. */
  const mostInvited = most - Math.floor(most / 10);

  const keyOf = ({ id }: SdkToken, connectionId: string | undefined): string | undefined =>
    connectionId === undefined || connectionId === '' || connectionId.length > MAX_ID_LENGTH
      ? undefined
      : `${id} ${connectionId}`;

  const left = (limit: number): number => {
    dropBefore(reserved, Date.now());
    return limit - taken() - reserved.size;
  };

  return {
    admit: (token, ofToken, connectionId) => {
      const key = keyOf(token, connectionId);
      if (key !== undefined && reserved.delete(key)) return true;
      if (ofToken < TIMES_LEFT * left(most)) return true;
      if (key !== undefined) {
        rejected.delete(key);
        const [oldest] = rejected.keys();
        if (rejected.size >= MOST_REMEMBERED && oldest !== undefined) rejected.delete(oldest);
        rejected.set(key, Date.now());
      }
      return false;
    },
    invite: (token, ofToken, connectionId) => {
      if (rejected.size === 0) return false;
      dropBefore(rejected, Date.now() - REMEMBERED_MS);
      const key = keyOf(token, connectionId);
      const at = key === undefined ? undefined : rejected.get(key);
      if (key === undefined || at === undefined || Date.now() - at < invitedAfterMs) return false;
      if (ofToken >= TIMES_LEFT * left(mostInvited)) return false;
      rejected.delete(key);
      reserved.set(key, Date.now() + RESERVED_MS);
      return true;
    },
  };
}

function dropBefore(times: Map<string, number>, limit: number): void {
  for (const [key, time] of times) {
    if (time >= limit) return;
    times.delete(key);
  }
}
