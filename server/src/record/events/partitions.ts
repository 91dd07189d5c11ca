import { sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { letListGrow } from './text-index.ts';

/** Few, large partitions: a thousand small ones made an unbounded newest-50 page cost 23 ms, measured. */
const IDS_PER_PARTITION = 4_194_304;
const PARTITIONS_AHEAD = 1;

/** Makes sure that the partition after the one in use exists; returns the names of those it made. */
export async function extendPartitions(db: Db): Promise<string[]> {
  const { rows } = await sql<{ lastId: number }>`select last_value as "lastId" from events_id_seq`.execute(
    db,
  );
  const current = Math.floor((rows[0]?.lastId ?? 0) / IDS_PER_PARTITION);
  const made: string[] = [];
  for (let number = current; number <= current + PARTITIONS_AHEAD; number++) {
    if (await addPartition(db, number)) made.push(`events_p${number}`);
  }
  return made;
}

/** How many more events the attached partitions have room for. */
export async function countEventIdsLeft(db: Reader): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select max(substring(pg_get_expr(relpartbound, oid) from 'TO \\(''?(\\d+)''?\\)')::bigint)
      - 1 - (select last_value from events_id_seq) as left
    from pg_class where oid in (select inhrelid from pg_inherits where inhparent = 'events'::regclass)`.execute(
    db,
  );
  return rows[0]?.left ?? 0;
}

/** `attach` instead of `partition of`: the latter would lock out every reader and writer of events. */
async function addPartition(db: Db, number: number): Promise<boolean> {
  const name = `events_p${number}`;
  return await db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtext('events partitions'))`.execute(tx);
    const { rows } = await sql<{
      present: boolean;
    }>`select to_regclass(${name}) is not null as present`.execute(tx);
    if (rows[0]?.present) return false;
    const [from, to] = [number * IDS_PER_PARTITION, (number + 1) * IDS_PER_PARTITION];
    await sql`create table ${sql.id(name)} (like events including defaults including constraints)`.execute(
      tx,
    );
    await sql`alter table events attach partition ${sql.id(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
    await sql`create trigger events_not_truncated before truncate on ${sql.id(name)}
      for each statement execute function events_refuse_change()`.execute(tx);
    await letListGrow(tx, name);
    return true;
  });
}
