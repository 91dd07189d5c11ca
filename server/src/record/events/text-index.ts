import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/**
 * New events enter the GIN pending list of the text index, which searches read too. The transaction that makes the list longer than
 * this limit flushes it. The limit holds about 4,000 events, so the job that runs every minute usually flushes first.
 */
const PENDING_LIST_KB = 32_768;

/** Sets the limit for one partition. The index of a partition does not inherit settings of the index of `events`. */
export async function setPendingListLimit(tx: Tx, partition: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_inherits
    join pg_index on indexrelid = inhrelid join pg_class part on part.oid = inhrelid
    where inhparent = to_regclass('events_text_idx') and indrelid = ${partition}::regclass`.execute(tx);
  for (const { name } of rows) {
    await sql`alter index ${sql.id(name)} set (gin_pending_list_limit = ${sql.lit(PENDING_LIST_KB)})`.execute(
      tx,
    );
  }
}

/** Flushes the pending list of the text index, so that no change has to do it. Returns the number of pages. */
export async function flushTextIndex(db: Db): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select coalesce(sum(gin_clean_pending_list(inhrelid)), 0)::integer as pages
    from pg_inherits where inhparent = to_regclass('events_text_idx')`.execute(db);
  return rows[0]?.pages ?? 0;
}
