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
const RULE = 'must be a time such as 2026-11-15T09:30:00Z';

/** A moment in the form both PostgreSQL and we understand; a moment that the calendar does not have is rejected. */
export function instantOf(value: string, path: string): string {
  const instant = read(value);
  if (instant === undefined) throw badData([{ message: `${path.split('/').at(-1)} ${RULE}`, path }]);
  return instant;
}

/** Reads the parameters of the list of records, or rejects it with every violation. */
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
