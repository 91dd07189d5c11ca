import { CompiledQuery } from 'kysely';
import type { Job, PgBoss } from 'pg-boss';
import type { Db, Tx } from '../../platform/db/database.ts';
import { translateDbError } from '../../platform/db/failures.ts';
import { lockOrder, queueNext } from '../order.ts';
import { DELIVERY_QUEUE } from '../outbox.ts';
import { type Result, toMinimalResult } from './attempt.ts';
import { countAttempts } from './count-attempts.ts';
import { finishAttempts, type Health, recordHealth } from './store.ts';

export type FetchedJob = Pick<Job, 'id' | 'retryCount'>;
export type CompletedJob<J extends FetchedJob = FetchedJob> = { job: J; result: Result };

/**
 * Writes outcomes, inserts jobs for the next attempts and completes the current jobs in one transaction. Returns the failing
 * integrations.
 */
export async function writeOutcomes(db: Db, boss: PgBoss, completedJobs: CompletedJob[]): Promise<Health[]> {
  const results = completedJobs.map(({ result }) => result);
  const orderedIntegrations = [
    ...new Set(results.filter(result => result.ordered).map(result => result.integration)),
  ];
  return await db.transaction().execute(async tx => {
    if (orderedIntegrations.length > 0) await lockOrder(tx, orderedIntegrations);
    await countAttempts(tx, results, await finishAttempts(tx, results));
    if (orderedIntegrations.length > 0) await queueNext(tx, orderedIntegrations);
    const failing = await recordHealth(tx, countByIntegration(results));
    await completeJobs(
      boss,
      tx,
      completedJobs.map(({ job }) => job),
    );
    return failing;
  });
}

type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;
type WriteResult<J extends FetchedJob> = {
  written: CompletedJob<J>[];
  failing: Health[];
  unwritten: CompletedJob<J>[];
};

/**
 * Writes all outcomes together if possible. After a temporary failure, writes them per integration, because one integration may be
 * locked. If PostgreSQL rejects a value, writes them one by one, and reduces a rejected outcome to its minimal form, because a
 * delivery without an outcome would be retried. The caller must retry the outcomes that are returned as unwritten.
 */
export async function writeAsMuchAsPossible<J extends FetchedJob>(
  db: Db,
  boss: PgBoss,
  completedJobs: CompletedJob<J>[],
  log: Log,
): Promise<WriteResult<J>> {
  try {
    return { written: completedJobs, failing: await writeOutcomes(db, boss, completedJobs), unwritten: [] };
  } catch (error) {
    const isTemporary = translateDbError(error)?.name === 'ServiceUnavailableError';
    const groups = isTemporary
      ? Object.values(Object.groupBy(completedJobs, ({ result }) => result.integration)).map(
          group => group ?? [],
        )
      : completedJobs.map(completedJob => [completedJob]);
    const deliveries = completedJobs.map(({ result }) => result.delivery);
    if (groups.length > 1) return await writeEach(db, boss, groups, log);
    if (isTemporary) {
      log.warn({ err: error, deliveries }, 'delivery outcomes not written, retrying');
      return { written: [], failing: [], unwritten: completedJobs };
    }
    log.error({ err: error, deliveries }, 'delivery outcome rejected by the database');
    return await writeMinimal(db, boss, completedJobs, log);
  }
}

async function writeEach<J extends FetchedJob>(
  db: Db,
  boss: PgBoss,
  groups: CompletedJob<J>[][],
  log: Log,
): Promise<WriteResult<J>> {
  const total: WriteResult<J> = { written: [], failing: [], unwritten: [] };
  for (const group of groups) {
    const { written, failing, unwritten } = await writeAsMuchAsPossible(db, boss, group, log);
    total.written.push(...written);
    total.failing.push(...failing);
    total.unwritten.push(...unwritten);
  }
  return total;
}

async function writeMinimal<J extends FetchedJob>(
  db: Db,
  boss: PgBoss,
  completedJobs: CompletedJob<J>[],
  log: Log,
): Promise<WriteResult<J>> {
  const minimalJobs = completedJobs.map(({ job, result }) => ({ job, result: toMinimalResult(result) }));
  try {
    return { written: completedJobs, failing: await writeOutcomes(db, boss, minimalJobs), unwritten: [] };
  } catch (error) {
    log.error({ err: error }, 'minimal delivery outcome rejected by the database');
    return { written: [], failing: [], unwritten: completedJobs };
  }
}

/** Completes the jobs that pg-boss has not reassigned since they were fetched. */
export async function completeJobs(boss: PgBoss, tx: Tx, jobs: FetchedJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const attempts = jobs.map(({ id, retryCount }) => ({ id, retryCount }));
  await boss.complete(DELIVERY_QUEUE, attempts, null, { db: transactionExecutor(tx) });
}

/** Lets pg-boss run its statements in our transaction. */
export const transactionExecutor = (tx: Tx) => ({
  executeSql: async (text: string, values?: unknown[]) => {
    const { rows } = await tx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values ?? []));
    return { rows };
  },
});

function countByIntegration(
  results: Result[],
): { integration: number; failed: number; succeeded: boolean }[] {
  const counts = new Map<number, { integration: number; failed: number; succeeded: boolean }>();
  for (const { integration, outcome } of results) {
    const count = counts.get(integration) ?? { integration, failed: 0, succeeded: false };
    counts.set(integration, count);
    if (outcome === 'success' || outcome === 'partial') count.succeeded = true;
    else count.failed++;
  }
  return [...counts.values()];
}
