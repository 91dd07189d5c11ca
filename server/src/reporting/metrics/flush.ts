import { randomUUID } from 'node:crypto';
import type { Instance } from '../../../../plane/src/counting/merged.ts';
import type { ReachedQuota } from '../../../../plane/src/counting/quotas.ts';
import type { Usage } from '../../../../plane/src/counting/usage.ts';
import { advanceSeen } from '../../flags/lifecycle/advance.ts';
import type { Db } from '../../platform/db/database.ts';
import { isRejection } from '../../platform/db/failures.ts';
import { makeInstanceRecorder } from '../applications/see-instances.ts';
import { rowsOf } from './batches.ts';
import { createMetricPartitions } from './partitions.ts';
import { type Batch, writeBatch } from './write-batch.ts';

const ROWS_PER_BATCH = 2_000;
const INSTANCES_PER_STATEMENT = 1_000;
const DAY_MS = 86_400_000;
/** A batch that PostgreSQL rejects for its content would block all later ones. After this many attempts it is dropped. */
const MAX_REJECTIONS = 3;

export type Flusher = {
  /** Writes what SDKs reported so far. Throws if the database cannot be written: everything is kept for the next call. */
  flush: () => Promise<void>;
};

/** Writes the usage of a process. Calls must not overlap. `onReached` gets the quotas that tokens reached. */
export function makeFlusher(
  db: Db,
  usage: Usage,
  onReached: (reached: ReachedQuota[]) => void = () => {},
): Flusher {
  const source = randomUUID();
  const recordInstances = makeInstanceRecorder();
  let partitionedDay: number | undefined;
  let instances: Instance[] = [];
  let rows: ReturnType<typeof rowsOf> | undefined;
  let batch: Batch | undefined;
  let number = 0;
  let rejections = 0;

  const write = async (current: Batch): Promise<void> => {
    let isWritten = false;
    try {
      const written = await writeBatch(db, source, current);
      isWritten = true;
      usage.drop('application', written.withoutApplication);
      usage.drop('project', written.ofOtherProjects);
      usage.drop('unknown-flag', written.unknown);
      onReached(written.reached);
      await advanceSeen(db, written.seen);
      rejections = 0;
    } catch (error) {
      if (!isRejection(error) || ++rejections < MAX_REJECTIONS) throw error;
      rejections = 0;
      // If PostgreSQL rejects a lifecycle stage, no counts are lost.
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
        batch = { number: ++number, rows: next.value };
      }
      await write(batch);
      batch = undefined;
    }
  };

  /** Instances that PostgreSQL rejects for their content are found by bisection and dropped, so that the others are written. */
  const seeOrDrop = async (some: Instance[]): Promise<void> => {
    try {
      onReached(await recordInstances(db, some));
    } catch (error) {
      if (!isRejection(error)) throw error;
      if (some.length === 1) {
        usage.drop('rejected', 1);
        return;
      }
      const half = Math.ceil(some.length / 2);
      await seeOrDrop(some.slice(0, half));
      await seeOrDrop(some.slice(half));
    }
  };

  const writeInstances = async (): Promise<void> => {
    while (instances.length > 0) {
      const some = instances.slice(0, INSTANCES_PER_STATEMENT);
      await seeOrDrop(some);
      instances = instances.slice(some.length);
    }
  };

  return {
    flush: async () => {
      const day = Math.floor(Date.now() / DAY_MS);
      if (partitionedDay !== day) {
        await createMetricPartitions(db);
        partitionedDay = day;
      }
      // A failed flush left rows. They are written first, then everything that arrived since.
      await writeBatches();
      await writeInstances();
      const taken = usage.merged.take();
      rows = rowsOf(taken.buckets, ROWS_PER_BATCH);
      instances = taken.instances;
      onReached(taken.aboveVariants.map(token => ({ token, kind: 'unknownVariants' })));
      await writeBatches();
      await writeInstances();
    },
  };
}
