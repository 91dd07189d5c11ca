import { hashCodes, startHash } from './hash.ts';
import { getCodes } from './split.ts';

/** A text with more UTF-16 code units than this is large. A code unit is called a code here. */
export const MAX_SMALL_LENGTH = 32_768;

/**
 * The number of filter bits per code. In a text that consists of random values, such as ids, about 1 in 5 bits is set, so a run of
 * 5 codes that the text does not contain has its bit set with that probability.
 */
const BITS_PER_CODE = 4;
/**
 * Searches use runs of 5 codes, because a large text of random values contains many of the possible runs of 3. Strings with fewer
 * than 5 codes use runs of 3.
 */
const [LONG_RUN, SHORT_RUN] = [5, 3];
/** Beyond this number, further runs of a string rule out hardly any more events. */
const MAX_RUNS = 12;

/** Returns the filter of a large text, which has a bit for each of its runs of 3 and 5 codes. */
export function buildTextFilter(key: number, text: string): Buffer {
  const codes = getCodes(text);
  const start = startHash(key, 'large');
  const filter = Buffer.alloc(Math.ceil((text.length * BITS_PER_CODE) / 8));
  const bits = 8 * filter.length;
  for (let index = 0; index < text.length; index++) {
    for (const size of [SHORT_RUN, LONG_RUN]) {
      if (index + size > text.length) continue;
      const bit = toHash(hashCodes(start, codes, index, index + size)) % bits;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/**
 * Returns the hashes of runs of a string. In the filter of an event that contains the string, the bit at each hash modulo the
 * number of bits is set.
 */
export function hashRuns(key: number, text: string): number[] {
  const size = text.length >= LONG_RUN ? LONG_RUN : SHORT_RUN;
  const count = Math.max(0, text.length - size + 1);
  const codes = getCodes(text);
  const hashes = Array.from({ length: Math.min(count, MAX_RUNS) }, (_, n) => {
    const from = Math.floor((n * count) / Math.min(count, MAX_RUNS));
    return toHash(hashCodes(startHash(key, 'large'), codes, from, from + size));
  });
  return [...new Set(hashes)];
}

/** Clears the sign bit, because PostgreSQL has no unsigned integers. */
const toHash = (hash: number): number => hash & 0x7fffffff;
