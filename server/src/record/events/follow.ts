import { sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { type EventRow, listEventsBetween } from './store.ts';

const WRITERS = 1_214_344_281;

/**
 * The events after an id, oldest first, for whoever follows the log: none is missed and none comes out of order,
 * however late a transaction commits. Takes the pool, not a transaction: each step needs a snapshot of its own.
 */
export async function followEvents(db: Db, after: number, limit: number): Promise<EventRow[]> {
  return await listEventsBetween(db, after, await decidedUpTo(db), limit);
}

/**
 * The highest id up to which nothing can appear any more: every event up to it is committed or never will be.
 * Each writer holds a lock that names the last id given out before its own (0005_events.sql). The sequence is read
 * before the locks: who took an id up to `handedOut` and is not among the locks has ended by then.
 */
export async function decidedUpTo(db: Reader): Promise<number> {
  const sequence = await sql<{ handedOut: number }>`
    select case when is_called then last_value else last_value - 1 end as "handedOut" from events_id_seq`.execute(
    db,
  );
  const handedOut = sequence.rows[0]?.handedOut ?? 0;
  // The lock carries 31 bits of the id; how far it lies back gives the rest.
  const writers = await sql<{ furthestBack: number | null }>`
    select max((${handedOut}::bigint - objid::bigint + 2147483648) % 2147483648) as "furthestBack"
    from pg_locks
    where locktype = 'advisory' and classid = ${WRITERS} and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return handedOut - (writers.rows[0]?.furthestBack ?? 0);
}
