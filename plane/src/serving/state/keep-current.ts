import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { Listen } from '../source.ts';
import type { ServingState } from './serving.ts';

const POLL_MS = 1_000;
const WRITE_USES_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

type Log = { warn: (fields: object, message: string) => void };

/**
 * Loads the tokens and the environments that have one, then refreshes the state after every notification and every second.
 * Returns a function that stops the refreshes.
 */
export async function keepCurrent(
  state: ServingState,
  listen: Listen,
  log: Log,
  metrics: Registry,
): Promise<() => Promise<void>> {
  await state.refresh();
  await state.loadAll();
  const { reopened, failures } = registerStateMetrics(state, metrics);
  let isFailing = false;
  let currentRefresh: Promise<unknown> | undefined;
  let isRefreshNeeded = false;
  let isStopped = false;
  /** The number of notifications so far, and what it was when a poll last found a change that no notification had announced. */
  let notificationCount = 0;
  let missedAfter: number | undefined;
  /** Stays false while the listener connects, which can take longer than a poll. */
  let isListening = false;

  /** Runs one refresh at a time. A call during a refresh triggers one more, which reads what the first one missed. */
  const wake = (): Promise<unknown> => {
    if (isStopped) return Promise.resolve();
    if (currentRefresh !== undefined) {
      isRefreshNeeded = true;
      return currentRefresh;
    }
    isRefreshNeeded = false;
    currentRefresh = state
      .refresh()
      .then(
        hasChanged => {
          if (isFailing) log.warn({}, 'flag state refreshed after failures');
          isFailing = false;
          return hasChanged;
        },
        error => {
          failures.inc();
          // Logs one line per outage rather than one per second.
          if (!isFailing) log.warn({ err: error }, 'flag state refresh failed');
          isFailing = true;
          return false;
        },
      )
      .finally(() => {
        currentRefresh = undefined;
        if (isRefreshNeeded) void wake();
      });
    return currentRefresh;
  };

  const startListening = () => {
    isListening = false;
    return listen(
      () => {
        isListening = true;
        notificationCount++;
        void wake();
      },
      error => {
        isListening = false;
        log.warn({ err: error }, 'flag listener disconnected');
      },
    );
  };

  let stopListening = startListening();

  const poll = async (): Promise<void> => {
    if (missedAfter !== undefined && missedAfter === notificationCount) {
      // The change has been visible for a second without a notification, so the connection is open but silent.
      reopened.inc();
      log.warn({}, 'flag listener reopened after a missed change');
      const stopOldListening = stopListening;
      stopListening = startListening();
      await stopOldListening();
    }
    missedAfter = undefined;
    // A notification started this refresh, so whatever the refresh finds was announced.
    if (currentRefresh !== undefined) return;
    const notificationsBefore = notificationCount;
    const hasChanged = await wake();
    if (hasChanged === true && isListening && notificationsBefore === notificationCount)
      missedAfter = notificationsBefore;
  };
  const pollTimer = setInterval(() => void poll(), POLL_MS);
  const writeTimer = setInterval(() => void writeUses(), WRITE_USES_MS);
  const writeUses = () =>
    state.tokens.writeUses().catch(error => log.warn({ err: error }, 'last-use update failed'));

  return async () => {
    isStopped = true;
    clearInterval(pollTimer);
    clearInterval(writeTimer);
    const shutdown = Promise.all([stopListening(), currentRefresh, writeUses()]);
    // A source that does not respond must not delay the shutdown.
    await Promise.race([shutdown, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  };
}

function registerStateMetrics(state: ServingState, registry: Registry) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_sdk_state_age_seconds',
    help: 'Time since the flags in memory were last known to be current',
    registers,
    collect() {
      this.set(state.age ?? 0);
    },
  });
  new Gauge({
    name: 'halyard_sdk_body_cache_bytes',
    help: 'Size of the prebuilt bodies for SDKs in memory',
    registers,
    collect() {
      this.set(state.bodyBytes);
    },
  });
  return {
    reopened: new Counter({
      name: 'halyard_sdk_listener_reopened_total',
      help: 'Times the listener was reopened because the poll found a change that it had missed',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_sdk_refresh_failures_total',
      help: 'Failed attempts to refresh the flags in memory',
      registers,
    }),
  };
}
