import { type Expression, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow } from './store.ts';
import { EVENT_WEIGHT } from './weight.ts';

/** Some events in the order of their ids. Up to the id `upTo`, no other event matches. */
export type EventBatch = { events: EventRow[]; upTo: number };

/** The weight after which a batch ends. Parsing and encoding 1 MB of JSON blocks the server for about 15 ms. */
const BATCH_WEIGHT = 1_048_576;

/** The first events of an id range that meet the conditions, bounded in number and size, at least one if there is one. */
export async function readEventBatch(
  db: Reader,
  range: { after: number; upTo: number },
  limit: number,
  conditions: Expression<SqlBool>[] = [],
): Promise<EventBatch> {
  const all = [sql`id > ${range.after} and id <= ${range.upTo}`, ...conditions];
  const { rows } = await sql<EventRow & { isCut: boolean }>`
    select ${EVENT_COLUMNS}, events.is_cut as "isCut"
    from (
      select *, sum(weight) over (order by id rows unbounded preceding) - weight as weight_before,
        lead(id) over (order by id) is not null as is_cut
      from (
        select *, ${EVENT_WEIGHT} as weight from events where ${sql.join(all, sql` and `)} order by id limit ${limit}
      ) as first
    ) as events
    where weight_before < ${BATCH_WEIGHT}
    order by events.id`.execute(db);
  const last = rows.at(-1);
  const isCut = last !== undefined && (last.isCut || rows.length === limit);
  return { events: rows.map(({ isCut: _, ...event }) => event), upTo: isCut ? last.id : range.upTo };
}
