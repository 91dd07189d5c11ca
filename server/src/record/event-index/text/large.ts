import { hashCodes, startHash } from './hash.ts';
import { codesOf } from './split.ts';

/** A text with more UTF-16 codes is large. */
export const MAX_SMALL_LENGTH = 32_768;

/** Bits per code. With random values, a run of 5 codes that the text does not contain has its bit set in 1 of 5 filters. */
const BITS_PER_CODE = 4;
/** Runs of 5 codes rule out random values, and runs of 3 rule out short strings. */
const [LONG_RUN, SHORT_RUN] = [5, 3];
/** Using more runs of a string hardly rules out more. */
const MAX_RUNS = 12;

/** The filter of a large text: a bit for each of its runs of 3 and 5 codes. */
export function filterOf(key: number, text: string): Buffer {
  const codes = codesOf(text);
  const start = startHash(key, 'large');
  const filter = Buffer.alloc(Math.ceil((text.length * BITS_PER_CODE) / 8));
  const bits = 8 * filter.length;
  for (let at = 0; at < text.length; at++) {
    for (const size of [SHORT_RUN, LONG_RUN]) {
      if (at + size > text.length) continue;
      const bit = toHash(hashCodes(start, codes, at, at + size)) % bits;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/**
 * The hashes of runs of a string. In the filter of an event that contains the string, the bit of each hash is set: hash modulo
 * number of bits.
 */
export function hashesOf(key: number, text: string): number[] {
  const size = text.length >= LONG_RUN ? LONG_RUN : SHORT_RUN;
  const count = Math.max(0, text.length - size + 1);
  const codes = codesOf(text);
  const hashes = Array.from({ length: Math.min(count, MAX_RUNS) }, (_, n) => {
    const from = Math.floor((n * count) / Math.min(count, MAX_RUNS));
    return toHash(hashCodes(startHash(key, 'large'), codes, from, from + size));
  });
  return [...new Set(hashes)];
}

/** PostgreSQL has no unsigned integers. */
const toHash = (hash: number): number => hash & 0x7fffffff;
