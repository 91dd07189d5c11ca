import type { KnownClient } from '../serving/positions.ts';
import type { Clients } from './clients.ts';

/**
 * An SDK that loses 5 streams within a minute falls back to polling. So even if callers wait for several changes, a client
 * reconnects at most 3 times in a row and then every 35 s, which is at most 4 times within a minute.
 */
const MAX_IN_A_ROW = 3;
const INTERVAL_MS = 35_000;
/** The maximum number of streams to end at a time. Accepting a stream again takes 0.2 ms, or 1.4 ms with TLS. */
const MAX_CLIENTS = 50;

type ReconnectOptions = {
  /** Reconnects only clients that have not reconnected for this long. */
  quietMs?: number;
  max?: number;
};

/**
 * Ends the streams of clients that have not confirmed a revision, so that they reconnect and present the one they have.
 */
export function makeReconnectClients(
  clients: Pick<Clients, 'reconnect'>,
  onReconnect: () => void = () => {},
): (wantedRevisions: ReadonlyMap<string, number>, options?: ReconnectOptions) => void {
  const counter = makeReconnectCounter();
  return (wantedRevisions, { quietMs = 0, max = MAX_CLIENTS } = {}) => {
    const now = performance.now();
    clients.reconnect((client, environment) => {
      if (client.revision >= (wantedRevisions.get(environment) ?? 0) || !counter.take(client, now, quietMs))
        return false;
      onReconnect();
      return true;
    }, max);
  };
}

/** Tracks how often each client had to reconnect. */
export function makeReconnectCounter() {
  /** When the client last had to reconnect, and when its allowance will be full again. */
  const allowances = new WeakMap<KnownClient, { reconnectedAt: number; fullAt: number }>();
  return {
    /** Counts a reconnection. Returns false if the last one was too recent or the client has no allowance left. */
    take: (client: KnownClient, now: number, quietMs: number): boolean => {
      const { reconnectedAt, fullAt } = allowances.get(client) ?? { reconnectedAt: -quietMs, fullAt: now };
      if (now - reconnectedAt < quietMs || fullAt - now > (MAX_IN_A_ROW - 1) * INTERVAL_MS) return false;
      allowances.set(client, { reconnectedAt: now, fullAt: Math.max(fullAt, now) + INTERVAL_MS });
      return true;
    },
  };
}
