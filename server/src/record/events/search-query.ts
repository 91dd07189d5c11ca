import { badData } from '@halyard/plane/platform/errors.ts';
import {
  MAX_ID,
  parseActorIds,
  parseAnyText,
  parseDay,
  parseEnumValue,
  parseFilter,
  parseInteger,
  parseIntegerFilter,
  parseLimit,
  parseOffset,
  parseSearch,
} from '@halyard/plane/platform/http/input/filter.ts';
import { LOWEST_ID } from './imported.ts';

export type EventFilters = {
  query?: string;
  feature?: string[];
  project?: string[];
  type?: string[];
  createdBy?: number[];
  createdByKind?: string[];
  environment?: string[];
  id?: number[];
  groupId?: string[];
  from?: string;
  to?: string;
};

/** The ids that bound a page or an export. Only events between them are returned. */
export type EventCursor = { before?: number; after?: number };

export type EventSearch = EventFilters & EventCursor & { offset: number; limit: number };

type Parsers<S> = { [K in keyof S]-?: (value: unknown) => NonNullable<S[K]> };

const FILTERS: Parsers<EventFilters> = {
  query: parseAnyText,
  feature: parseFilter,
  project: parseFilter,
  type: parseFilter,
  createdBy: parseActorIds,
  createdByKind: parseFilter,
  environment: parseFilter,
  id: value => parseIntegerFilter(value, LOWEST_ID, MAX_ID),
  groupId: parseFilter,
  from: parseDay,
  to: parseDay,
};

export const parseParts = (value: unknown): boolean => parseEnumValue(value, ['true', 'false']) === 'true';

const parseEventId = (value: unknown): number => parseInteger(value, LOWEST_ID, MAX_ID);

export const CURSOR: Parsers<EventCursor> = { before: parseEventId, after: parseEventId };

/**
 * Parses event filters and the other parameters of an operation, or throws an error with every violation. Unknown parameters are
 * ignored. Every operation that filters events calls this function.
 */
export function parseEventFilters<Extra extends object>(
  parameters: Record<string, unknown>,
  parsers: Parsers<Extra>,
  defaults: Extra,
): EventFilters & Extra {
  // After the spread into one object, the compiler no longer knows which parser belongs to which field.
  const allParsers = { ...FILTERS, ...parsers } as Parsers<EventFilters & Extra>;
  return parseSearch<EventFilters & Extra>(parameters, allParsers, defaults);
}

/** Parses the parameters of the event search. */
export function parseEventSearch(parameters: Record<string, unknown>): EventSearch & { parts?: boolean } {
  const search = parseEventFilters<EventCursor & { offset: number; limit: number; parts?: boolean }>(
    parameters,
    { ...CURSOR, offset: parseOffset, limit: parseLimit, parts: parseParts },
    { offset: 0, limit: 50 },
  );
  if (Object.hasOwn(parameters, 'offset') && (search.before ?? search.after) !== undefined) {
    const message = 'offset must not be combined with before or after. Use one or the other.';
    throw badData([{ message, path: '/query/offset' }]);
  }
  return search;
}
