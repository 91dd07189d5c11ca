import { randomUUID } from 'node:crypto';
import type { Instance } from '@halyard/plane/counting/merged.ts';
import type { ReachedQuota } from '@halyard/plane/counting/quotas.ts';
import type { Usage } from '@halyard/plane/counting/usage.ts';
import { advanceSeenFeatures } from '../../flags/lifecycle/advance.ts';
import type { Db } from '../../platform/db/database.ts';
import { isRejectedValue } from '../../platform/db/failures.ts';
import { makeInstanceRecorder } from '../applications/record-instances.ts';
import { batchRows } from './batches.ts';
import { createMetricPartitions } from './partitions.ts';
import { type Batch, writeBatch } from './write-batch.ts';

const ROWS_PER_BATCH = 2_000;
const INSTANCES_PER_STATEMENT = 1_000;
const DAY_MS = 86_400_000;
/**
 * A batch that PostgreSQL rejects because of its content would block all later ones. After this many attempts, the batch is
 * dropped.
 */
const MAX_REJECTIONS = 3;

export type Flusher = {
  /** Writes what SDKs have reported so far. If the write fails, throws an error and keeps everything for the next call. */
  flush: () => Promise<void>;
};

/** Creates the flusher for the usage of a process. Flushes must not overlap. `onReached` gets the quotas that tokens reached. */
export function makeFlusher(
  db: Db,
  usage: Usage,
  onReached: (reached: ReachedQuota[]) => void = () => {},
): Flusher {
  const source = randomUUID();
  const recordInstances = makeInstanceRecorder();
  let partitionedDay: number | undefined;
  let instances: Instance[] = [];
  let rows: ReturnType<typeof batchRows> | undefined;
  let batch: Batch | undefined;
  let lastNumber = 0;
  let rejectionCount = 0;

  const write = async (current: Batch): Promise<void> => {
    let isWritten = false;
    try {
      const result = await writeBatch(db, source, current);
      isWritten = true;
      usage.drop('application', result.withoutApplication);
      usage.drop('project', result.inOtherProjects);
      usage.drop('unknown-flag', result.unknownFlags);
      onReached(result.reached);
      await advanceSeenFeatures(db, result.seen);
      rejectionCount = 0;
    } catch (error) {
      if (!isRejectedValue(error) || ++rejectionCount < MAX_REJECTIONS) throw error;
      rejectionCount = 0;
      // If only the lifecycle stages were rejected, the counts are already written.
      if (!isWritten) usage.drop('rejected', current.rows.length);
    }
  };

  const writeBatches = async (): Promise<void> => {
    while (rows !== undefined) {
      if (batch === undefined) {
        const next = rows.next();
        if (next.done) {
          rows = undefined;
          return;
        }
        batch = { number: ++lastNumber, rows: next.value };
      }
      await write(batch);
      batch = undefined;
    }
  };

  /**
   * Instances that PostgreSQL rejects because of their content are found by bisection and dropped, so that the others are written.
   */
  const recordOrDrop = async (chunk: Instance[]): Promise<void> => {
    try {
      onReached(await recordInstances(db, chunk));
    } catch (error) {
      if (!isRejectedValue(error)) throw error;
      if (chunk.length === 1) {
        usage.drop('rejected', 1);
        return;
      }
      const middle = Math.ceil(chunk.length / 2);
      await recordOrDrop(chunk.slice(0, middle));
      await recordOrDrop(chunk.slice(middle));
    }
  };

  const writeInstances = async (): Promise<void> => {
    while (instances.length > 0) {
      const chunk = instances.slice(0, INSTANCES_PER_STATEMENT);
      await recordOrDrop(chunk);
      instances = instances.slice(chunk.length);
    }
  };

  return {
    flush: async () => {
      const day = Math.floor(Date.now() / DAY_MS);
      if (partitionedDay !== day) {
        await createMetricPartitions(db);
        partitionedDay = day;
      }
      // A flush that failed may have left rows. They are written first, then everything that has arrived since.
      await writeBatches();
      await writeInstances();
      const newCounts = usage.merged.take();
      rows = batchRows(newCounts.buckets, ROWS_PER_BATCH);
      instances = newCounts.instances;
      onReached(newCounts.tokensAboveVariantQuota.map(token => ({ token, kind: 'unknownVariants' })));
      await writeBatches();
      await writeInstances();
    },
  };
}
