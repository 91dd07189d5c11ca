/** Counts the active features of a project. A stale feature is never potentially stale. */
export type Counts = { features: number; stale: number; potentiallyStale: number };

export const FORMULA = 'round(100 - 100 * (stale + potentiallyStale) / features), and 100 without features';

export const healthOf = (counts: Counts): number => Math.round(exactHealth(counts));

/** The health gained by archiving that many stale or potentially stale features, to two decimals. */
export function gainOf(counts: Counts, archived: number): number {
  const after = { ...counts, features: counts.features - archived, stale: counts.stale - archived };
  return Math.round((exactHealth(after) - exactHealth(counts)) * 100) / 100;
}

export const debtOf = ({ stale, potentiallyStale }: Counts): number => stale + potentiallyStale;

function exactHealth(counts: Counts): number {
  return counts.features === 0 ? 100 : 100 - (100 * debtOf(counts)) / counts.features;
}

/** The counts as Unleash names them: active features are those that are not stale. */
export function ratingOf(counts: Counts) {
  return {
    activeCount: counts.features - counts.stale,
    potentiallyStaleCount: counts.potentiallyStale,
    staleCount: counts.stale,
  };
}
