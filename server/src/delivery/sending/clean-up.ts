import type { Db } from '../../platform/db/database.ts';
import { deleteOldHours, deleteOldRecords, deleteOrphans, requeueStranded } from './store.ts';

const BATCH_SIZE = 5_000;
const MAX_BATCHES = 200;

/** Deletes expired counts, and expired records in batches to keep transactions short. Returns the number of records. */
export async function cleanUpDeliveries(db: Db): Promise<number> {
  await deleteOldHours(db);
  let removedRecordCount = 0;
  for (const remove of [deleteOldRecords, deleteOrphans]) {
    for (let n = 0; n < MAX_BATCHES; n++) {
      const count = await remove(db, BATCH_SIZE);
      removedRecordCount += count;
      if (count < BATCH_SIZE) break;
    }
  }
  return removedRecordCount;
}

/** Requeues open deliveries without a job. Normally, there are none. */
export const rescueDeliveries = requeueStranded;
