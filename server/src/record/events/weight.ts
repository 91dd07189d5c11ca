import { sql } from 'kysely';

/** The text of a compressed value is at most 90 times larger than the value. 25 times is far above usual JSON. */
const COMPRESSED_WEIGHT = 25;

const weightOf = (column: string) => sql`
  coalesce(pg_column_size(${sql.ref(column)})
    * case when pg_column_compression(${sql.ref(column)}) is null then 1 else ${sql.lit(COMPRESSED_WEIGHT)} end, 0)`;

/**
 * The approximate size of an event as text, in bytes. It is estimated from the stored size, because reading 1,000 large values to
 * measure them would take longer than a statement may run.
 */
export const EVENT_WEIGHT = sql<number>`${weightOf('data')} + ${weightOf('pre_data')}`;
