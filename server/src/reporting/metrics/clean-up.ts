import type { Db } from '../../platform/db/database.ts';
import { deleteForgotten } from './store.ts';

const ROWS_PER_TRANSACTION = 1_000;

/** Deletes outdated instances, unknown flags and lastSeen times. Returns the number of deleted rows. */
export async function cleanUpMetrics(db: Db): Promise<number> {
  let removed = 0;
  for (let deleted = ROWS_PER_TRANSACTION; deleted >= ROWS_PER_TRANSACTION; removed += deleted) {
    deleted = await db.transaction().execute(tx => deleteForgotten(tx, ROWS_PER_TRANSACTION));
  }
  return removed;
}
