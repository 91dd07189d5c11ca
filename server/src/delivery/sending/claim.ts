import type { PgBoss } from 'pg-boss';
import type { Tx } from '../../platform/db/database.ts';
import { readWatermark } from '../../record/events/tail.ts';
import { listAboveWatermark, lockOrder } from '../order.ts';
import type { Claim } from './attempt.ts';
import { completeJobs, type FetchedJob } from './outcomes.ts';
import { claimDeliveries, postponeDeliveries } from './store.ts';

/** The content of a job, and its columns in pg-boss. */
export type JobData = { delivery: number; attempt: number };
export type DeliveryJob = FetchedJob & JobData & { integration: number; ordered: boolean };

const RETRY_ABOVE_WATERMARK_MS = 300;

/** Starts the attempts that jobs are for. Completes jobs whose attempt is not needed, and postpones those that are too early. */
export async function claimJobs(tx: Tx, boss: PgBoss, jobs: DeliveryJob[]): Promise<Claim[]> {
  if (jobs.length === 0) return [];
  const orderedIntegrations = jobs.filter(job => job.ordered).map(job => job.integration);
  const watermark = orderedIntegrations.length > 0 ? await readWatermark(tx) : undefined;
  if (orderedIntegrations.length > 0) await lockOrder(tx, [...new Set(orderedIntegrations)]);
  const claims = await claimDeliveries(tx, jobs.map(toJobToClaim), watermark);
  const idleJobs = jobs.filter(job => !claims.some(claim => claim.id === job.delivery));
  // A job is too early if an event with a lower id may still be committed, or if its integration became ordered after the job was queued.
  const earlyDeliveries =
    idleJobs.length > 0 ? await listAboveWatermark(tx, idleJobs.map(getDeliveryId), watermark ?? 0) : [];
  await completeJobs(
    boss,
    tx,
    idleJobs.filter(job => !earlyDeliveries.includes(job.delivery)),
  );
  await postpone(
    tx,
    boss,
    idleJobs.filter(job => earlyDeliveries.includes(job.delivery)),
    RETRY_ABOVE_WATERMARK_MS,
  );
  return claims;
}

/** Postpones the attempts that the jobs are for. */
export async function postpone(tx: Tx, boss: PgBoss, jobs: DeliveryJob[], delayMs: number): Promise<void> {
  if (jobs.length === 0) return;
  await postponeDeliveries(tx, jobs.map(getDeliveryId), delayMs);
  await completeJobs(boss, tx, jobs);
}

const getDeliveryId = ({ delivery }: JobData): number => delivery;

const toJobToClaim = ({ delivery, attempt, retryCount }: JobData & FetchedJob) => ({
  delivery,
  attempt,
  retried: retryCount > 0,
});
