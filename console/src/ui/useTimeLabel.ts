import { useSyncExternalStore } from 'react';

/** How often labels such as "40 s ago" are updated. */
const TICK_MS = 5000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * Returns a label that depends on the current time, such as `useTimeLabel(now => formatAge(at, now))`. Renders again only when the
 * label changes. The time is rounded to a second, because a label with milliseconds would differ on each read, and React would
 * render forever.
 */
export const useTimeLabel = (read: (now: number) => string): string =>
  useSyncExternalStore(onTick, () => read(Math.ceil(Date.now() / 1000) * 1000));
