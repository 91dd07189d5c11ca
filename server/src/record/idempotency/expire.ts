import type { Db } from '../../platform/db/database.ts';
import { deleteExpired } from './store.ts';

/** Frees space. Expired keys already have no effect. */
export async function removeExpiredKeys(db: Db): Promise<number> {
  return await deleteExpired(db);
}
