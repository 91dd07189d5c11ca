import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { Listen } from '../source.ts';
import type { ServingState } from './serving.ts';

const POLL_MS = 1_000;
const WRITE_USES_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

type Log = { warn: (fields: object, message: string) => void };

/** Loads the tokens and the environments that have one, then refreshes the state after every notification and every second. The returned function stops this. */
export async function keepCurrent(
  state: ServingState,
  listen: Listen,
  log: Log,
  metrics: Registry,
): Promise<() => Promise<void>> {
  await state.refresh();
  await state.loadAll();
  const { reopened, failures } = stateMetrics(state, metrics);
  let isFailing = false;
  let running: Promise<unknown> | undefined;
  let again = false;
  let stopped = false;
  /** The number of notifications so far, and the number when the poll last found something unannounced. */
  let notifications = 0;
  let missedAt: number | undefined;
  /** False while the listener connects, which can take longer than a poll. */
  let isListening = false;

  /** One refresh at a time. A wake-up during a refresh starts another one, which reads what the first could not see. */
  const wake = (): Promise<unknown> => {
    if (stopped) return Promise.resolve();
    if (running !== undefined) {
      again = true;
      return running;
    }
    again = false;
    running = state
      .refresh()
      .then(
        found => {
          if (isFailing) log.warn({}, 'flag state refreshed after failures');
          isFailing = false;
          return found;
        },
        error => {
          failures.inc();
          // One line for an outage, not one each second.
          if (!isFailing) log.warn({ err: error }, 'flag state refresh failed');
          isFailing = true;
          return false;
        },
      )
      .finally(() => {
        running = undefined;
        if (again) void wake();
      });
    return running;
  };

  const startListening = () => {
    isListening = false;
    return listen(
      () => {
        isListening = true;
        notifications++;
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
    if (missedAt !== undefined && missedAt === notifications) {
      // The notification has not arrived a second after its commit was visible: the connection is open and silent.
      reopened.inc();
      log.warn({}, 'flag listener missed a change and is reopened');
      const stopOld = stopListening;
      stopListening = startListening();
      await stopOld();
    }
    missedAt = undefined;
    // The refresh was started by a notification, so what it found was announced.
    if (running !== undefined) return;
    const before = notifications;
    const found = await wake();
    if (found === true && isListening && before === notifications) missedAt = before;
  };
  const polling = setInterval(() => void poll(), POLL_MS);
  const writing = setInterval(() => void writeUses(), WRITE_USES_MS);
  const writeUses = () =>
    state.tokens.writeUses().catch(error => log.warn({ err: error }, 'update of last use failed'));

  return async () => {
    stopped = true;
    clearInterval(polling);
    clearInterval(writing);
    const finished = Promise.all([stopListening(), running, writeUses()]);
    // A source that does not respond must not delay the shutdown.
    await Promise.race([finished, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  };
}

function stateMetrics(state: ServingState, registry: Registry) {
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
      help: 'Times that the listener missed a change which the poll found, and was reopened',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_sdk_refresh_failures_total',
      help: 'Attempts to refresh the flags in memory that failed',
      registers,
    }),
  };
}
