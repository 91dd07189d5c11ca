import { badData, type Violation } from '../errors.ts';
import {
  FilterError,
  parseCount,
  parseDay,
  parseFilter,
  parseIntegerFilter,
  parseText,
} from '../http/filter.ts';

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

const INT4 = 2_147_483_647;

const PARSERS: { [K in keyof EventSearch]-?: (value: unknown) => NonNullable<EventSearch[K]> } = {
  query: parseText,
  feature: parseFilter,
  project: parseFilter,
  type: parseFilter,
  createdBy: value => parseIntegerFilter(value, -INT4 - 1, INT4),
  environment: parseFilter,
  id: value => parseIntegerFilter(value, 1, Number.MAX_SAFE_INTEGER),
  groupId: parseFilter,
  from: parseDay,
  to: parseDay,
  // No event is that far away; past the end the page is empty and the total true.
  offset: value => Math.min(parseCount(value, 0, Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER),
  limit: value => parseCount(value, 1, 1_000),
};

/** Reads the parameters of the event search, or refuses with every violation. Unknown ones are ignored. */
export function parseEventSearch(parameters: Record<string, unknown>): EventSearch {
  const search: Record<string, unknown> = { offset: 0, limit: 50 };
  const details: Violation[] = [];
  const refuse = (name: string, why: string) =>
    details.push({ message: `${name} ${why}`, path: `/query/${name}` });

  for (const [key, value] of Object.entries(parameters)) {
    const name = key.replace(/\[.*$/, '');
    if (!Object.hasOwn(PARSERS, name)) continue;
    if (name !== key) {
      refuse(name, 'must be given without brackets');
      continue;
    }
    try {
      search[name] = PARSERS[name as keyof EventSearch](value);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      refuse(name, error.message);
    }
  }
  if (details.length > 0) throw badData(details);
  return search as EventSearch;
}
