import { sql } from 'kysely';
import type { Reader } from '../platform/db/database.ts';

export type QueueCounts = { name: string; ready: number; deferred: number; active: number; failed: number };

/**
 * Counts the jobs of every queue. pg-boss updates the counts every 3 s, so this reads a dozen rows, no matter how many jobs there
 * are.
 */
export async function countJobs(db: Reader): Promise<QueueCounts[]> {
  const { rows } = await sql<QueueCounts>`
    select name, ready_count as ready, deferred_count as deferred, active_count as active, failed_count as failed
    from pgboss.queue order by name`.execute(db);
  return rows;
}

/** Counts the partitions of the tables that grow with time. */
export async function countPartitions(
  db: Reader,
  tables: readonly string[],
): Promise<{ table: string; count: number }[]> {
  const { rows } = await sql<{ table: string; count: number }>`
    select given.name as table, count(pg_inherits.inhrelid) as count
    from unnest(${tables}::text[]) as given (name)
    left join pg_inherits on pg_inherits.inhparent = to_regclass(given.name)
    group by given.name`.execute(db);
  return rows;
}
