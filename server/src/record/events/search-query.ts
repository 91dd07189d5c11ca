import {
  MAX_ID,
  parseActorIds,
  parseAnyText,
  parseDay,
  parseFilter,
  parseIntegerFilter,
  parseLimit,
  parseOffset,
  parseSearch,
} from '../../platform/http/filter.ts';

export type EventSearch = {
  query?: string;
  feature?: string[];
  project?: string[];
  type?: string[];
  createdBy?: number[];
  environment?: string[];
  id?: number[];
  groupId?: string[];
  from?: string;
  to?: string;
  offset: number;
  limit: number;
};

const PARSERS: { [K in keyof EventSearch]-?: (value: unknown) => NonNullable<EventSearch[K]> } = {
  query: parseAnyText,
  feature: parseFilter,
  project: parseFilter,
  type: parseFilter,
  createdBy: parseActorIds,
  environment: parseFilter,
  id: value => parseIntegerFilter(value, 1, MAX_ID),
  groupId: parseFilter,
  from: parseDay,
  to: parseDay,
  offset: parseOffset,
  limit: parseLimit,
};

/** Parses the parameters of the event search, or throws an error with every violation. Unknown ones are ignored. */
export function parseEventSearch(parameters: Record<string, unknown>): EventSearch {
  return parseSearch<EventSearch>(parameters, PARSERS, { offset: 0, limit: 50 });
}
