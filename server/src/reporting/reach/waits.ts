import { setTimeout as sleep } from 'node:timers/promises';
import type { Admission } from '@halyard/plane/platform/admission/metrics.ts';
import { makeShares } from '@halyard/plane/platform/admission/shares.ts';
import { tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { LongReader } from '../../platform/http/protection/long-reads.ts';
import { isSettled } from './read.ts';
import type { EventReach } from './schema.ts';

/** The maximum number of callers waiting on one process. Each costs a statement per check. */
const WAITS = { capacity: 60, share: 0.5, perCaller: 10, waiting: 0, waitingPerCaller: 0, waitMs: 0 };
const CHECK_MS = 300;
/** The pause between checks is at least this many times as long as the last check. Checking 20,000 instances takes about 40 ms. */
const PAUSE_FACTOR = 20;
const MAX_PAUSE_MS = 2_000;
/** How often a waiting caller renews its request for confirmations, which lasts for 5 seconds. */
const REQUEST_EVERY_MS = 2_000;

export type ReachWaits = {
  /** Checks until the change is live everywhere, the wait times out, the client disconnects or the server stops. */
  waitUntilSettled: (
    reader: LongReader,
    seconds: number,
    read: () => Promise<EventReach>,
    requestConfirmations: (reach: EventReach) => Promise<void>,
  ) => Promise<EventReach>;
  close: () => void;
};

/** A waiting caller holds neither a connection nor a request slot between two checks. */
export function makeWaits(admission: Admission): ReachWaits {
  const shares = makeShares(WAITS, () =>
    tooManyRequests(
      `Too many requests are waiting for changes to go live: a caller can have at most ${WAITS.perCaller} on one server. Retry later, or without wait.`,
      CHECK_MS / 100,
    ),
  );
  admission.set('reach-waits', shares);
  let isClosing = false;
  return {
    waitUntilSettled: async ({ caller, visit }, seconds, read, requestConfirmations) => {
      const release = shares.take(caller);
      visit?.releaseSlot();
      const endsAt = performance.now() + seconds * 1_000;
      let requestedAt = Number.NEGATIVE_INFINITY;
      try {
        for (;;) {
          const startedAt = performance.now();
          const reach = await read();
          const now = performance.now();
          if (isSettled(reach) || now >= endsAt || isClosing || visit?.isGone() === true) return reach;
          if (now - requestedAt >= REQUEST_EVERY_MS) {
            requestedAt = now;
            await requestConfirmations(reach);
          }
          const pause = Math.max(CHECK_MS, PAUSE_FACTOR * (now - startedAt));
          await sleep(Math.max(Math.min(pause, MAX_PAUSE_MS, endsAt - now), 1));
        }
      } finally {
        release();
      }
    },
    close: () => {
      isClosing = true;
    },
  };
}
