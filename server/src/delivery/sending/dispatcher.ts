import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { loadReceivers, type Receiver } from '../integrations/receiver.ts';
import { DELIVERY_QUEUE } from '../outbox.ts';
import { type AttemptSettings, attemptDelivery, type Claim, type Result } from './attempt.ts';
import { inBatches } from './batch.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { claimJobs, type Fetched, type JobData, postpone } from './claim.ts';
import { disableFailing } from './disable-failing.ts';
import { type Ended, type FetchedJob, inTransaction, writeAsMuchAsPossible } from './outcomes.ts';
import { type Health, listFailing } from './store.ts';

type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;
type Running = FetchedJob & { integration: number };

export type DispatcherSettings = AttemptSettings & {
  keyring: Keyring;
  disableAfterHours: number;
  observe: (result: Result) => void;
};

export type Dispatcher = {
  /** Looks for new deliveries. */
  wake: () => void;
  /** Starts no further attempts and waits up to 5 s for running ones. Unfinished attempts are retried after the next start. */
  stop: () => Promise<void>;
};

/** Concurrent attempts of one integration on this server. A slow receiver delays only its own deliveries. */
const PER_INTEGRATION = 20;
const MAX_RUNNING = 400;
const BATCH = 50;
/** Retries become due without a notification. */
const POLL_MS = 500;
const HEARTBEAT_MS = 3_000;
const STOP_WITHIN_MS = 5_000;
const PROBE_WAIT_MS = 2_000;
const SETTLE_WAIT_MS = 500;
const DISABLE_TRIES = 30;
const DISABLE_WAIT_MS = 1_000;
/** Planning attempts blocks the event loop, so it yields after this time. */
const TURN_MS = 20;

/** Integrations that may have to be disabled. */
type Suspects = { gone: number[]; failing: Health[]; tries: number };

/**
 * Delivers until it is stopped. It fetches jobs from pg-boss itself and does not use `work`, whose batch ends with its slowest job:
 * a receiver that hangs would delay all deliveries of its batch.
 */
export function startDispatcher(db: Db, boss: PgBoss, settings: DispatcherSettings, log: Log): Dispatcher {
  const running = new Map<string, Running>();
  const breaker = createCircuitBreaker();
  const report = (error: unknown) => log.error({ err: error }, 'delivery bookkeeping failed');
  const outcomes = inBatches<Ended<Running>>(settle, report);
  const dead = inBatches<Suspects>(disable, report);
  const timers = new Set<NodeJS.Timeout>();
  let stopping = false;
  let woken = false;
  let wakeUp: (() => void) | undefined;

  const wake = () => {
    woken = true;
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
    while (!stopping) {
      try {
        woken = false;
        const found = running.size < MAX_RUNNING ? await fetchAndStart() : 0;
        if (found === 0) await pause();
      } catch (error) {
        log.warn({ err: error }, 'delivery fetch failed');
        await sleep(1_000);
      }
    }
  }

  async function pause(): Promise<void> {
    if (woken || stopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeUp = resolve;
    const timer = setTimeout(resolve, POLL_MS);
    await promise;
    clearTimeout(timer);
    wakeUp = undefined;
  }

  function runningOf(integration: number): number {
    return [...running.values()].filter(job => job.integration === integration).length;
  }

  /** Takes jobs and starts their attempts in one transaction. */
  async function fetchAndStart(): Promise<number> {
    const { jobs, claims, receivers } = await db.transaction().execute(async tx => {
      const { jobs, taken, overAllowance } = await fetchJobs(tx);
      if (jobs.length === 0) return { jobs, claims: [], receivers: new Map<number, Receiver>() };
      const claims = await claimJobs(tx, boss, taken);
      await postpone(tx, boss, overAllowance, PROBE_WAIT_MS);
      const integrations = new Set(claims.map(one => one.integrationId));
      return { jobs, claims, receivers: await loadReceivers(tx, settings.keyring, [...integrations]) };
    });
    const starts = claims.flatMap(claim => {
      const job = jobs.find(({ delivery }) => delivery === claim.id);
      // The integration was just deleted. pg-boss retries the job once, and the retry finds no delivery.
      const receiver = receivers.get(claim.integrationId);
      return job && receiver ? [{ job, claim, receiver }] : [];
    });
    for (const { job } of starts) running.set(job.id, job);
    let turn = performance.now();
    for (const { job, claim, receiver } of starts) {
      deliver(job, claim, receiver).catch(report);
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
    return jobs.length;
  }

  async function fetchJobs(tx: Tx): Promise<{ jobs: Fetched[]; taken: Fetched[]; overAllowance: Fetched[] }> {
    const open = breaker.openCircuits(Date.now(), runningOf).map(String);
    const fetched = await boss.fetch<JobData>(DELIVERY_QUEUE, {
      batchSize: Math.min(BATCH, MAX_RUNNING - running.size),
      groupConcurrency: { default: PER_INTEGRATION, tiers: { ordered: 1 } },
      ignoreGroups: open,
      db: inTransaction(tx),
    });
    const jobs = fetched.map(({ id, retryCount, groupId, groupTier, data }) => ({
      id,
      retryCount,
      integration: Number(groupId),
      ordered: groupTier === 'ordered',
      ...data,
    }));
    const taken: Fetched[] = [];
    const overAllowance: Fetched[] = [];
    for (const job of jobs) {
      const ours = running.get(job.id);
      if (ours) {
        // The job expired while its outcome waits to be written. This server keeps it, and does not repeat the request.
        ours.retryCount = job.retryCount;
        continue;
      }
      const allowed = breaker.allowance(job.integration, Date.now());
      const already =
        runningOf(job.integration) + taken.filter(one => one.integration === job.integration).length;
      (already < allowed ? taken : overAllowance).push(job);
    }
    return { jobs, taken, overAllowance };
  }

  async function deliver(job: Running, claim: Claim, receiver: Receiver): Promise<void> {
    const report = (error: unknown) =>
      log.error({ err: error, delivery: claim.id }, 'delivery attempt failed');
    const result = await attemptDelivery(claim, receiver, settings, report);
    breaker.note(job.integration, result.outcome !== 'success' && result.outcome !== 'partial', Date.now());
    outcomes.add({ job, result });
  }

  /** Keeps unwritten outcomes and retries writing them, while heartbeats keep their jobs alive. Sending a second request would be worse. */
  async function settle(ended: Ended<Running>[]): Promise<void> {
    const { written, failing, unwritten } = await writeAsMuchAsPossible(db, boss, ended, log);
    for (const { job, result } of written) {
      running.delete(job.id);
      try {
        settings.observe(result);
      } catch (error) {
        log.error({ err: error }, 'delivery metrics failed');
      }
    }
    if (written.length > 0) wake();
    if (unwritten.length > 0) later(SETTLE_WAIT_MS, () => unwritten.forEach(outcomes.add));
    const gone = written.filter(({ result }) => result.outcome === 'gone').map(one => one.result.integration);
    if (gone.length + failing.length > 0) dead.add({ gone, failing, tries: 1 });
  }

  /** Separate from writing outcomes, which must not be repeated when disabling fails. */
  async function disable(suspects: Suspects[]): Promise<void> {
    for (const one of suspects) {
      try {
        // Checks again before a retry, because an attempt may have succeeded meanwhile.
        const failing =
          one.tries === 1
            ? one.failing
            : await listFailing(
                db,
                one.failing.map(({ id }) => id),
              );
        await disableFailing(db, one.gone, failing, settings.disableAfterHours);
      } catch (error) {
        const retried = one.tries < DISABLE_TRIES;
        log.warn({ err: error, retried }, 'disabling an integration failed');
        if (retried) later(DISABLE_WAIT_MS, () => dead.add({ ...one, tries: one.tries + 1 }));
      }
    }
  }

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  return {
    wake,
    stop: async () => {
      stopping = true;
      wake();
      await loop;
      const until = Date.now() + STOP_WITHIN_MS;
      while (running.size > 0 && Date.now() < until) await sleep(20);
      for (const timer of timers) clearTimeout(timer);
      await outcomes.idle();
      await dead.idle();
      for (const timer of timers) clearTimeout(timer);
      clearInterval(heartbeat);
    },
  };
}
