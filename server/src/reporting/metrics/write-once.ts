import { advanceSeen } from '../../flags/lifecycle/advance.ts';
import type { Db } from '../../platform/db/database.ts';
import { createMetricPartitions } from './partitions.ts';
import { type Batch, writeBatch } from './write-batch.ts';

const DAY_MS = 86_400_000;

/** Writes the batches of edges. An edge sends each batch again until it knows that it was written. */
export function makeWriteOnce(db: Db): (source: string, batch: Batch) => Promise<void> {
  let partitionedDay: number | undefined;
  return async (source, batch) => {
    const day = Math.floor(Date.now() / DAY_MS);
    if (partitionedDay !== day) await createMetricPartitions(db);
    partitionedDay = day;
    const { seen } = await writeBatch(db, source, batch);
    await advanceSeen(db, seen);
  };
}
