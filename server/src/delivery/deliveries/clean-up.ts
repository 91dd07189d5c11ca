import type { Db } from '../../platform/db/database.ts';
import { deleteOldRecords, deleteOrphans, requeueStranded } from './store.ts';

const BATCH = 5_000;
const MAX_BATCHES = 200;

/** Deletes expired records in batches, which keeps transactions short. Returns the number of records. */
export async function cleanUpDeliveries(db: Db): Promise<number> {
  let removed = 0;
  for (const remove of [deleteOldRecords, deleteOrphans]) {
    for (let n = 0; n < MAX_BATCHES; n++) {
      const count = await remove(db, BATCH);
      removed += count;
      if (count < BATCH) break;
    }
  }
  return removed;
}

/** Requeues open deliveries without a job. There should be none. */
export const rescueDeliveries = requeueStranded;
