import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { loadReceivers, type Receiver } from '../integrations/receiver.ts';
import { DELIVERY_QUEUE } from '../outbox.ts';
import { type AttemptSettings, attemptDelivery, type Claim, type Result } from './attempt.ts';
import { makeBatcher } from './batch.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { claimJobs, type DeliveryJob, type JobData, postpone } from './claim.ts';
import { disableFailing } from './disable-failing.ts';
import {
  type CompletedJob,
  type FetchedJob,
  transactionExecutor,
  writeAsMuchAsPossible,
} from './outcomes.ts';
import { type Health, listFailing } from './store.ts';

type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;
type RunningJob = FetchedJob & { integration: number };

export type DispatcherSettings = AttemptSettings & {
  keyring: Keyring;
  disableAfterHours: number;
  observe: (result: Result) => void;
};

export type Dispatcher = {
  /** Looks for new deliveries. */
  wake: () => void;
  /** Starts no more attempts, and waits up to 5 s for running ones. Unfinished attempts are retried when a server runs again. */
  stop: () => Promise<void>;
};

/** The maximum number of concurrent attempts per integration on this server, so that a slow receiver delays only its own deliveries. */
const MAX_PER_INTEGRATION = 20;
const MAX_RUNNING = 400;
const BATCH_SIZE = 50;
/** The dispatcher polls because no notification is sent when a retry becomes due. */
const POLL_MS = 500;
const HEARTBEAT_MS = 3_000;
const STOP_WITHIN_MS = 5_000;
const PROBE_WAIT_MS = 2_000;
const SETTLE_WAIT_MS = 500;
const MAX_DISABLE_ATTEMPTS = 30;
const DISABLE_WAIT_MS = 1_000;
/** Starting attempts blocks the event loop, so the dispatcher lets other work run after this time. */
const TURN_MS = 20;

/** Integrations that may have to be disabled. */
type Suspects = { goneIntegrations: number[]; failing: Health[]; attempts: number };

/**
 * Delivers until it is stopped. Fetches jobs from pg-boss itself rather than with `work`, where a batch ends only when its slowest job
 * does, so that a single receiver that does not respond would delay the whole batch.
 */
export function startDispatcher(db: Db, boss: PgBoss, settings: DispatcherSettings, log: Log): Dispatcher {
  const running = new Map<string, RunningJob>();
  const breaker = createCircuitBreaker();
  const report = (error: unknown) => log.error({ err: error }, 'delivery bookkeeping failed');
  const outcomeBatcher = makeBatcher<CompletedJob<RunningJob>>(settle, report);
  const suspectBatcher = makeBatcher<Suspects>(disable, report);
  const timers = new Set<NodeJS.Timeout>();
  let isStopping = false;
  let isWoken = false;
  let wakeUp: (() => void) | undefined;

  const wake = () => {
    isWoken = true;
    wakeUp?.();
  };
  const heartbeat = setInterval(() => {
    if (running.size === 0) return;
    boss
      .touch(DELIVERY_QUEUE, [...running.values()])
      .catch(error => log.warn({ err: error }, 'delivery heartbeat failed'));
  }, HEARTBEAT_MS);
  const loop = run();

  async function run(): Promise<void> {
    while (!isStopping) {
      try {
        isWoken = false;
        const jobCount = running.size < MAX_RUNNING ? await fetchAndStart() : 0;
        if (jobCount === 0) await pause();
      } catch (error) {
        log.warn({ err: error }, 'delivery fetch failed');
        await sleep(1_000);
      }
    }
  }

  async function pause(): Promise<void> {
    if (isWoken || isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeUp = resolve;
    const timer = setTimeout(resolve, POLL_MS);
    await promise;
    clearTimeout(timer);
    wakeUp = undefined;
  }

  function countRunning(integration: number): number {
    return [...running.values()].filter(job => job.integration === integration).length;
  }

  /** Claims jobs in one transaction, then starts their attempts. */
  async function fetchAndStart(): Promise<number> {
    const { jobs, claims, receivers } = await db.transaction().execute(async tx => {
      const { jobs, claimable, overAllowance } = await fetchJobs(tx);
      if (jobs.length === 0) return { jobs, claims: [], receivers: new Map<number, Receiver>() };
      const claims = await claimJobs(tx, boss, claimable);
      await postpone(tx, boss, overAllowance, PROBE_WAIT_MS);
      const integrations = new Set(claims.map(claim => claim.integrationId));
      return { jobs, claims, receivers: await loadReceivers(tx, settings.keyring, [...integrations]) };
    });
    const starts = claims.flatMap(claim => {
      const job = jobs.find(({ delivery }) => delivery === claim.id);
      // Without a receiver, the integration was just deleted. pg-boss retries the job once, and the retry finds no delivery.
      const receiver = receivers.get(claim.integrationId);
      return job && receiver ? [{ job, claim, receiver }] : [];
    });
    for (const { job } of starts) running.set(job.id, job);
    let turnStartedAt = performance.now();
    for (const { job, claim, receiver } of starts) {
      deliver(job, claim, receiver).catch(report);
      if (performance.now() - turnStartedAt < TURN_MS) continue;
      await nextTurn();
      turnStartedAt = performance.now();
    }
    return jobs.length;
  }

  async function fetchJobs(
    tx: Tx,
  ): Promise<{ jobs: DeliveryJob[]; claimable: DeliveryJob[]; overAllowance: DeliveryJob[] }> {
    const openCircuits = breaker.listOpenCircuits(Date.now(), countRunning).map(String);
    const fetchedJobs = await boss.fetch<JobData>(DELIVERY_QUEUE, {
      batchSize: Math.min(BATCH_SIZE, MAX_RUNNING - running.size),
      groupConcurrency: { default: MAX_PER_INTEGRATION, tiers: { ordered: 1 } },
      ignoreGroups: openCircuits,
      db: transactionExecutor(tx),
    });
    const jobs = fetchedJobs.map(({ id, retryCount, groupId, groupTier, data }) => ({
      id,
      retryCount,
      integration: Number(groupId),
      ordered: groupTier === 'ordered',
      ...data,
    }));
    const claimable: DeliveryJob[] = [];
    const overAllowance: DeliveryJob[] = [];
    for (const job of jobs) {
      const runningJob = running.get(job.id);
      if (runningJob) {
        // The job expired while its outcome was waiting to be written. This server still has the outcome, so it does not repeat the
        // request.
        runningJob.retryCount = job.retryCount;
        continue;
      }
      const allowance = breaker.getAllowance(job.integration, Date.now());
      const runningAttempts =
        countRunning(job.integration) +
        claimable.filter(other => other.integration === job.integration).length;
      (runningAttempts < allowance ? claimable : overAllowance).push(job);
    }
    return { jobs, claimable, overAllowance };
  }

  async function deliver(job: RunningJob, claim: Claim, receiver: Receiver): Promise<void> {
    const report = (error: unknown) =>
      log.error({ err: error, delivery: claim.id }, 'delivery attempt failed');
    const result = await attemptDelivery(claim, receiver, settings, report);
    breaker.record(job.integration, result.outcome !== 'success' && result.outcome !== 'partial', Date.now());
    outcomeBatcher.add({ job, result });
  }

  /**
   * Writes outcomes. Keeps those that cannot be written and tries again, while heartbeats keep their jobs alive, because a delivery
   * without an outcome would be sent a second time.
   */
  async function settle(completedJobs: CompletedJob<RunningJob>[]): Promise<void> {
    const { written, failing, unwritten } = await writeAsMuchAsPossible(db, boss, completedJobs, log);
    for (const { job, result } of written) {
      running.delete(job.id);
      try {
        settings.observe(result);
      } catch (error) {
        log.error({ err: error }, 'delivery metrics failed');
      }
    }
    if (written.length > 0) wake();
    if (unwritten.length > 0) runLater(SETTLE_WAIT_MS, () => unwritten.forEach(outcomeBatcher.add));
    const goneIntegrations = written
      .filter(({ result }) => result.outcome === 'gone')
      .map(completedJob => completedJob.result.integration);
    if (goneIntegrations.length + failing.length > 0)
      suspectBatcher.add({ goneIntegrations, failing, attempts: 1 });
  }

  /** Disables integrations. Separate from writing outcomes, because a failure here must not cause outcomes to be written again. */
  async function disable(suspects: Suspects[]): Promise<void> {
    for (const suspect of suspects) {
      try {
        // Checks again before a retry, because an attempt may have succeeded in the meantime.
        const failing =
          suspect.attempts === 1
            ? suspect.failing
            : await listFailing(
                db,
                suspect.failing.map(({ id }) => id),
              );
        await disableFailing(db, suspect.goneIntegrations, failing, settings.disableAfterHours);
      } catch (error) {
        const willRetry = suspect.attempts < MAX_DISABLE_ATTEMPTS;
        log.warn({ err: error, retried: willRetry }, 'integration disable failed');
        if (willRetry)
          runLater(DISABLE_WAIT_MS, () => suspectBatcher.add({ ...suspect, attempts: suspect.attempts + 1 }));
      }
    }
  }

  function runLater(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  return {
    wake,
    stop: async () => {
      isStopping = true;
      wake();
      await loop;
      const deadline = Date.now() + STOP_WITHIN_MS;
      while (running.size > 0 && Date.now() < deadline) await sleep(20);
      for (const timer of timers) clearTimeout(timer);
      await outcomeBatcher.waitUntilIdle();
      await suspectBatcher.waitUntilIdle();
      for (const timer of timers) clearTimeout(timer);
      clearInterval(heartbeat);
    },
  };
}
