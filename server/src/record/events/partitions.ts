import { sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { LOWEST_ID } from './imported.ts';

/** Partitions are large because, with 1,000 small ones, reading the newest 50 events took 23 ms. */
const IDS_PER_PARTITION = 4_194_304;
const PARTITIONS_AHEAD = 1;

/** Creates the current partition and the next one if they are missing. Returns the names of the new partitions. */
export async function extendPartitions(db: Db): Promise<string[]> {
  const { rows } = await sql<{ lastId: number }>`
    select last_value as "lastId" from events_id_seq`.execute(db);
  const current = Math.floor((rows[0]?.lastId ?? 0) / IDS_PER_PARTITION);
  const addedPartitions: string[] = [];
  for (let number = current; number <= current + PARTITIONS_AHEAD; number++) {
    const [firstId, endId] = [number * IDS_PER_PARTITION, (number + 1) * IDS_PER_PARTITION];
    if (await addPartition(db, `events_p${number}`, firstId, endId))
      addedPartitions.push(`events_p${number}`);
  }
  return addedPartitions;
}

export const IMPORTED_PARTITION = 'events_imported';

/** Creates the partition for imported events and the rows that track its index progress, unless they exist. */
export async function addImportedPartition(db: Db): Promise<void> {
  await addPartition(db, IMPORTED_PARTITION, LOWEST_ID, 0);
  await sql`
    insert into event_index_progress (part, chunks, format, key)
    select 'imported-' || part, 0, format, key from event_index_progress where part in ('filters', 'keyed-text')
    on conflict do nothing`.execute(db);
}

/** Returns how many event ids the attached partitions have left. */
export async function countEventIdsLeft(db: Reader): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select max(substring(pg_get_expr(relpartbound, oid) from 'TO \\(''?(\\d+)''?\\)')::bigint)
      - 1 - (select last_value from events_id_seq) as left
    from pg_class
    where oid in (select inhrelid from pg_inherits where inhparent = 'events'::regclass)`.execute(db);
  return rows[0]?.left ?? 0;
}

/** Adds a partition with `attach partition`, because `create table … partition of` blocks every reader and writer of events. */
async function addPartition(db: Db, name: string, firstId: number, endId: number): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtext('events partitions'))`.execute(tx);
    const { rows } = await sql<{
      present: boolean;
    }>`select to_regclass(${name}) is not null as present`.execute(tx);
    if (rows[0]?.present) return false;
    await sql`
      create table ${sql.id(name)} (like events including defaults including constraints)`.execute(tx);
    await sql`alter table events attach partition ${sql.id(name)}
      for values from (${sql.lit(firstId)}) to (${sql.lit(endId)})`.execute(tx);
    await sql`create trigger events_not_truncated before truncate on ${sql.id(name)}
      for each statement execute function events_refuse_change()`.execute(tx);
    return true;
  });
}
