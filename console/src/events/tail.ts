import { wait } from '../api/wait.ts';
import { livePosition, onProgress } from '../live/live.ts';
import type { Search } from '../ui/search.ts';
import { type Event, searchBetween } from './queries.ts';

/** The pause between two searches, so that one search finds a burst of events. */
const REST_SECONDS = 0.2;

/**
 * Passes on the events of a search after the position, each one once. The stream of the tab has no filters, so it only says how
 * far the log is complete, and the search finds the events up to there. An event that commits late is found too: the position
 * passes an id only when all changes that began before it have ended. `onLost`: what the page shows no longer matches the log.
 */
export function tailEvents(
  filters: Search,
  after: number | undefined,
  signal: AbortSignal,
  { onEvents, onLost }: { onEvents: (events: Event[]) => void; onLost: () => void },
): void {
  let position = after;
  let target = after ?? 0;
  let isReading = false;

  async function read(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (position !== undefined && position < target) {
        const upTo = target;
        const events = await searchBetween(filters, position, upTo, signal);
        position = upTo;
        if (events.length > 0) onEvents(events);
        await wait(REST_SECONDS, signal);
      }
    } catch {
      // The page is gone, or the server is unreachable. The next progress of the stream repeats the search.
    } finally {
      isReading = false;
    }
  }

  const stop = onProgress(({ position: reached, hasEvents, isLost }) => {
    // Without a position, the page was read before the stream began.
    if (isLost || reached === undefined || position === undefined || reached < target) return onLost();
    if (!hasEvents && position === target) position = reached;
    target = reached;
    void read();
  });
  signal.addEventListener('abort', stop);
  target = Math.max(target, livePosition() ?? 0);
  void read();
}
