import { type Bitmap, countBits, emptyBitmap, encodeBitmap, encodeList, LONGEST_LIST } from '../bitmap.ts';

const WORDS = emptyBitmap().length;

/**
 * Sets of positions whose sizes were counted before, in two arrays: a sorted list, or a bitmap where that is not longer. The sets that
 * are not chosen take no room. Positions must be added in rising order.
 */
export function makePositionSets(counts: Uint16Array, size: number, isChosen: (id: number) => boolean) {
  const places = new Int32Array(size).fill(-1);
  const filled = new Uint16Array(size);
  let [listed, bitmaps] = [0, 0];
  for (let id = 0; id < size; id++) {
    if (!isChosen(id)) continue;
    const count = counts[id] ?? 0;
    places[id] = count > LONGEST_LIST ? bitmaps : listed;
    if (count > LONGEST_LIST) bitmaps += WORDS;
    else listed += count;
  }
  const inLists = new Uint16Array(listed);
  const inBitmaps = new Uint32Array(bitmaps);

  return {
    add: (id: number, position: number): void => {
      const place = places[id] ?? -1;
      if (place < 0) return;
      if ((counts[id] ?? 0) > LONGEST_LIST) {
        const word = place + (position >>> 5);
        inBitmaps[word] = (inBitmaps[word] ?? 0) | (1 << (position & 31));
        return;
      }
      const count = filled[id] ?? 0;
      if (count > 0 && inLists[place + count - 1] === position) return;
      inLists[place + count] = position;
      filled[id] = count + 1;
    },
    isChosen: (id: number): boolean => (places[id] ?? -1) >= 0,
    countOf: (id: number): number => counts[id] ?? 0,
    /** The set as it is stored. */
    stored: (id: number): string => {
      const place = places[id] ?? 0;
      const count = counts[id] ?? 0;
      return count > LONGEST_LIST
        ? encodeBitmap(inBitmaps.subarray(place, place + WORDS))
        : encodeList(inLists.subarray(place, place + count));
    },
  };
}

export type PositionSets = ReturnType<typeof makePositionSets>;

/** The set of a bitmap as it is stored. */
export function toStored(bitmap: Bitmap): { count: number; positions: string } {
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
