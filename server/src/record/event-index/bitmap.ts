import { endianness } from 'node:os';

/**
 * The number of ids per chunk. A bitmap of 24,000 bits has 3,000 bytes and 4,000 characters of base64, so two of them fit in a
 * PostgreSQL page. Larger chunks mean fewer rows per search, but more events that are not in the index yet.
 */
export const CHUNK_SIZE = 24_000;

/**
 * A log whose last id is lower has no index, because PostgreSQL searches it directly in less than a second, even for free text. Ids
 * never decrease, so once an index exists it is kept, even if old events are deleted later.
 */
export const SMALL_LOG = 50_000;

export const getFirstId = (chunk: number): number => chunk * CHUNK_SIZE;
export const toChunk = (id: number): number => Math.floor(id / CHUNK_SIZE);

const WORD_COUNT = CHUNK_SIZE / 32;
const BYTE_COUNT = CHUNK_SIZE / 8;

/** A set of positions in a chunk. Bit n of word w is position 32 w + n. */
export type Bitmap = Uint32Array;

export const emptyBitmap = (): Bitmap => new Uint32Array(WORD_COUNT);
export const fullBitmap = (): Bitmap => emptyBitmap().fill(0xffffffff);

/**
 * Creates empty bitmaps in one block of memory, because a separate block for each of hundreds of chunks kept the garbage collector
 * busy.
 */
export function emptyBitmaps(count: number): Bitmap[] {
  const memory = new Uint32Array(count * WORD_COUNT);
  return Array.from({ length: count }, (_, n) => memory.subarray(n * WORD_COUNT, (n + 1) * WORD_COUNT));
}

/** The maximum number of positions in a list that is shorter than a bitmap. */
export const MAX_LIST_POSITIONS = BYTE_COUNT / 2 - 1;

/**
 * Encodes a sorted list of big-endian 2-byte integers for storage: as the list itself, or as a bitmap if the bitmap is not longer.
 * Both are stored in base64, because PostgreSQL sends text unchanged but sends bytea as hexadecimal digits, which took twice as
 * long to read.
 */
export function encodePositions(list: Buffer): string {
  if (list.length < BYTE_COUNT) return list.toString('base64');
  const bitmap = emptyBitmap();
  addPositions(bitmap, list);
  return encodeBitmap(bitmap);
}

/** Returns the stored form of a set with more than `MAX_LIST_POSITIONS` positions. */
export const encodeBitmap = (bitmap: Bitmap): string =>
  toLittleEndian(Buffer.from(bitmap.slice().buffer)).toString('base64');

/** Returns the stored form of a set with at most `MAX_LIST_POSITIONS` positions. */
export function encodeList(positions: Uint16Array): string {
  const list = Buffer.from(positions.slice().buffer);
  return (endianness() === 'LE' ? list.swap16() : list).toString('base64');
}

// These buffers are reused, because searches decode thousands of sets, and allocating memory for each set made garbage collection
// the largest cost of a search.
const decodedBytes = Buffer.from(new ArrayBuffer(BYTE_COUNT));
const decodedWords: Bitmap = new Uint32Array(decodedBytes.buffer);
const decodedList = emptyBitmap();

/** Decodes a stored set into a shared bitmap, which the next call overwrites. */
function decode(stored: string): Bitmap {
  const length = decodedBytes.write(stored, 'base64');
  if (length === BYTE_COUNT) {
    toLittleEndian(decodedBytes);
    return decodedWords;
  }
  decodedList.fill(0);
  addPositions(decodedList, decodedBytes.subarray(0, length));
  return decodedList;
}

/** Adds a stored set to the bitmap. */
export const addStored = (bitmap: Bitmap, stored: string): void => unite(bitmap, decode(stored));

/** Removes a stored set from the bitmap. */
export const subtractStored = (bitmap: Bitmap, stored: string): void => subtract(bitmap, decode(stored));

const toLittleEndian = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());

/** Adds the positions of a list of big-endian 2-byte integers. */
export function addPositions(bitmap: Bitmap, list: Buffer): void {
  for (let index = 0; index < list.length; index += 2)
    addPosition(bitmap, ((list[index] ?? 0) << 8) | (list[index + 1] ?? 0));
}

export function addPosition(bitmap: Bitmap, position: number): void {
  bitmap[position >>> 5] = (bitmap[position >>> 5] ?? 0) | (1 << (position & 31));
}

export function removePosition(bitmap: Bitmap, position: number): void {
  bitmap[position >>> 5] = (bitmap[position >>> 5] ?? 0) & ~(1 << (position & 31));
}

/** Adds the positions in the second bitmap to the first bitmap. */
export function unite(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORD_COUNT; n++) bitmap[n] = (bitmap[n] ?? 0) | (other[n] ?? 0);
}

/** Keeps only the positions in the first bitmap that are also in the second bitmap. */
export function intersect(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORD_COUNT; n++) bitmap[n] = (bitmap[n] ?? 0) & (other[n] ?? 0);
}

/** Removes the positions in the second bitmap from the first bitmap. */
export function subtract(bitmap: Bitmap, other: Bitmap): void {
  for (let n = 0; n < WORD_COUNT; n++) bitmap[n] = (bitmap[n] ?? 0) & ~(other[n] ?? 0);
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let n = 0; n < WORD_COUNT; n++) count += countBitsInWord(bitmap[n] ?? 0);
  return count;
}

const commonBits = emptyBitmap();

/** Returns how many positions of a stored set are in the bitmap. */
export function countStored(bitmap: Bitmap, stored: string): number {
  commonBits.set(decode(stored));
  intersect(commonBits, bitmap);
  return countBits(commonBits);
}

/** Returns how many positions are in all the bitmaps. */
export function countCommon([first, ...others]: Bitmap[]): number {
  if (!first) return 0;
  commonBits.set(first);
  for (const other of others) intersect(commonBits, other);
  return countBits(commonBits);
}

/** Returns a new bitmap with the positions that are in all the bitmaps. */
export function intersectAll([first, ...others]: Bitmap[]): Bitmap {
  const result = first?.slice() ?? emptyBitmap();
  for (const other of others) intersect(result, other);
  return result;
}

/** Returns the positions below `end`, highest first, skipping the first `skip` and returning at most `limit`. */
export function highestPositions(bitmap: Bitmap, end: number, skip: number, limit: number): number[] {
  const positions: number[] = [];
  let remainingSkips = skip;
  for (let n = WORD_COUNT - 1; n >= 0 && positions.length < limit; n--) {
    const word = bitsBelow(bitmap[n] ?? 0, end - n * 32);
    const bitCount = countBitsInWord(word);
    if (bitCount <= remainingSkips) {
      remainingSkips -= bitCount;
      continue;
    }
    for (let bit = 31; bit >= 0 && positions.length < limit; bit--) {
      if ((word & (1 << bit)) !== 0 && remainingSkips-- <= 0) positions.push(n * 32 + bit);
    }
    remainingSkips = Math.max(remainingSkips, 0);
  }
  return positions;
}

/** Returns the bits of a word below the given bit. */
const bitsBelow = (word: number, bit: number): number =>
  bit >= 32 ? word : bit <= 0 ? 0 : word & ((1 << bit) - 1);

function countBitsInWord(word: number): number {
  let w = word - ((word >>> 1) & 0x55555555);
  w = (w & 0x33333333) + ((w >>> 2) & 0x33333333);
  return (((w + (w >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
