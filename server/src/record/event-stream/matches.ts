import type { EventFilters } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';

/**
 * Returns whether an event matches the filters of a search, in the same way as `toConditions()`. `hasText` returns whether
 * PostgreSQL found a string in the event, because JavaScript would format JSON and compare letters differently.
 */
export function matches(event: EventRow, search: EventFilters, hasText: (text: string) => boolean): boolean {
  return (
    matchesAny(event.featureName, search.feature) &&
    matchesAny(event.project, search.project) &&
    matchesAny(event.type, search.type) &&
    matchesAny(event.createdByUserId, search.createdBy) &&
    matchesAny<string>(event.createdByKind, search.createdByKind) &&
    matchesAny(event.environment, search.environment) &&
    matchesAny(event.id, search.id) &&
    matchesAny(event.groupId, search.groupId) &&
    isWithinDays(event.createdAt, search) &&
    (!search.query || hasText(search.query))
  );
}

function matchesAny<T>(value: T | null, allowedValues: T[] | undefined): boolean {
  return allowedValues === undefined || (value !== null && allowedValues.includes(value));
}

/** Days are in UTC, and both ends are inclusive. `createdAt` is in ISO 8601 and UTC, so it begins with the day. */
function isWithinDays(createdAt: string, { from, to }: EventFilters): boolean {
  const day = createdAt.slice(0, 10);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}
