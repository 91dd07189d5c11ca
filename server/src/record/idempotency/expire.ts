import type { Db } from '../../platform/db/database.ts';
import { deleteExpired } from './store.ts';

/** A key that has expired is not honoured any more; this only makes room. */
export async function removeExpiredKeys(db: Db): Promise<number> {
  return await deleteExpired(db);
}
