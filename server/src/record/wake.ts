import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** The channels to notify after the running notification, by pool. */
const channelsByPool = new WeakMap<Db, Set<string>>();

/**
 * Notifies servers after the commit. PostgreSQL commits notifying transactions one at a time, so a notification within the change
 * would make every change wait for the commits of other changes. If the process dies before it notifies, servers find the work at
 * their next poll.
 */
export function notifyServers(db: Db, channel: string): void {
  const pendingChannels = channelsByPool.get(db);
  if (pendingChannels) pendingChannels.add(channel);
  else void notify(db, new Set([channel]));
}

async function notify(db: Db, dueChannels: Set<string>): Promise<void> {
  channelsByPool.set(db, dueChannels);
  try {
    while (dueChannels.size > 0) {
      const channels = [...dueChannels];
      dueChannels.clear();
      await sql`select pg_notify(channel, '') from unnest(${channels}::text[]) as channel`.execute(db);
    }
  } catch {
    // The database is unreachable or the pool is closed. Servers find the work at their next poll.
  } finally {
    channelsByPool.delete(db);
  }
}
