import {
  type Bitmap,
  CHUNK_SIZE,
  countBits,
  emptyBitmap,
  encodeBitmap,
  encodeList,
  highestPositions,
  LONGEST_LIST,
} from '../bitmap.ts';

const WORDS = emptyBitmap().length;

/** Sets of positions as bitmaps in one array, so that every chunk takes the same amount of memory, whatever its events contain. */
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
    /** Frees the memory immediately. The garbage collector would wait until the next chunk has taken as much. */
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
  if (count > LONGEST_LIST) return { count, positions: encodeBitmap(bitmap) };
  const list = Uint16Array.from(highestPositions(bitmap, CHUNK_SIZE, 0, count).reverse());
  return { count, positions: encodeList(list) };
}
