import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Reader } from '../platform/db/database.ts';

const TIMEOUT_MS = 100_000;

/** Returns how many statements on this database wait for a lock. Use it if requests do other work before they reach the lock. */
export async function countLockWaiters(db: Reader): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}

/** Resolves when at least this many transactions on this database wait for a lock, or throws. */
export async function waitForLockWaiters(db: Db, count = 1): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < TIMEOUT_MS) {
    if ((await countLockWaiters(db)) >= count) return;
    await sleep(10);
  }
  throw new Error(`Fewer than ${count} transactions waited for a lock within ${TIMEOUT_MS} ms`);
}
