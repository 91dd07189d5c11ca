import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

/** The class of the advisory locks that event writers take (0005_events.sql). */
const WRITER_LOCKS = 1_214_344_281;

/**
 * Returns the highest id up to which the log is complete, which means that every event up to it is committed or was rolled back. A
 * consumer that reads the log up to this id misses no event and gets none out of order, no matter how late a transaction commits.
 * It must read the events in a later snapshot.
 * Each writer holds a lock whose key is the last id that was assigned before its own. The sequence must be read before the locks,
 * because then a writer that took an id up to `assignedId` and holds no lock has ended.
 */
export async function readWatermark(db: Reader): Promise<number> {
  const assignedId = await readLastAssigned(db);
  // A lock key has only the low 31 bits of an id, so writers are compared by their distance from the last assigned id. A writer
  // that began after the sequence was read can be ahead of it, which wraps around to a distance in the upper half of the range.
  // Such a writer is ignored, because its events have ids above `assignedId`.
  const writers = await sql<{ distance: number | null }>`
    select max(distance) as distance
    from (
      select (${assignedId}::bigint - objid::bigint + 2147483648) % 2147483648 as distance from pg_locks
      where locktype = 'advisory' and classid = ${WRITER_LOCKS} and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    ) as writers
    where distance < 1073741824`.execute(db);
  return assignedId - (writers.rows[0]?.distance ?? 0);
}

/** Returns the highest id that was assigned to an event, whether or not its transaction has ended. */
export async function readLastAssigned(db: Reader): Promise<number> {
  const { rows } = await sql<{ assigned: number }>`
    select case when is_called then last_value else last_value - 1 end as assigned
    from events_id_seq`.execute(db);
  return rows[0]?.assigned ?? 0;
}
