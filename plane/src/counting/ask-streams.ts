import type { KnownClient } from '../serving/positions.ts';
import type { Clients } from './clients.ts';

/** An SDK that loses 5 streams within a minute falls back to polling, so its stream is ended less often than that. */
const ASK_AGAIN_MS = 20_000;
/** How many streams are ended at a time. Accepting one again takes 0.2 ms, or 1.4 ms with TLS. */
const MAX_ASKED = 50;

/**
 * Ends streams whose clients have not confirmed a revision that a caller is waiting for, so that they reconnect and present it.
 */
export function makeAskStreams(
  clients: Pick<Clients, 'ask'>,
): (questions: ReadonlyMap<string, number>) => void {
  const askedAt = new WeakMap<KnownClient, number>();
  return questions => {
    const now = performance.now();
    clients.ask((client, environment) => {
      const wanted = questions.get(environment) ?? 0;
      if (client.revision >= wanted || now - (askedAt.get(client) ?? -ASK_AGAIN_MS) < ASK_AGAIN_MS)
        return false;
      askedAt.set(client, now);
      return true;
    }, MAX_ASKED);
  };
}
