import { type RawBuilder, sql } from 'kysely';

// JSON that PostgreSQL composes as text, because jsonb took 1.5 times the CPU time for a report of 10,000 features.

export const jsonTime = (value: RawBuilder<unknown>) =>
  sql`to_char(${value} at time zone 'UTC', '\\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\\"')`;

/** A field that is omitted if it has no value. */
export const optionalField = (name: string, value: RawBuilder<unknown>) =>
  sql`coalesce(${sql.lit(`,"${name}":`)} || ${value}, '')`;

/** A boolean field as one string: the cost of composing text depends on the number of pieces. */
export const booleanField = (name: string, column: RawBuilder<unknown>) =>
  sql`case when ${column} then ${sql.lit(`,"${name}":true`)} else ${sql.lit(`,"${name}":false`)} end`;

/** A JSON list of `item`, which is JSON text, for each row of `from`, in its order. */
export const jsonList = (item: RawBuilder<unknown>, from: RawBuilder<unknown>) =>
  sql`'[' || coalesce((select string_agg(${item}, ',') from (select * from ${from}) as one), '') || ']'`;
