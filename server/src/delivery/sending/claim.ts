import type { PgBoss } from 'pg-boss';
import type { Tx } from '../../platform/db/database.ts';
import { readWatermark } from '../../record/events/tail.ts';
import { listAboveWatermark, lockOrder } from '../order.ts';
import type { Claim } from './attempt.ts';
import { completeJobs, type FetchedJob } from './outcomes.ts';
import { claimDeliveries, postponeDeliveries } from './store.ts';

/** The content of a job, and its columns in pg-boss. */
export type JobData = { delivery: number; attempt: number };
export type Fetched = FetchedJob & JobData & { integration: number; ordered: boolean };

const RETRY_ABOVE_WATERMARK_MS = 300;

/** Starts the attempts of jobs. Completes jobs without work, and postpones jobs that are too early. */
export async function claimJobs(tx: Tx, boss: PgBoss, jobs: Fetched[]): Promise<Claim[]> {
  if (jobs.length === 0) return [];
  const ordered = jobs.filter(job => job.ordered).map(job => job.integration);
  const watermark = ordered.length > 0 ? await readWatermark(tx) : undefined;
  if (ordered.length > 0) await lockOrder(tx, [...new Set(ordered)]);
  const claims = await claimDeliveries(tx, jobs.map(asClaim), watermark);
  const idle = jobs.filter(job => !claims.some(claim => claim.id === job.delivery));
  // An event with a lower id may still be committed, or the integration became ordered meanwhile.
  const early = idle.length > 0 ? await listAboveWatermark(tx, idle.map(asDelivery), watermark ?? 0) : [];
  await completeJobs(
    boss,
    tx,
    idle.filter(job => !early.includes(job.delivery)),
  );
  await postpone(
    tx,
    boss,
    idle.filter(job => early.includes(job.delivery)),
    RETRY_ABOVE_WATERMARK_MS,
  );
  return claims;
}

/** Postpones the attempts of jobs. */
export async function postpone(tx: Tx, boss: PgBoss, jobs: Fetched[], delayMs: number): Promise<void> {
  if (jobs.length === 0) return;
  await postponeDeliveries(tx, jobs.map(asDelivery), delayMs);
  await completeJobs(boss, tx, jobs);
}

const asDelivery = ({ delivery }: JobData): number => delivery;

const asClaim = ({ delivery, attempt, retryCount }: JobData & FetchedJob) => ({
  delivery,
  attempt,
  retried: retryCount > 0,
});
