import { enlarge } from './lexicon.ts';

const NONE = 0xffff;

/** Counts the events that have something, by its number. Positions must not fall. */
export function makeCounts() {
  let counts = new Uint16Array(1 << 10);
  let last = new Uint16Array(1 << 10).fill(NONE);
  return {
    counts: () => counts,
    countOf: (id: number): number => counts[id] ?? 0,
    /** Returns whether the event is counted for the first time. */
    note: (id: number, position: number): boolean => {
      while (id >= counts.length) {
        const length = 2 * counts.length;
        counts = enlarge(counts, new Uint16Array(length));
        last = enlarge(last, new Uint16Array(length).fill(NONE));
      }
      if (last[id] === position) return false;
      last[id] = position;
      counts[id] = (counts[id] ?? 0) + 1;
      return true;
    },
  };
}
