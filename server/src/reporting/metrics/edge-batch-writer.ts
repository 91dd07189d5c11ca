import { advanceSeenFeatures } from '../../flags/lifecycle/advance.ts';
import type { Db } from '../../platform/db/database.ts';
import { createMetricPartitions } from './partitions.ts';
import { type Batch, writeBatch } from './write-batch.ts';

const DAY_MS = 86_400_000;

/** Writes batches from edges. An edge retries a batch until the server confirms it. */
export function makeEdgeBatchWriter(db: Db): (source: string, batch: Batch) => Promise<void> {
  let partitionedDay: number | undefined;
  return async (source, batch) => {
    const day = Math.floor(Date.now() / DAY_MS);
    if (partitionedDay !== day) await createMetricPartitions(db);
    partitionedDay = day;
    const { seen } = await writeBatch(db, source, batch);
    await advanceSeenFeatures(db, seen);
  };
}
