import type { Db } from '../../platform/db/database.ts';
import { deleteRemoved, listPurgeable, lockRevision } from './store.ts';

/** A client that was disconnected for longer than this reads everything. */
const RETENTION_DAYS = 30;
const ROWS_PER_TRANSACTION = 1_000;

/** Deletes the documents that were removed long ago and returns how many. */
export async function purgeRemoved(db: Db): Promise<number> {
  let purgedDocumentCount = 0;
  for (const environment of await listPurgeable(db, RETENTION_DAYS)) {
    for (let deletedDocuments = 1; deletedDocuments > 0; purgedDocumentCount += deletedDocuments) {
      // Locks the counter first, like a change that restores a removed document.
      deletedDocuments = await db.transaction().execute(async tx => {
        await lockRevision(tx, environment);
        return await deleteRemoved(tx, environment, RETENTION_DAYS, ROWS_PER_TRANSACTION);
      });
    }
  }
  return purgedDocumentCount;
}
