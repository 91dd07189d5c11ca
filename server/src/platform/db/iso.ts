import { type RawBuilder, sql } from 'kysely';

/** Formats a time with milliseconds and a Z, as everywhere in the API, because jsonb formats times differently. */
export const iso = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
