import { type RawBuilder, sql } from 'kysely';

/**
 * For `where('name', '=', anyOf(names))`. Kysely's `in` makes another statement for every length of the list, each of
 * which PostgreSQL would have to prepare.
 */
export const anyOf = <T>(values: T[]): RawBuilder<T> => sql<T>`any(${values})`;
