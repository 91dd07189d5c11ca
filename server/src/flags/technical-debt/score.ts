/** Counts of a project's active features. A stale feature never counts as potentially stale too. */
export type Counts = { features: number; stale: number; potentiallyStale: number };

export const FORMULA = 'round(100 - 100 * (stale + potentiallyStale) / features), and 100 without features';

export const computeHealth = (counts: Counts): number => Math.round(computeExactHealth(counts));

/** Returns the health gained by archiving this number of stale or potentially stale features, to two decimals. */
export function computeHealthGain(counts: Counts, archived: number): number {
  const remainingCounts = { ...counts, features: counts.features - archived, stale: counts.stale - archived };
  return Math.round((computeExactHealth(remainingCounts) - computeExactHealth(counts)) * 100) / 100;
}

export const computeDebt = ({ stale, potentiallyStale }: Counts): number => stale + potentiallyStale;

function computeExactHealth(counts: Counts): number {
  return counts.features === 0 ? 100 : 100 - (100 * computeDebt(counts)) / counts.features;
}

/** Returns the counts as Unleash names them, where active features are those that are not stale. */
export function toUnleashCounts(counts: Counts) {
  return {
    activeCount: counts.features - counts.stale,
    potentiallyStaleCount: counts.potentiallyStale,
    staleCount: counts.stale,
  };
}
