import { badData } from '../../platform/errors.ts';
import {
  FilterError,
  oneText,
  parseLimit,
  parseOffset,
  parseSearch,
  parseWord,
} from '../../platform/http/filter.ts';
import { STATES } from './schema.ts';
import type { RecordSearch } from './store.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;
const MAX_LENGTH = 100;
const RULE = 'must be a time with a time zone, for example 2026-11-15T09:30:00Z';

/** Parses a time of a body into ISO 8601. Rejects times that do not exist in the calendar. */
export function parseBodyTime(value: string, path: string): string {
  const instant = read(value);
  if (instant === undefined) throw badData([{ message: `${path.split('/').at(-1)} ${RULE}`, path }]);
  return instant;
}

/** Parses the query of the list of records. Rejects it with every violation. */
export function parseRecordSearch(parameters: Record<string, unknown>): RecordSearch {
  return parseSearch<RecordSearch>(
    parameters,
    {
      limit: parseLimit,
      offset: parseOffset,
      state: value => parseWord(value, STATES),
      from: parseInstant,
      to: parseInstant,
    },
    { limit: 50, offset: 0 },
  );
}

function parseInstant(value: unknown): string {
  const instant = read(oneText(value, MAX_LENGTH));
  if (instant === undefined) throw new FilterError(RULE);
  return instant;
}

function read(value: string): string | undefined {
  const date = INSTANT.test(value) ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 ? date.toISOString() : undefined;
}
