import type { Flag } from './queries.ts';

/** The labels of the states of a flag. All except `archived` are values of the `state:` filter. */
export const STATES = {
  active: 'Active',
  'potentially-stale': 'Potentially stale',
  stale: 'Stale',
  archived: 'Archived',
};

const DAY_MS = 86_400_000;

/** Returns the state of a flag. A flag is potentially stale once it is older than its type's lifetime. */
export function getState(
  { stale, archivedAt, createdAt }: Pick<Flag, 'stale' | 'archivedAt' | 'createdAt'>,
  lifetimeDays: number | null | undefined,
  now = Date.now(),
): keyof typeof STATES {
  if (archivedAt) return 'archived';
  if (stale) return 'stale';
  const isPastLifetime = lifetimeDays != null && Date.parse(createdAt) <= now - lifetimeDays * DAY_MS;
  return isPastLifetime ? 'potentially-stale' : 'active';
}
