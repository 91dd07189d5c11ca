/** Bounds of the memory that a lexicon takes: 16 MB for the codes, and about 12 bytes per text. */
const MAX_CODES = 8_000_000;
const MAX_TEXTS = 500_000;

/**
 * Numbers distinct texts in the order in which they are first asked for. Texts are ranges of UTF-16 codes, in one array: a Map of
 * strings took several times the memory and the time.
 */
export function makeLexicon(maxTexts = MAX_TEXTS) {
  let codes = new Uint16Array(1 << 12);
  /** Text n ends before `ends[n + 1]` and starts at `ends[n]`. */
  let ends = new Uint32Array(1 << 10);
  let hashes = new Int32Array(1 << 10);
  let slots = new Int32Array(1 << 11).fill(-1);
  let size = 0;

  const startOf = (id: number): number => ends[id] ?? 0;
  const endOf = (id: number): number => ends[id + 1] ?? 0;

  const isSame = (id: number, source: Uint16Array, from: number, to: number): boolean => {
    const start = startOf(id);
    if (endOf(id) - start !== to - from) return false;
    for (let n = 0; n < to - from; n++) if (codes[start + n] !== source[from + n]) return false;
    return true;
  };
  const grow = () => {
    ends = enlarge(ends, new Uint32Array(2 * ends.length));
    hashes = enlarge(hashes, new Int32Array(2 * hashes.length));
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let id = 0; id < size; id++) {
      let slot = (hashes[id] ?? 0) & (slots.length - 1);
      while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = id;
    }
  };
  const add = (slot: number, hash: number, source: Uint16Array, from: number, to: number): number => {
    const start = startOf(size);
    const end = start + to - from;
    if (end > codes.length) codes = enlarge(codes, new Uint16Array(Math.max(2 * codes.length, end)));
    codes.set(source.subarray(from, to), start);
    const id = size++;
    slots[slot] = id;
    hashes[id] = hash;
    if (size + 1 >= ends.length) grow();
    ends[id + 1] = end;
    return id;
  };
  return {
    size: () => size,
    /** Whether that share of the room is taken. */
    isFull: (share = 1) => size >= share * maxTexts || startOf(size) > share * MAX_CODES,
    startOf,
    endOf,
    /** The codes of all texts, until the next text is added. */
    codes: () => codes,
    idOf: (source: Uint16Array, from: number, to: number): number => {
      let hash = to - from;
      for (let at = from; at < to; at++) hash = Math.imul(hash ^ (source[at] ?? 0), 0x9e3779b1);
      hash ^= hash >>> 15;
      let slot = hash & (slots.length - 1);
      for (;;) {
        const id = slots[slot] ?? -1;
        if (id === -1) return add(slot, hash, source, from, to);
        if (hashes[id] === hash && isSame(id, source, from, to)) return id;
        slot = (slot + 1) & (slots.length - 1);
      }
    },
    lengthOf: (id: number): number => endOf(id) - startOf(id),
    textOf: (id: number): string => toText(codes.subarray(startOf(id), endOf(id))),
  };
}

export type Lexicon = ReturnType<typeof makeLexicon>;

/** Copies an array to the beginning of a larger one. */
export function enlarge<A extends Uint16Array | Uint32Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** The most arguments of a function call that every JavaScript engine takes. */
const CODES_AT_ONCE = 8_192;

function toText(codes: Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += CODES_AT_ONCE)
    text += String.fromCharCode(...codes.subarray(at, at + CODES_AT_ONCE));
  return text;
}
