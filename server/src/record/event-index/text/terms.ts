import type { Sets } from './sets.ts';

/** The number of codes per term on average. A PostgreSQL B-tree accepts values of up to 2,700 bytes. */
const AVERAGE_TERM_LENGTH = 48;
export const MAX_TERM_LENGTH = 200;

/** Keeps distinct terms with their sets in a hash table of typed arrays, because a Map of strings was several times slower. */
export function makeTerms(max: number, sets: Sets) {
  const slots = new Int32Array(4 * max).fill(-1);
  const ends = new Uint32Array(max + 1);
  const codes = new Uint16Array(AVERAGE_TERM_LENGTH * max);
  const setByTerm = new Int32Array(max);
  let size = 0;

  const isSame = (id: number, source: Uint16Array, from: number, to: number): boolean => {
    const start = ends[id] ?? 0;
    if ((ends[id + 1] ?? 0) - start !== to - from) return false;
    for (let n = 0; n < to - from; n++) if (codes[start + n] !== source[from + n]) return false;
    return true;
  };
  const insert = (slot: number, source: Uint16Array, from: number, to: number): number => {
    const start = ends[size] ?? 0;
    if (size === max || start + to - from > codes.length) return -1;
    const set = sets.next();
    if (set === -1) return -1;
    codes.set(source.subarray(from, to), start);
    ends[size + 1] = start + to - from;
    setByTerm[size] = set;
    slots[slot] = size++;
    return set;
  };
  return {
    /** Adds an event to the term in a range of codes. Returns false if there is no room for the term in this chunk. */
    add: (position: number, hash: number, source: Uint16Array, from: number, to: number): boolean => {
      let slot = (hash >>> 0) % slots.length;
      let id = slots[slot] ?? -1;
      while (id !== -1 && !isSame(id, source, from, to)) {
        slot = (slot + 1) % slots.length;
        id = slots[slot] ?? -1;
      }
      const set = id === -1 ? insert(slot, source, from, to) : (setByTerm[id] ?? 0);
      if (set !== -1) sets.add(set, position);
      return set !== -1;
    },
    *all(): Generator<{ text: string; set: number }> {
      for (let id = 0; id < size; id++)
        yield {
          text: String.fromCharCode(...codes.subarray(ends[id], ends[id + 1])),
          set: setByTerm[id] ?? 0,
        };
    },
  };
}
