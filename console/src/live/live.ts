import type { QueryClient } from '@tanstack/react-query';
import { loadChunk } from '../api/chunks.ts';
import { onWrite } from '../api/client.ts';
import { streamEvents } from './stream.ts';

/** The progress of the stream. All events up to the position are committed. */
export type Progress = {
  /** Undefined if there is no stream, in which case there may be new events. */
  position: number | undefined;
  /** Whether there may be new events that the user may see. */
  hasEvents: boolean;
  /** Whether the log lost events, so that data read earlier may no longer match it. */
  isLost?: boolean;
};

const listeners = new Set<(progress: Progress) => void>();
let position: number | undefined;
let isRunning = false;

export function onProgress(listener: (progress: Progress) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(progress: Progress): void {
  position = progress.position;
  for (const listener of listeners) listener(progress);
}

export const readLivePosition = (): number | undefined => position;

/**
 * Waits for the id up to which all events are committed, so that a search that starts afterwards finds all of them. Returns undefined
 * if the signal aborts or there is no stream.
 */
export async function waitForPosition(signal: AbortSignal): Promise<number | undefined> {
  if (position !== undefined || signal.aborted) return position;
  return await new Promise(resolve => {
    const stop = onProgress(progress => {
      stop();
      resolve(progress.position);
    });
    signal.addEventListener('abort', () => {
      stop();
      resolve(undefined);
    });
  });
}

/** Keeps all queries of this tab current with one event stream, until nobody is logged in. */
export function startLiveUpdates(client: QueryClient): void {
  if (isRunning) return;
  isRunning = true;
  // A separate chunk keeps the refresher out of the first load.
  const refresher = loadChunk(() => import('./refresh.ts')).then(({ createRefresher }) =>
    createRefresher(client),
  );
  const reloadAll = () => void refresher.then(({ reloadEverything }) => reloadEverything());
  void refresher.then(({ afterWrite }) => onWrite(afterWrite));
  void streamEvents(new AbortController().signal, {
    onStart: start => {
      const keysBefore = client
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey);
      void refresher.then(({ reload }) => reload(keysBefore));
      publish({ position: start, hasEvents: true });
    },
    onProgress: (newPosition, events) => {
      if (events.length > 0) void refresher.then(({ afterEvents }) => afterEvents(events));
      publish({ position: newPosition, hasEvents: events.length > 0 });
    },
    onHidden: reloadAll,
    onLost: () => {
      reloadAll();
      publish({ position: undefined, hasEvents: true, isLost: true });
    },
    onMissing: () => {
      reloadAll();
      publish({ position: undefined, hasEvents: true });
    },
  }).finally(() => {
    isRunning = false;
  });
}
