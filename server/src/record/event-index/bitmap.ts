import { endianness } from 'node:os';

/**
 * Ids per chunk. A bitmap of 24,000 bits has 3,000 bytes and 4,000 characters of base64, so two of them fit in a page of PostgreSQL.
 * Larger chunks mean fewer rows per search, and more events that are not in the index yet.
 */
export const CHUNK_SIZE = 24_000;

/**
 * A log whose last id is lower has no index: PostgreSQL searches it directly, which takes less than a second even for free text.
 * Ids never decrease, so once an index exists it is kept, even if old events are deleted later.
 */
export const SMALL_LOG = 50_000;

export const firstIdOf = (chunk: number): number => chunk * CHUNK_SIZE;
export const chunkOf = (id: number): number => Math.floor(id / CHUNK_SIZE);

const WORDS = CHUNK_SIZE / 32;
const BYTES = CHUNK_SIZE / 8;

/** A set of positions in a chunk: bit n of word w is position 32 w + n. */
export type Bitmap = Uint32Array;

export const emptyBitmap = (): Bitmap => new Uint32Array(WORDS);
export const fullBitmap = (): Bitmap => emptyBitmap().fill(0xffffffff);

/** Empty bitmaps in one block of memory, because a separate one for each of hundreds of chunks kept the garbage collector busy. */
export function emptyBitmaps(count: number): Bitmap[] {
  const memory = new Uint32Array(count * WORDS);
  return Array.from({ length: count }, (_, n) => memory.subarray(n * WORDS, (n + 1) * WORDS));
}

/** The maximum length of a list that is shorter than a bitmap. */
export const LONGEST_LIST = BYTES / 2 - 1;

/**
 * The stored form of a sorted list of big-endian 2-byte integers: the list, or the bitmap where that is not longer. As base64, because
 * PostgreSQL sends text as it is: reading bytea, which it sends as hexadecimal digits, took twice as long.
 */
export function encodePositions(list: Buffer): string {
  if (list.length < BYTES) return list.toString('base64');
  const bitmap = emptyBitmap();
  addPositions(bitmap, list);
  return encodeBitmap(bitmap);
}

/** The stored form of a set with more positions than the longest list. */
export const encodeBitmap = (bitmap: Bitmap): string =>
  littleEndian(Buffer.from(bitmap.slice().buffer)).toString('base64');

/** The stored form of a set with at most as many positions as the longest list. */
export function encodeList(positions: Uint16Array): string {
  const list = Buffer.from(positions.slice().buffer);
  return (endianness() === 'LE' ? list.swap16() : list).toString('base64');
}

// Searches decode thousands of sets. Allocating memory for each of them made garbage collection the largest cost of a search.
const decoded = Buffer.from(new ArrayBuffer(BYTES));
const decodedWords: Bitmap = new Uint32Array(decoded.buffer);
const fromList = emptyBitmap();

/** Decodes a stored set until the next call. */
function decode(stored: string): Bitmap {
  const length = decoded.write(stored, 'base64');
  if (length === BYTES) {
    littleEndian(decoded);
    return decodedWords;
  }
  fromList.fill(0);
  addPositions(fromList, decoded.subarray(0, length));
  return fromList;
}

/** Adds a stored set to the bitmap. */
export const addStored = (bitmap: Bitmap, stored: string): void => unite(bitmap, decode(stored));

/** Removes a stored set from the bitmap. */
export const subtractStored = (bitmap: Bitmap, stored: string): void => subtract(bitmap, decode(stored));

const littleEndian = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());

/** Adds the positions of a list of big-endian 2-byte integers. */
export function addPositions(bitmap: Bitmap, list: Buffer): void {
  for (let at = 0; at < list.length; at += 2)
    addPosition(bitmap, ((list[at] ?? 0) << 8) | (list[at + 1] ?? 0));
}

export function addPosition(bitmap: Bitmap, position: number): void {
  bitmap[position >>> 5] = (bitmap[position >>> 5] ?? 0) | (1 << (position & 31));
}

export function removePosition(bitmap: Bitmap, position: number): void {
  bitmap[position >>> 5] = (bitmap[position >>> 5] ?? 0) & ~(1 << (position & 31));
}

/** Adds the positions of the second bitmap to the first. */
export function unite(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORDS; n++) bitmap[n] = (bitmap[n] ?? 0) | (other[n] ?? 0);
}

/** Keeps only the positions of the first bitmap that are in the second. */
export function intersect(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORDS; n++) bitmap[n] = (bitmap[n] ?? 0) & (other[n] ?? 0);
}

/** Removes the positions of the second bitmap from the first. */
export function subtract(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORDS; n++) bitmap[n] = (bitmap[n] ?? 0) & ~(other[n] ?? 0);
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let n = 0; n < WORDS; n++) count += bitsOf(bitmap[n] ?? 0);
  return count;
}

const common = emptyBitmap();

/** How many positions of a stored set are in the bitmap. */
export function countStored(bitmap: Bitmap, stored: string): number {
  common.set(decode(stored));
  intersect(common, bitmap);
  return countBits(common);
}

/** How many positions are in all the bitmaps. */
export function countCommon([first, ...others]: Bitmap[]): number {
  if (!first) return 0;
  common.set(first);
  for (const other of others) intersect(common, other);
  return countBits(common);
}

/** A new bitmap with the positions that are in all the bitmaps. */
export function intersectionOf([first, ...others]: Bitmap[]): Bitmap {
  const result = first?.slice() ?? emptyBitmap();
  for (const other of others) intersect(result, other);
  return result;
}

/** The positions below `end`, highest first, without the first `skip` ones, `take` at most. */
export function highestPositions(bitmap: Bitmap, end: number, skip: number, take: number): number[] {
  const found: number[] = [];
  let left = skip;
  for (let n = WORDS - 1; n >= 0 && found.length < take; n--) {
    const word = below(bitmap[n] ?? 0, end - n * 32);
    const bits = bitsOf(word);
    if (bits <= left) {
      left -= bits;
      continue;
    }
    for (let bit = 31; bit >= 0 && found.length < take; bit--) {
      if ((word & (1 << bit)) !== 0 && left-- <= 0) found.push(n * 32 + bit);
    }
    left = Math.max(left, 0);
  }
  return found;
}

/** The bits of a word that are lower than the given one. */
const below = (word: number, bit: number): number =>
  bit >= 32 ? word : bit <= 0 ? 0 : word & ((1 << bit) - 1);

function bitsOf(word: number): number {
  let w = word - ((word >>> 1) & 0x55555555);
  w = (w & 0x33333333) + ((w >>> 2) & 0x33333333);
  return (((w + (w >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
