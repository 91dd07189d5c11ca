import type { Db } from '../../platform/db/database.ts';
import { deleteExpiredKeys } from './store.ts';

/** Deletes expired keys, which already have no effect, to free space. */
export async function removeExpiredKeys(db: Db): Promise<number> {
  return await deleteExpiredKeys(db);
}
