import type { KnownClient } from '../serving/positions.ts';
import type { Clients } from './clients.ts';

/**
 * An SDK that loses 5 streams within a minute falls back to polling. So even if callers wait for several changes, a client is
 * asked at most 3 times in a row and then every 35 s, which is at most 4 times within a minute.
 */
const MAX_ASKS_IN_A_ROW = 3;
const ASK_AGAIN_MS = 35_000;
/** The maximum number of streams to end at a time. Accepting a stream again takes 0.2 ms, or 1.4 ms with TLS. */
const MAX_ASKED_CLIENTS = 50;

type AskOptions = {
  /** Asks only clients that have not been asked for this long. */
  quietMs?: number;
  max?: number;
};

/**
 * Ends the streams of clients that have not confirmed a revision, so that they reconnect and present the one they have.
 */
export function makeAskStreams(
  clients: Pick<Clients, 'ask'>,
  onAsked: () => void = () => {},
): (wantedRevisions: ReadonlyMap<string, number>, options?: AskOptions) => void {
  const asks = makeAskCounter();
  return (wantedRevisions, { quietMs = 0, max = MAX_ASKED_CLIENTS } = {}) => {
    const now = performance.now();
    clients.ask((client, environment) => {
      if (client.revision >= (wantedRevisions.get(environment) ?? 0) || !asks.take(client, now, quietMs))
        return false;
      onAsked();
      return true;
    }, max);
  };
}

/** Tracks how often each client was asked. */
export function makeAskCounter() {
  /** When the client was last asked, and when its allowance will be full again. */
  const allowances = new WeakMap<KnownClient, { askedAt: number; fullAt: number }>();
  return {
    /** Counts that the client is asked now. Returns false if it was asked recently or has no allowance left. */
    take: (client: KnownClient, now: number, quietMs: number): boolean => {
      const { askedAt, fullAt } = allowances.get(client) ?? { askedAt: -quietMs, fullAt: now };
      if (now - askedAt < quietMs || fullAt - now > (MAX_ASKS_IN_A_ROW - 1) * ASK_AGAIN_MS) return false;
      allowances.set(client, { askedAt: now, fullAt: Math.max(fullAt, now) + ASK_AGAIN_MS });
      return true;
    },
  };
}
