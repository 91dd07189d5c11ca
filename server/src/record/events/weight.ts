import { sql } from 'kysely';

/** The text of a compressed value can be up to 90 times as large as the stored value, but 25 is far above the factor of typical JSON. */
const COMPRESSION_FACTOR = 25;

const estimateWeight = (column: string) => sql`
  coalesce(pg_column_size(${sql.ref(column)})
    * case when pg_column_compression(${sql.ref(column)}) is null then 1 else ${sql.lit(COMPRESSION_FACTOR)} end, 0)`;

/**
 * The approximate size of an event as text, in bytes. It is estimated from the stored size, because reading 1,000 large values to
 * measure them would take longer than a statement may run.
 */
export const EVENT_WEIGHT = sql<number>`${estimateWeight('data')} + ${estimateWeight('pre_data')}`;
