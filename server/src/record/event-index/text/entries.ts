/** Something that events of the chunk contain, with the positions of these events in rising order. `bucket` is that of a pair. */
export type Entry = {
  id: number;
  text: string;
  last: number;
  positions: number[];
  bucket: Entry | undefined;
};

export function addPosition(entry: Entry, position: number): void {
  if (entry.last === position) return;
  entry.last = position;
  entry.positions.push(position);
}

const makeEntry = (id: number, text: string): Entry => ({
  id,
  text,
  last: -1,
  positions: [],
  bucket: undefined,
});

/** Entries by text. An entry is created when it is first asked for. */
export function makeEntries() {
  const byText = new Map<string, Entry>();
  const list: Entry[] = [];
  const get = (text: string): Entry => {
    let entry = byText.get(text);
    if (entry === undefined) {
      entry = makeEntry(list.length, text);
      byText.set(text, entry);
      list.push(entry);
    }
    return entry;
  };
  return { get, list };
}

/** Entries by three numbers, in a hash table with linear probing: several times as fast as a Map. */
export function makeTripleEntries() {
  const list: Entry[] = [];
  let mask = (1 << 16) - 1;
  let keys = new Int32Array(3 * (mask + 1));
  let ids = new Int32Array(mask + 1).fill(-1);

  const slotOf = (a: number, b: number, c: number): number => {
    let slot = Math.imul(Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c, 0xc2b2ae35);
    slot = (slot ^ (slot >>> 15)) & mask;
    while (ids[slot] !== -1) {
      const key = 3 * slot;
      if (keys[key] === a && keys[key + 1] === b && keys[key + 2] === c) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const put = (slot: number, id: number, a: number, b: number, c: number) => {
    ids[slot] = id;
    keys[3 * slot] = a;
    keys[3 * slot + 1] = b;
    keys[3 * slot + 2] = c;
  };
  const grow = () => {
    const [oldKeys, oldIds] = [keys, ids];
    mask = 2 * mask + 1;
    keys = new Int32Array(3 * (mask + 1));
    ids = new Int32Array(mask + 1).fill(-1);
    for (const [slot, id] of oldIds.entries()) {
      if (id === -1) continue;
      const [a = 0, b = 0, c = 0] = oldKeys.subarray(3 * slot, 3 * slot + 3);
      put(slotOf(a, b, c), id, a, b, c);
    }
  };
  const get = (a: number, b: number, c: number, textOf: () => string): Entry => {
    const slot = slotOf(a, b, c);
    const known = list[ids[slot] ?? -1];
    if (known) return known;
    const entry = makeEntry(list.length, textOf());
    put(slot, entry.id, a, b, c);
    list.push(entry);
    if (2 * list.length > mask) grow();
    return entry;
  };
  return { get, list };
}
