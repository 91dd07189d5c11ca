import type { Db, Tx } from '../platform/db/database.ts';
import { waitForLockWaiters } from './waiting.ts';

/** Starts requests while a transaction is open, and commits the transaction when this many of them are waiting for its locks. */
export async function duringTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  requests: () => Promise<T>,
  waiters = 1,
): Promise<T> {
  const blocker = await db.startTransaction().execute();
  await work(blocker);
  const pendingRequests = requests();
  try {
    await waitForLockWaiters(db, waiters);
  } finally {
    await blocker.commit().execute();
  }
  return await pendingRequests;
}
