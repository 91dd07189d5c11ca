import { makeCounts } from './counts.ts';
import { enlarge } from './lexicon.ts';
import { makePositionSets, type PositionSets } from './position-sets.ts';

/** Bounds the memory: about 28 bytes per key. */
const MAX_KEYS = 1_000_000;

/**
 * The events of keys of three numbers. Events are visited twice: the first time `note` counts them, after `startSets` it adds them
 * to the sets of the chosen keys. So the many keys of few events take no room for sets.
 */
export function makeTriples(maxKeys = MAX_KEYS) {
  let keys = new Int32Array(3 << 10);
  let slots = new Int32Array(1 << 11).fill(-1);
  let size = 0;
  let sets: PositionSets | undefined;
  const counts = makeCounts();

  const slotOf = (a: number, b: number, c: number): number => {
    const mask = slots.length - 1;
    let slot = Math.imul(Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c, 0xc2b2ae35);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (;;) {
      const id = slots[slot] ?? -1;
      const key = 3 * id;
      if (id === -1 || (keys[key] === a && keys[key + 1] === b && keys[key + 2] === c)) return slot;
      slot = (slot + 1) & mask;
    }
  };
  const grow = () => {
    keys = enlarge(keys, new Int32Array(2 * keys.length));
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let id = 0; id < size; id++) {
      const key = 3 * id;
      slots[slotOf(keys[key] ?? 0, keys[key + 1] ?? 0, keys[key + 2] ?? 0)] = id;
    }
  };
  const add = (slot: number, a: number, b: number, c: number): number => {
    if (sets || size >= maxKeys) return -1;
    const id = size++;
    keys[3 * id] = a;
    keys[3 * id + 1] = b;
    keys[3 * id + 2] = c;
    slots[slot] = id;
    if (3 * size === keys.length) grow();
    return id;
  };
  return {
    size: () => size,
    countOf: counts.countOf,
    /** Notes that the event has the key. Returns the number of the key, or -1 if there are too many keys. */
    note: (a: number, b: number, c: number, position: number): number => {
      const slot = slotOf(a, b, c);
      const known = slots[slot] ?? -1;
      const id = known === -1 ? add(slot, a, b, c) : known;
      if (id === -1) return -1;
      if (sets) sets.add(id, position);
      else counts.note(id, position);
      return id;
    },
    /** Adds the event to the set of a key by its number. */
    addToSet: (id: number, position: number): void => sets?.add(id, position),
    keyOf: (id: number): [number, number, number] => [
      keys[3 * id] ?? 0,
      keys[3 * id + 1] ?? 0,
      keys[3 * id + 2] ?? 0,
    ],
    startSets: (isChosen: (id: number) => boolean): void => {
      sets = makePositionSets(counts.counts(), size, isChosen);
    },
    /** The chosen keys with their sets. */
    *stored(): Generator<{ id: number; count: number; positions: string }> {
      for (let id = 0; id < size; id++) {
        if (sets?.isChosen(id)) yield { id, count: sets.countOf(id), positions: sets.stored(id) };
      }
    },
  };
}

export type Triples = ReturnType<typeof makeTriples>;
