import type { Db } from '../../platform/db/database.ts';
import { deleteRemoved, listPurgeable, lockRevision } from './store.ts';

/** A client that was disconnected for longer reads everything. */
const KEPT_DAYS = 30;
const ROWS_PER_TRANSACTION = 1_000;

/** Deletes the documents that were removed long ago and returns how many. */
export async function purgeRemoved(db: Db): Promise<number> {
  let purged = 0;
  for (const environment of await listPurgeable(db, KEPT_DAYS)) {
    for (let deleted = 1; deleted > 0; purged += deleted) {
      // The counter is locked first, as by a change that brings a removed document back.
      deleted = await db.transaction().execute(async tx => {
        await lockRevision(tx, environment);
        return await deleteRemoved(tx, environment, KEPT_DAYS, ROWS_PER_TRANSACTION);
      });
    }
  }
  return purged;
}
