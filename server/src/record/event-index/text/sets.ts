import { type Bitmap, countBits, emptyBitmap, encodeBitmap, encodeList, LONGEST_LIST } from '../bitmap.ts';

const WORDS = emptyBitmap().length;

/** Sets of positions as bitmaps in one array, so that a chunk takes the same memory whatever its texts are. */
export function makeSets(most: number) {
  const bitmaps = new Uint32Array(most * WORDS);
  let size = 0;
  return {
    /** The number of a new set, or -1 if there is no room. */
    next: (): number => (size < most ? size++ : -1),
    add: (set: number, position: number): void => {
      const at = set * WORDS + (position >>> 5);
      bitmaps[at] = (bitmaps[at] ?? 0) | (1 << (position & 31));
    },
    stored: (set: number): StoredSet => toStored(bitmaps.subarray(set * WORDS, (set + 1) * WORDS)),
    /** Empties all sets. The first `taken` ones are never returned by `next`. */
    clear: (taken: number): void => {
      bitmaps.fill(0, 0, size * WORDS);
      size = taken;
    },
    /** Returns the memory at once. The garbage collector would do it after the next chunk has taken as much. */
    free: (): void => {
      bitmaps.buffer.transfer(0);
    },
  };
}

export type Sets = ReturnType<typeof makeSets>;

export type StoredSet = { count: number; positions: string };

/** A bitmap in its stored form. */
export function toStored(bitmap: Bitmap): StoredSet {
  const count = countBits(bitmap);
  const positions = count > LONGEST_LIST ? encodeBitmap(bitmap) : encodeList(listOf(bitmap, count));
  return { count, positions };
}

function listOf(bitmap: Bitmap, count: number): Uint16Array {
  const list = new Uint16Array(count);
  for (let n = 0, found = 0; found < count; n++) {
    for (let bits = bitmap[n] ?? 0; bits !== 0; bits &= bits - 1)
      list[found++] = 32 * n + 31 - Math.clz32(bits & -bits);
  }
  return list;
}
