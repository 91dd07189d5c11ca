import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from '../db/database.ts';

const LONG_ENOUGH_MS = 150;

/** Starts requests while a transaction is open, and commits it when they have had time to come upon its locks. */
export async function during<T>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  requests: () => Promise<T>,
): Promise<T> {
  const blocker = await db.startTransaction().execute();
  await work(blocker);
  const waiting = requests();
  await sleep(LONG_ENOUGH_MS);
  await blocker.commit().execute();
  return await waiting;
}
