import { type RawBuilder, sql } from 'kysely';

/**
 * Builds the right side of `where('name', '=', matchAny(names))`. Kysely's `in` creates a different statement for every length of the
 * list, and PostgreSQL would have to prepare each of them.
 */
export const matchAny = <T>(values: T[]): RawBuilder<T> => sql<T>`any(${values})`;
