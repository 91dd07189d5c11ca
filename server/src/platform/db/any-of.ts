import { type RawBuilder, sql } from 'kysely';

/**
 * For `where('name', '=', anyOf(names))`. Kysely's `in` creates a different statement for every length of the list, and
 * PostgreSQL would have to prepare each of them.
 */
export const anyOf = <T>(values: T[]): RawBuilder<T> => sql<T>`any(${values})`;
