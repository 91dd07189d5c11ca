import { sql } from 'kysely';
import type { Reader } from '../db/database.ts';

/** How many statements on this database wait for a lock; for requests that compute before they come upon it. */
export async function waitingForLock(db: Reader): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}
