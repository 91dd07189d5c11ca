import type { KnownClient } from '../serving/positions.ts';
import type { Clients } from './clients.ts';

/**
 * An SDK that loses 5 streams within a minute falls back to polling. So a client is asked at most 3 times in a row, if callers
 * wait for several changes, and then every 35 s, which is at most 4 times within a minute.
 */
const ASKS = 3;
const ASK_AGAIN_MS = 35_000;
/** How many streams are ended at a time. Accepting one again takes 0.2 ms, or 1.4 ms with TLS. */
const MAX_ASKED = 50;

type AskOptions = {
  /** Only clients that were not asked for this long. */
  quietMs?: number;
  most?: number;
};

/**
 * Ends streams whose clients have not confirmed a revision of their environment, so that they reconnect and present what they have.
 */
export function makeAskStreams(
  clients: Pick<Clients, 'ask'>,
  onAsked: () => void = () => {},
): (wanted: ReadonlyMap<string, number>, options?: AskOptions) => void {
  const asks = makeAsks();
  return (wanted, { quietMs = 0, most = MAX_ASKED } = {}) => {
    const now = performance.now();
    clients.ask((client, environment) => {
      if (client.revision >= (wanted.get(environment) ?? 0) || !asks.take(client, now, quietMs)) return false;
      onAsked();
      return true;
    }, most);
  };
}

/** How often each client was asked. */
export function makeAsks() {
  /** When the client was asked last, and when all of its asks are available again. */
  const known = new WeakMap<KnownClient, { at: number; fullAt: number }>();
  return {
    /** Whether the client may be asked now, and was not asked for some time. */
    take: (client: KnownClient, now: number, quietMs: number): boolean => {
      const { at, fullAt } = known.get(client) ?? { at: -quietMs, fullAt: now };
      if (now - at < quietMs || fullAt - now > (ASKS - 1) * ASK_AGAIN_MS) return false;
      known.set(client, { at: now, fullAt: Math.max(fullAt, now) + ASK_AGAIN_MS });
      return true;
    },
  };
}
