import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';

const WITHIN_MS = 4_000;

/** Goes on when so many transactions of this database wait for a lock; fails if none ever does. */
export async function untilWaiting(db: Db, number = 1): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < WITHIN_MS) {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if ((rows[0]?.count ?? 0) >= number) return;
    await sleep(10);
  }
  throw new Error(`Fewer than ${number} transactions waited for a lock within ${WITHIN_MS} ms`);
}
