import { wait } from '../api/wait.ts';
import { onProgress, readLivePosition } from '../live/live.ts';
import type { Search } from '../ui/search.ts';
import { type Event, searchBetween } from './queries.ts';

/** The pause between two searches, so that one search finds a burst of events. */
const PAUSE_SECONDS = 0.2;

/**
 * Calls `onEvents` with each new event of a search exactly once. The tab's event stream has no filters: it only reports the position up
 * to which the log is complete, and a search then finds the events up to there. No event that commits late is missed, because the
 * position passes an id only after all earlier changes have ended. `onLost` is called if the page no longer matches the log.
 */
export function tailEvents(
  filters: Search,
  startPosition: number | undefined,
  signal: AbortSignal,
  { onEvents, onLost }: { onEvents: (events: Event[]) => void; onLost: () => void },
): void {
  let position = startPosition;
  let target = startPosition ?? 0;
  let isReading = false;

  async function readEvents(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (position !== undefined && position < target) {
        const nextPosition = target;
        const events = await searchBetween(filters, position, nextPosition, signal);
        position = nextPosition;
        if (events.length > 0) onEvents(events);
        await wait(PAUSE_SECONDS, signal);
      }
    } catch {
      // The page was closed, or the server is unreachable. The stream's next progress report repeats the search.
    } finally {
      isReading = false;
    }
  }

  const stop = onProgress(({ position: newPosition, hasEvents, isLost }) => {
    // A missing position means that the page was read before the stream started.
    if (isLost || newPosition === undefined || position === undefined || newPosition < target)
      return onLost();
    if (!hasEvents && position === target) position = newPosition;
    target = newPosition;
    void readEvents();
  });
  signal.addEventListener('abort', stop);
  target = Math.max(target, readLivePosition() ?? 0);
  void readEvents();
}
