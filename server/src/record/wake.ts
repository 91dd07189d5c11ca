import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** The channels that must be notified again, by pool. */
const waking = new WeakMap<Db, Set<string>>();

/**
 * Notifies servers after the commit. PostgreSQL commits transactions that notify one after the other, so a notification within
 * the change would make every change wait for the commits of others. A server that gets none, because the process died before
 * it notified, finds the work when it polls next.
 */
export function wakeServers(db: Db, channel: string): void {
  const underWay = waking.get(db);
  if (underWay) underWay.add(channel);
  else void notify(db, new Set([channel]));
}

async function notify(db: Db, due: Set<string>): Promise<void> {
  waking.set(db, due);
  try {
    while (due.size > 0) {
      const channels = [...due];
      due.clear();
      await sql`select pg_notify(channel, '') from unnest(${channels}::text[]) as channel`.execute(db);
    }
  } catch {
    // The database is unreachable or the pool is closed. Servers poll.
  } finally {
    waking.delete(db);
  }
}
