import { badData } from '@halyard/plane/platform/errors.ts';
import {
  FilterError,
  parseFilter,
  parseId,
  parseLimit,
  parseOffset,
  parseSearch,
  parseSingleText,
  parseText,
} from '@halyard/plane/platform/http/input/filter.ts';
import { STATES } from './schema.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;
const MAX_LENGTH = 100;
const TIME_RULE = 'must be a time with a time zone, for example 2026-11-15T09:30:00Z';

/** Matches response statuses from `low` to `high`, or deliveries without a response. */
export type StatusFilter = { low: number; high: number } | 'none';

export type RecordSearch = {
  limit: number;
  offset: number;
  before?: number;
  state?: string[];
  status?: StatusFilter[];
  type?: string[];
  query?: string;
  from?: string;
  to?: string;
};

/** Parses a time in a body into ISO 8601. Rejects dates that do not exist, such as February 30. */
export function parseBodyTime(value: string, path: string): string {
  const instant = parseTime(value);
  if (instant === undefined) throw badData([{ message: `${path.split('/').at(-1)} ${TIME_RULE}`, path }]);
  return instant;
}

/** Parses the query parameters for a list of records. The error lists every violation. */
export function parseRecordSearch(parameters: Record<string, unknown>): RecordSearch {
  const search = parseSearch<RecordSearch>(
    parameters,
    {
      limit: parseLimit,
      offset: parseOffset,
      before: parseId,
      state: parseStates,
      status: parseStatuses,
      type: parseFilter,
      query: parseText,
      from: parseInstant,
      to: parseInstant,
    },
    { limit: 50, offset: 0 },
  );
  if (Object.hasOwn(parameters, 'offset') && search.before !== undefined) {
    const message = 'offset cannot be combined with before. Use only one of them for paging.';
    throw badData([{ message, path: '/query/offset' }]);
  }
  return search;
}

/** Parses states in the filter grammar. A single state needs no operator. */
function parseStates(value: unknown): string[] {
  if (STATES.some(state => state === value)) return [String(value)];
  const states = parseFilter(value);
  if (states.some(state => !STATES.some(knownState => knownState === state)))
    throw new FilterError(`must be one of ${STATES.join(', ')}`);
  return [...new Set(states)];
}

function parseStatuses(value: unknown): StatusFilter[] {
  return [...new Set(parseFilter(value))].map(text => {
    if (text === 'none') return text;
    if (/^[1-5]xx$/.test(text)) {
      const low = Number(text.charAt(0)) * 100;
      return { low, high: low + 99 };
    }
    const status = /^[1-5]\d\d$/.test(text) ? Number(text) : undefined;
    if (status === undefined)
      throw new FilterError('must be a status such as 503, a class such as 5xx, or none');
    return { low: status, high: status };
  });
}

function parseInstant(value: unknown): string {
  const instant = parseTime(parseSingleText(value, MAX_LENGTH));
  if (instant === undefined) throw new FilterError(TIME_RULE);
  return instant;
}

function parseTime(value: string): string | undefined {
  const date = INSTANT.test(value) ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 ? date.toISOString() : undefined;
}
