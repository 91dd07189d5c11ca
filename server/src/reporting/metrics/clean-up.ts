import type { Db } from '../../platform/db/database.ts';
import { deleteForgotten } from './store.ts';

const ROWS_PER_TRANSACTION = 1_000;

/** Deletes instances, unknown flags and lastSeen that are out of date. Returns how many. */
export async function cleanUpMetrics(db: Db): Promise<number> {
  let removed = 0;
  for (let deleted = ROWS_PER_TRANSACTION; deleted >= ROWS_PER_TRANSACTION; removed += deleted) {
    deleted = await db.transaction().execute(tx => deleteForgotten(tx, ROWS_PER_TRANSACTION));
  }
  return removed;
}
