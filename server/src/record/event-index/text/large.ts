/** A text with more UTF-16 codes is large. */
export const MAX_SMALL_LENGTH = 32_768;

/** Bits per code. With random values, a run of 5 codes that the text does not contain has its bit set in 1 of 5 filters. */
const BITS_PER_CODE = 4;
/** Runs of 5 codes exclude random values, runs of 3 exclude short texts. */
const [LONG_RUN, SHORT_RUN] = [5, 3];
/** More runs of a text hardly exclude more. */
const MAX_RUNS = 12;

/** The filter of a large text: a bit for each of its runs of 3 and 5 codes. */
export function filterOf(text: string): Buffer {
  const filter = Buffer.alloc(Math.ceil((text.length * BITS_PER_CODE) / 8));
  const bits = 8 * filter.length;
  for (let at = 0; at < text.length; at++) {
    for (const size of [SHORT_RUN, LONG_RUN]) {
      if (at + size > text.length) continue;
      const bit = hashOf(text, at, size) % bits;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** The hashes of runs of a text. In the filter of a text that contains it, the bit of each hash is set: hash modulo number of bits. */
export function hashesOf(text: string): number[] {
  const size = text.length >= LONG_RUN ? LONG_RUN : SHORT_RUN;
  const count = text.length - size + 1;
  if (count <= 0) return [];
  const hashes = Array.from({ length: Math.min(count, MAX_RUNS) }, (_, n) =>
    hashOf(text, Math.floor((n * count) / Math.min(count, MAX_RUNS)), size),
  );
  return [...new Set(hashes)];
}

function hashOf(text: string, from: number, size: number): number {
  let hash = size;
  for (let at = from; at < from + size; at++) hash = Math.imul(hash ^ (text.charCodeAt(at) + 1), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
