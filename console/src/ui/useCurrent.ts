import { useSyncExternalStore } from 'react';

/** Words such as "40 s ago" are at most this old. */
const TICK_MS = 5000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * Words that depend on the time: `useCurrent(now => ago(at, now))`. Renders again only when the words change. The time is a whole
 * second, because words with milliseconds would differ at each read, and React would render forever.
 */
export const useCurrent = (read: (now: number) => string): string =>
  useSyncExternalStore(onTick, () => read(Math.ceil(Date.now() / 1000) * 1000));
