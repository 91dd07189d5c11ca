/**
 * What is hashed. The same characters have a different hash for each purpose. Editors choose the texts, and must not be able to
 * choose texts with the same hash, so every hash begins with a random number that is stored with the index.
 */
const PURPOSES = ['word', 'phrase', 'part', 'short', 'junction', 'large'] as const;

/** Begins a hash for a purpose. */
export const startHash = (key: number, purpose: (typeof PURPOSES)[number]): number =>
  mix(key, PURPOSES.indexOf(purpose) + 1);

/** Continues a hash with a range of UTF-16 codes. */
export function hashCodes(start: number, codes: Uint16Array, from: number, to: number): number {
  let hash = start;
  for (let at = from; at < to; at++) hash = mix(hash, codes[at] ?? 0);
  return hash;
}

function mix(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Buckets of hashes. A set of a bucket has the events of all that is hashed to it. */
export const BUCKETS = 8_192;
export const bucketOf = (hash: number): number => (hash >>> 0) % BUCKETS;
