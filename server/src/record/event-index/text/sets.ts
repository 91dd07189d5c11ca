import {
  type Bitmap,
  CHUNK_SIZE,
  countBits,
  emptyBitmap,
  encodeBitmap,
  encodeList,
  highestPositions,
  MAX_LIST_POSITIONS,
} from '../bitmap.ts';

const WORDS_PER_BITMAP = emptyBitmap().length;

/**
 * Keeps sets of positions as bitmaps in one array, so that every chunk takes the same amount of memory, regardless of its events.
 */
export function makeSets(max: number) {
  const bitmaps = new Uint32Array(max * WORDS_PER_BITMAP);
  let size = 0;
  return {
    /** Returns the index of a new set, or -1 if there is no room. */
    next: (): number => (size < max ? size++ : -1),
    add: (set: number, position: number): void => {
      const index = set * WORDS_PER_BITMAP + (position >>> 5);
      bitmaps[index] = (bitmaps[index] ?? 0) | (1 << (position & 31));
    },
    encode: (set: number): StoredSet =>
      toStored(bitmaps.subarray(set * WORDS_PER_BITMAP, (set + 1) * WORDS_PER_BITMAP)),
    /** Empties all sets. The first `reserved` sets are never returned by `next`. */
    clear: (reserved: number): void => {
      bitmaps.fill(0, 0, size * WORDS_PER_BITMAP);
      size = reserved;
    },
    /** Frees the memory immediately. The garbage collector would wait until the next chunk has used the same amount again. */
    free: (): void => {
      bitmaps.buffer.transfer(0);
    },
  };
}

export type Sets = ReturnType<typeof makeSets>;

export type StoredSet = { count: number; positions: string };

/** Returns a bitmap in its stored form. */
export function toStored(bitmap: Bitmap): StoredSet {
  const count = countBits(bitmap);
  if (count > MAX_LIST_POSITIONS) return { count, positions: encodeBitmap(bitmap) };
  const list = Uint16Array.from(highestPositions(bitmap, CHUNK_SIZE, 0, count).reverse());
  return { count, positions: encodeList(list) };
}
