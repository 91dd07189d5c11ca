import { makeCounts } from './counts.ts';
import { enlarge } from './lexicon.ts';
import { makePositionSets } from './position-sets.ts';

/** Bounds of the memory: about 28 bytes per key, and 4 bytes per key of an event. */
const MAX_KEYS = 500_000;
const MAX_NOTED = 8_000_000;
const BLOCK = 1 << 16;

/** The number of a key that there is no room for. */
export const NO_ROOM = -1;

/**
 * The events of keys of three numbers. Keys of events are counted and logged. The sets are built from the log, only for the keys that
 * are chosen by their counts: most keys have few events.
 */
export function makeTriples() {
  let keys = new Int32Array(3 << 10);
  let slots = new Int32Array(1 << 11).fill(-1);
  let size = 0;
  const counts = makeCounts();
  /** For each event, its position as `-1 - position` and then its keys. */
  const log: Int32Array[] = [];
  let block = new Int32Array(0);
  let [used, logged, position] = [0, 0, -1];

  const push = (entry: number) => {
    if (used === block.length) {
      block = new Int32Array(BLOCK);
      log.push(block);
      used = 0;
    }
    block[used++] = entry;
    logged++;
  };
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
    const id = size++;
    keys[3 * id] = a;
    keys[3 * id + 1] = b;
    keys[3 * id + 2] = c;
    slots[slot] = id;
    if (3 * size === keys.length) grow();
    return id;
  };
  const setsOf = (isChosen: (id: number) => boolean) => {
    const sets = makePositionSets(counts.counts(), size, isChosen);
    let [at, left] = [0, logged];
    for (const some of log) {
      const end = Math.min(left, some.length);
      for (let n = 0; n < end; n++) {
        const entry = some[n] ?? 0;
        if (entry < 0) at = -1 - entry;
        else sets.add(entry, at);
      }
      left -= end;
    }
    log.length = 0;
    return sets;
  };
  return {
    size: () => size,
    countOf: counts.countOf,
    /** Notes that the event has the key, if less than that share of the room is taken. Returns the number of the key. Positions must not fall. */
    note: (a: number, b: number, c: number, ofEvent: number, share = 1): number => {
      const slot = slotOf(a, b, c);
      let id = slots[slot] ?? -1;
      if (logged >= share * MAX_NOTED || (id === -1 && size >= share * MAX_KEYS)) return NO_ROOM;
      if (id === -1) id = add(slot, a, b, c);
      if (!counts.note(id, ofEvent)) return id;
      if (ofEvent !== position) {
        position = ofEvent;
        push(-1 - ofEvent);
      }
      push(id);
      return id;
    },
    keyOf: (id: number): [number, number, number] => [
      keys[3 * id] ?? 0,
      keys[3 * id + 1] ?? 0,
      keys[3 * id + 2] ?? 0,
    ],
    /** The chosen keys with their sets. It can be called once. */
    *stored(
      isChosen: (id: number) => boolean = () => true,
    ): Generator<{ id: number; count: number; positions: string }> {
      const sets = setsOf(isChosen);
      for (let id = 0; id < size; id++) {
        if (sets.isChosen(id)) yield { id, count: sets.countOf(id), positions: sets.stored(id) };
      }
    },
  };
}

export type Triples = ReturnType<typeof makeTriples>;
