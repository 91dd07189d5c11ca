import { type RawBuilder, sql } from 'kysely';

/** jsonb writes times in its own way; the API has milliseconds and a Z everywhere. */
export const iso = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
