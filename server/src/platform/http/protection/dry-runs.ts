import {
  type Holder,
  makeShares,
  type ShareLimits,
  type Shares,
} from '@halyard/plane/platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { LongReader } from './long-reads.ts';

/**
 * Dry runs that hold the same row locks as the write. Each caller gets one at a time, so that a change to the same rows waits for at
 * most one dry run per caller.
 */
export type DryRuns = {
  run: <T>(caller: LongReader, work: () => Promise<T>) => Promise<T>;
  readonly shares: Shares;
};

/** Dry runs use at most 30 % of the connections for requests. */
const POOL_SHARE = 0.3;

export const getDryRunLimits = (poolSize: number): ShareLimits => ({
  capacity: Math.max(1, Math.floor(POOL_SHARE * poolSize)),
  share: 1,
  perCaller: 1,
  waiting: 500,
  waitingPerCaller: 20,
  waitMs: 5_000,
});

const RETRY_AFTER_SECONDS = 2;

export function makeDryRuns(limits: ShareLimits): DryRuns {
  const shares = makeShares(limits, rejection);
  return {
    shares,
    run: async ({ caller, visit }, work) => {
      // The request slot is released before the wait, so that a caller's dry runs do not delay its short requests.
      visit?.releaseSlot();
      const release = await shares.acquire(caller, visit && { isGone: visit.isGone });
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

const rejection = (holder: Holder): ApiError =>
  holder === 'caller'
    ? tooManyRequests(
        `Too many dry runs: the server runs one of yours at a time, and the others wait. Send fewer at a time, and retry in ${RETRY_AFTER_SECONDS} seconds.`,
        RETRY_AFTER_SECONDS,
      )
    : new ApiError(
        'ServiceUnavailableError',
        `The server is busy with dry runs from other callers. Retry in ${RETRY_AFTER_SECONDS} seconds.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
