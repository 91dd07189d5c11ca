import { randomUUID } from 'node:crypto';
import { advanceSeen } from '../../flags/lifecycle/advance.ts';
import type { Db } from '../../platform/db/database.ts';
import { seeInstances } from '../applications/see-instances.ts';
import { rowsOf } from './batches.ts';
import type { Instance } from './merged.ts';
import { createMetricPartitions } from './partitions.ts';
import type { Usage } from './usage.ts';
import { type Batch, writeBatch } from './write-batch.ts';

const ROWS_PER_BATCH = 2_000;
const INSTANCES_PER_STATEMENT = 1_000;
const DAY_MS = 86_400_000;
/** A batch that PostgreSQL rejects for its content would stop all later ones. After so many attempts it is dropped. */
const MOST_REJECTIONS = 3;
/** Classes of SQLSTATE that say something about the values: data exceptions and violated constraints. */
const REJECTED = /^(22|23)/;

export type Flusher = {
  /** Writes what SDKs reported so far. Throws if the database cannot be written: everything is kept for the next call. */
  flush: () => Promise<void>;
};

/** Writes the usage of a process. Calls must not overlap. */
export function makeFlusher(db: Db, usage: Usage, source: string = randomUUID()): Flusher {
  let partitionedDay: number | undefined;
  let instances: Instance[] = [];
  let rows: ReturnType<typeof rowsOf> | undefined;
  let batch: Batch | undefined;
  let number = 0;
  let rejections = 0;

  const write = async (current: Batch): Promise<void> => {
    try {
      const written = await writeBatch(db, source, current);
      usage.drop('application', written.withoutApplication);
      usage.drop('project', written.ofOtherProjects);
      usage.drop('unknown-flag', written.unknown);
      rejections = 0;
      await advanceSeen(db, written.seen);
    } catch (error) {
      if (!isRejection(error) || ++rejections < MOST_REJECTIONS) throw error;
      rejections = 0;
      usage.drop('rejected', current.rows.length);
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

  /** Instances that PostgreSQL rejects for their content are looked for in halves and dropped, so that the others are written. */
  const seeOrDrop = async (some: Instance[]): Promise<void> => {
    try {
      await seeInstances(db, some);
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
      await writeBatches();
      await writeInstances();
    },
  };
}

const isRejection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REJECTED.test(String(error.code));
