import { type Expression, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow } from './store.ts';
import { EVENT_WEIGHT } from './weight.ts';

/** Matching events in id order. None is missing up to the id `lastId`. */
export type EventBatch = { events: EventRow[]; lastId: number };

/** The weight after which a batch ends. Parsing and encoding 1 MB of JSON blocks the server for about 15 ms. */
const BATCH_WEIGHT = 1_048_576;

/**
 * Returns the first events of an id range that meet the conditions. Their number and total size are bounded, but the batch has at
 * least one event unless none matches.
 */
export async function readEventBatch(
  db: Reader,
  range: { afterId: number; lastId: number },
  limit: number,
  conditions: Expression<SqlBool>[] = [],
): Promise<EventBatch> {
  const allConditions = [sql`id > ${range.afterId} and id <= ${range.lastId}`, ...conditions];
  const { rows } = await sql<EventRow & { isTruncated: boolean }>`
    select ${EVENT_COLUMNS}, events.is_truncated as "isTruncated"
    from (
      select *, sum(weight) over (order by id rows unbounded preceding) - weight as weight_before,
        lead(id) over (order by id) is not null as is_truncated
      from (
        select *, ${EVENT_WEIGHT} as weight from events where ${sql.join(allConditions, sql` and `)} order by id limit ${limit}
      ) as first
    ) as events
    where weight_before < ${BATCH_WEIGHT}
    order by events.id`.execute(db);
  const lastRow = rows.at(-1);
  const isTruncated = lastRow !== undefined && (lastRow.isTruncated || rows.length === limit);
  return {
    events: rows.map(({ isTruncated: _, ...event }) => event),
    lastId: isTruncated ? lastRow.id : range.lastId,
  };
}
