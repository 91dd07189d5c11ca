/**
 * The lower bounds of the buckets that durations are counted in, in milliseconds: four per doubling, up to 23 s. An attempt takes
 * at most 15 s. Stored counts (integration_hours.durations) depend on the positions, so bounds can only be added at the end.
 */
const BOUNDS: readonly number[] = [
  ...new Set([0, ...Array.from({ length: 59 }, (_, n) => Math.round(2 ** (n / 4)))]),
];

/** Counts durations by bucket. */
export function countDurations(durations: number[]): number[] {
  const counts = BOUNDS.map(() => 0);
  for (const duration of durations) {
    const bucket = BOUNDS.findLastIndex(bound => bound <= duration);
    counts[Math.max(0, bucket)] = (counts[Math.max(0, bucket)] ?? 0) + 1;
  }
  return counts;
}

export const addCounts = (a: number[], b: number[]): number[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, n) => (a[n] ?? 0) + (b[n] ?? 0));

/** Returns the duration that this share of the attempts did not exceed, accurate to about 10 %, or null if there are none. */
export function computePercentile(counts: number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let remaining = Math.ceil(total * share);
  const bucket = counts.findIndex(count => {
    remaining -= count;
    return remaining <= 0;
  });
  const low = BOUNDS[bucket] ?? 0;
  const high = (BOUNDS[bucket + 1] ?? low + 1) - 1;
  return Math.round(Math.sqrt(low * high));
}
