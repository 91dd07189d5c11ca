import type { EventFilters } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';

/**
 * Whether an event matches the filters of a search, with the meaning of `conditions()`. For text, `hasText` returns what
 * PostgreSQL found, because PostgreSQL formats JSON and compares letters in its own way.
 */
export function matches(event: EventRow, search: EventFilters, hasText: (text: string) => boolean): boolean {
  return (
    isAnyOf(event.featureName, search.feature) &&
    isAnyOf(event.project, search.project) &&
    isAnyOf(event.type, search.type) &&
    isAnyOf(event.createdByUserId, search.createdBy) &&
    isAnyOf<string>(event.createdByKind, search.createdByKind) &&
    isAnyOf(event.environment, search.environment) &&
    isAnyOf(event.id, search.id) &&
    isAnyOf(event.groupId, search.groupId) &&
    isWithinDays(event.createdAt, search) &&
    (!search.query || hasText(search.query))
  );
}

function isAnyOf<T>(value: T | null, wanted: T[] | undefined): boolean {
  return wanted === undefined || (value !== null && wanted.includes(value));
}

/** Days are in UTC, and both ends are included. The time is ISO 8601 in UTC, so it begins with its day. */
function isWithinDays(createdAt: string, { from, to }: EventFilters): boolean {
  const day = createdAt.slice(0, 10);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}
