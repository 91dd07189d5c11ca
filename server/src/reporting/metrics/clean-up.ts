import type { Db } from '../../platform/db/database.ts';
import { deleteUnusedRows } from './store.ts';

const ROWS_PER_TRANSACTION = 1_000;

/** Deletes outdated instances, unknown flags and last-seen times. Returns the number of deleted rows. */
export async function cleanUpMetrics(db: Db): Promise<number> {
  let removedRowCount = 0;
  for (
    let deletedRows = ROWS_PER_TRANSACTION;
    deletedRows >= ROWS_PER_TRANSACTION;
    removedRowCount += deletedRows
  ) {
    deletedRows = await db.transaction().execute(tx => deleteUnusedRows(tx, ROWS_PER_TRANSACTION));
  }
  return removedRowCount;
}
