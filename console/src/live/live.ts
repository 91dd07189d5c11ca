import type { QueryClient } from '@tanstack/react-query';
import { loadChunk } from '../api/chunks.ts';
import { onWrite } from '../api/client.ts';
import { followEvents } from './stream.ts';

/** How far the stream has come. All events up to the position are committed. */
export type Progress = {
  /** Undefined: there is no stream, so it is unknown whether there are new events. */
  position: number | undefined;
  /** Whether there are events since the last progress that the user may see. */
  hasEvents: boolean;
  /** The log lost events, so what was read from it no longer matches it. */
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

export const livePosition = (): number | undefined => position;

/** The id up to which all events are committed: a search that begins now finds all of them. Undefined if the signal aborts. */
export async function readPosition(signal: AbortSignal): Promise<number | undefined> {
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

/** Keeps what this tab shows current: one event stream for all of its queries. Ends if nobody is logged in. */
export function startLive(client: QueryClient): void {
  if (isRunning) return;
  isRunning = true;
  // The first page does not wait for it.
  const refresher = loadChunk(() => import('./refresh.ts')).then(({ makeRefresher }) =>
    makeRefresher(client),
  );
  const everything = () => void refresher.then(one => one.everything());
  void refresher.then(one => onWrite(one.afterWrite));
  void followEvents(new AbortController().signal, {
    onStart: start => {
      const before = client
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey);
      void refresher.then(one => one.again(before));
      publish({ position: start, hasEvents: true });
    },
    onProgress: (reached, events) => {
      if (events.length > 0) void refresher.then(one => one.afterEvents(events));
      publish({ position: reached, hasEvents: events.length > 0 });
    },
    onHidden: everything,
    onLost: () => {
      everything();
      publish({ position: undefined, hasEvents: true, isLost: true });
    },
    onMissing: () => {
      everything();
      publish({ position: undefined, hasEvents: true });
    },
  }).finally(() => {
    isRunning = false;
  });
}
