import type { Db } from '../../platform/db/database.ts';
import { deleteOldRecords, deleteOrphans, requeueStranded } from './store.ts';

const BATCH = 5_000;
const MAX_BATCHES = 200;

/** Removes records past their time, in batches so that no lock and no transaction is long; returns how many. */
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

/** Gives a job to deliveries that lost theirs; there should be none. */
export const rescueDeliveries = requeueStranded;
