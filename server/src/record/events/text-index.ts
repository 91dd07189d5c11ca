import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/**
 * New events first go to a list beside the text index, which searches read too. Whoever makes it longer than this
 * merges it; so much that the job comes first (some 4,000 events within a minute).
 */
const LIST_KB = 32_768;

/** Partitions of an index inherit no settings from it once it is there: each is told. */
export async function letListGrow(tx: Tx, partition: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_inherits
    join pg_index on indexrelid = inhrelid join pg_class part on part.oid = inhrelid
    where inhparent = to_regclass('events_text_idx') and indrelid = ${partition}::regclass`.execute(tx);
  for (const { name } of rows) {
    await sql`alter index ${sql.id(name)} set (gin_pending_list_limit = ${sql.lit(LIST_KB)})`.execute(tx);
  }
}

/** Merges what waits beside the text index, so that no change has to; returns how many pages that were. */
export async function mergeTextIndex(db: Db): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select coalesce(sum(gin_clean_pending_list(inhrelid)), 0)::integer as pages
    from pg_inherits where inhparent = to_regclass('events_text_idx')`.execute(db);
  return rows[0]?.pages ?? 0;
}
