/**
 * What a hash is for. The same characters have a different hash for each purpose. Users choose the strings, and must not be able
 * to choose strings with the same hash, so every hash begins with a random number that is stored with the index.
 */
const PURPOSES = ['gram', 'word', 'phrase', 'part', 'junction', 'large'] as const;

/** Begins a hash for a purpose. */
export const startHash = (key: number, purpose: (typeof PURPOSES)[number]): number =>
  mix(key, PURPOSES.indexOf(purpose) + 1);

/** Continues a hash with a range of UTF-16 codes. */
export function hashCodes(start: number, codes: Uint16Array, from: number, to: number): number {
  let hash = start;
  for (let index = from; index < to; index++) hash = mix(hash, codes[index] ?? 0);
  return hash;
}

function mix(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/**
 * Buckets of hashes. The set of a bucket has every event with a junction or part that hashes to the bucket. Junctions and parts do
 * not share buckets.
 */
export const [JUNCTION_BUCKETS, PART_BUCKETS] = [4_096, 2_048];
export const junctionBucket = (hash: number): number => (hash >>> 0) % JUNCTION_BUCKETS;
export const partBucket = (hash: number): number => JUNCTION_BUCKETS + ((hash >>> 0) % PART_BUCKETS);
