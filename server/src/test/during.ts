import type { Db, Tx } from '../platform/db/database.ts';
import { untilWaiting } from './waiting.ts';

/** Starts requests while a transaction is open, and commits it when this many of them wait for its locks. */
export async function during<T>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  requests: () => Promise<T>,
  waiters = 1,
): Promise<T> {
  const blocker = await db.startTransaction().execute();
  await work(blocker);
  const waiting = requests();
  try {
    await untilWaiting(db, waiters);
  } finally {
    await blocker.commit().execute();
  }
  return await waiting;
}
