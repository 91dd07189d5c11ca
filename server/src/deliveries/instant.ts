import { badData, type Violation } from '../errors.ts';
import type { RecordQuery } from './schema.ts';
import type { RecordSearch } from './store.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** A moment in the form both PostgreSQL and we understand; what the calendar does not have is refused. */
export function instantOf(value: string, path: string): string {
  const date = INSTANT.test(value) ? new Date(value) : undefined;
  if (date && !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0) return date.toISOString();
  throw badData([{ message: `${path.split('/').at(-1)} must be a time such as 2026-11-15T09:30:00Z`, path }]);
}

export function readSearch({ limit, offset, state, from, to }: RecordQuery): RecordSearch {
  const details: Violation[] = [];
  const read = (value: string, path: string): string => {
    try {
      return instantOf(value, path);
    } catch (error) {
      details.push(...(error as { details: Violation[] }).details);
      return value;
    }
  };
  const search = {
    limit: Number(limit ?? 50),
    offset: Number(offset ?? 0),
    ...(state === undefined ? {} : { state }),
    ...(from === undefined ? {} : { from: read(from, '/query/from') }),
    ...(to === undefined ? {} : { to: read(to, '/query/to') }),
  };
  if (details.length > 0) throw badData(details);
  return search;
}
