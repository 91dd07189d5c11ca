import type { Stream } from './stream.ts';

const EVERY_MS = 15_000;
const TICK_MS = 100;

/** Visits every stream once in 15 s, spread evenly, with one timer for all of them. */
export function startComments(streams: Set<Stream>, visit: (stream: Stream) => void): () => void {
  let rest = streams.values();
  let due = 0;
  const timer = setInterval(() => {
    due = Math.min(streams.size, due + (streams.size * TICK_MS) / EVERY_MS);
    for (; due >= 1; due--) {
      let { value, done } = rest.next();
      if (done === true) {
        rest = streams.values();
        ({ value, done } = rest.next());
      }
      if (value === undefined) return;
      visit(value);
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
