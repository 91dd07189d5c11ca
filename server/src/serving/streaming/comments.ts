import type { Stream } from './stream.ts';

const TICK_MS = 100;

/** Visits every stream once in a while, spread evenly, with one timer for all of them. */
export function startComments(
  streams: Set<Stream>,
  everyMs: number,
  visit: (stream: Stream) => void,
): () => void {
  let remaining = streams.values();
  let due = 0;
  const timer = setInterval(() => {
    due = Math.min(streams.size, due + (streams.size * TICK_MS) / everyMs);
    for (; due >= 1; due--) {
      let { value, done } = remaining.next();
      if (done === true) {
        remaining = streams.values();
        ({ value, done } = remaining.next());
      }
      if (value === undefined) return;
      visit(value);
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
