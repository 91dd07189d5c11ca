import { useSyncExternalStore } from 'react';

/** The maximum age of labels such as "40 s ago". */
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
 * Returns a text that depends on the time, such as `useCurrent(now => formatAge(at, now))`. Renders again only when the text changes. The time is a whole
 * second, because a label with milliseconds would differ at each read, and React would render forever.
 */
export const useCurrent = (read: (now: number) => string): string =>
  useSyncExternalStore(onTick, () => read(Math.ceil(Date.now() / 1000) * 1000));
