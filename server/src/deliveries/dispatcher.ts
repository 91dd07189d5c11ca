import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Db, Tx } from '../db/database.ts';
import { asRefusal } from '../db/failures.ts';
import { DELIVERY_QUEUE } from '../integrations/jobs.ts';
import { loadReceivers, type Receiver } from '../integrations/receiver.ts';
import type { Keyring } from '../secrets/seal.ts';
import { type AttemptSettings, attemptDelivery, type Claim, type Result } from './attempt.ts';
import { makeBreaker } from './breaker.ts';
import { gather } from './gather.ts';
import { type Ended, type FetchedJob, inTransaction, switchOffDead, writeOutcomes } from './settle.ts';
import { claimJobs, type Fetched, type JobData, putBack } from './take.ts';

type Log = { warn: (fields: object, message: string) => void };
type Running = FetchedJob & { integration: number };

export type DispatcherSettings = AttemptSettings & {
  keyring: Keyring;
  disableAfterHours: number;
  observe: (result: Result) => void;
};

export type Dispatcher = {
  /** Something may be there to deliver. */
  wake: () => void;
  /** Takes nothing new on and waits a while for what runs; what does not end is delivered again after the next start. */
  stop: () => Promise<void>;
};

/** At once, of one integration and on this server: a slow receiver holds up its own deliveries only. */
const PER_INTEGRATION = 20;
const AT_ONCE = 400;
const BATCH = 50;
/** Retries become due without anybody telling. */
const POLL_MS = 500;
const HEARTBEAT_MS = 3_000;
const STOP_WITHIN_MS = 5_000;
const PROBE_WAITS_MS = 2_000;
const SETTLE_TRIES = 40;
const SETTLE_WAIT_MS = 500;

/**
 * Delivers until it is stopped. It fetches jobs from pg-boss itself instead of letting `work` do it: a batch there ends
 * with its slowest job, and a receiver that hangs would hold up everybody who is in a batch with it.
 */
export function startDispatcher(db: Db, boss: PgBoss, settings: DispatcherSettings, log: Log): Dispatcher {
  const running = new Map<string, Running>();
  const breaker = makeBreaker();
  const endings = gather<Ended<Running>>(settle);
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
      .catch(error => log.warn({ err: error }, 'heartbeat of deliveries'));
  }, HEARTBEAT_MS);
  const loop = run();

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        woken = false;
        const found = running.size < AT_ONCE ? await fetchAndStart() : 0;
        if (found === 0) await pause();
      } catch (error) {
        log.warn({ err: error }, 'deliveries could not be fetched');
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

  /** One transaction: a job is taken together with the start of its attempt, or not at all. */
  async function fetchAndStart(): Promise<number> {
    const { jobs, claims, receivers } = await db.transaction().execute(async tx => {
      const { jobs, taken, tooMany } = await fetchJobs(tx);
      if (jobs.length === 0) return { jobs, claims: [], receivers: new Map<number, Receiver>() };
      const claims = await claimJobs(tx, boss, taken);
      await putBack(tx, boss, tooMany, PROBE_WAITS_MS);
      const integrations = new Set(claims.map(one => one.integrationId));
      return { jobs, claims, receivers: await loadReceivers(tx, settings.keyring, [...integrations]) };
    });
    for (const one of claims) {
      const job = jobs.find(({ delivery }) => delivery === one.id);
      // Without a receiver its integration was deleted this moment: the job comes back once and finds nothing.
      const receiver = receivers.get(one.integrationId);
      if (job && receiver) void deliver(job, one, receiver);
    }
    return jobs.length;
  }

  async function fetchJobs(tx: Tx): Promise<{ jobs: Fetched[]; taken: Fetched[]; tooMany: Fetched[] }> {
    const resting = breaker.resting(Date.now(), runningOf).map(String);
    const fetched = await boss.fetch<JobData>(DELIVERY_QUEUE, {
      batchSize: Math.min(BATCH, AT_ONCE - running.size),
      groupConcurrency: { default: PER_INTEGRATION, tiers: { ordered: 1 } },
      ignoreGroups: resting,
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
    const tooMany: Fetched[] = [];
    for (const job of jobs) {
      const allowed = breaker.allowance(job.integration, Date.now());
      const already =
        runningOf(job.integration) + taken.filter(one => one.integration === job.integration).length;
      (already < allowed ? taken : tooMany).push(job);
    }
    return { jobs, taken, tooMany };
  }

  async function deliver(job: Running, claim: Claim, receiver: Receiver): Promise<void> {
    running.set(job.id, job);
    const result = await attemptDelivery(claim, receiver, settings);
    breaker.note(job.integration, result.outcome !== 'success' && result.outcome !== 'partial', Date.now());
    endings.add({ job, result });
  }

  async function settle(ended: Ended<Running>[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const failing = await writeOutcomes(db, boss, ended);
        for (const { job, result } of ended) {
          running.delete(job.id);
          settings.observe(result);
        }
        wake();
        await switchOffDead(db, ended, failing, settings.disableAfterHours);
        return;
      } catch (error) {
        // While the database is away, what was learnt is kept: sending it all again is worse than waiting.
        const again = asRefusal(error) !== undefined && tries < SETTLE_TRIES;
        log.warn(
          { err: error, deliveries: ended.length, again },
          'outcomes of deliveries could not be written',
        );
        if (again) await sleep(SETTLE_WAIT_MS);
        else if (ended.length > 1) {
          for (const one of ended) await settle([one]);
          return;
        } else {
          // Without a heartbeat the job comes back by itself.
          for (const { job } of ended) running.delete(job.id);
          return;
        }
      }
    }
  }

  return {
    wake,
    stop: async () => {
      stopping = true;
      wake();
      await loop;
      const until = Date.now() + STOP_WITHIN_MS;
      while (running.size > 0 && Date.now() < until) await sleep(20);
      await endings.idle();
      clearInterval(heartbeat);
    },
  };
}
