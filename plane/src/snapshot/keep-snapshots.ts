import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ServingState } from '../serving/state/serving.ts';
import { cleanUpSnapshots, writeSnapshot } from './files.ts';
import { encodeSnapshot } from './format.ts';
import type { SigningKey } from './keys.ts';
import { takeSnapshot } from './take.ts';

/** A process that starts while its source is unreachable serves the last snapshot, which may lack the last few seconds of changes. */
const WRITE_EVERY_MS = 2_000;
/** Even an unchanged state is written again after this time, so that the file shows how old the state is. */
const RENEW_AFTER_MS = 600_000;
const STOP_WITHIN_MS = 2_000;

type Log = { warn: (fields: object, message: string) => void };

/** Writes a snapshot of each environment after every change. Returns a function that writes what is left, then stops. */
export function keepSnapshots(
  state: ServingState,
  folder: string,
  key: SigningKey,
  log: Log,
  registry: Registry,
): () => Promise<void> {
  const writtenAt = new Map<string, number>();
  const failures = registerSnapshotMetrics(registry, () => Math.min(...writtenAt.values()));
  let isFailing = false;
  let running: Promise<void> | undefined;
  const unsubscribers = [
    state.onChange(environment => void writtenAt.delete(environment)),
    state.onTokens(() => writtenAt.clear()),
  ];

  const isDue = (environment: string): boolean =>
    performance.now() - (writtenAt.get(environment) ?? Number.NEGATIVE_INFINITY) > RENEW_AFTER_MS;

  const write = async (): Promise<void> => {
    // Otherwise, an environment that gets its first token is loaded by the first request, which may come only after a restart.
    await state.loadAll();
    const environments = [...state.environments()];
    for (const [name, environment] of environments) {
      if (!isDue(name)) continue;
      // Set before the state is read, so that a change during the write makes the snapshot due again.
      writtenAt.set(name, performance.now());
      try {
        await writeSnapshot(
          folder,
          name,
          await encodeSnapshot(takeSnapshot(state, { environment: name, projects: null }, environment), key),
        );
      } catch (error) {
        writtenAt.delete(name);
        throw error;
      }
    }
    await cleanUpSnapshots(
      folder,
      environments.map(([name]) => name),
    );
  };

  const writeOnce = (): Promise<void> => {
    running ??= write()
      .then(
        () => {
          if (isFailing) log.warn({ folder }, 'snapshots written after failures');
          isFailing = false;
        },
        error => {
          failures.inc();
          // Logs one line per outage.
          if (!isFailing) log.warn({ err: error, folder }, 'snapshot write failed');
          isFailing = true;
        },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  void writeOnce();
  const timer = setInterval(() => void writeOnce(), WRITE_EVERY_MS);

  return async () => {
    clearInterval(timer);
    for (const stop of unsubscribers) stop();
    const lastWrite = Promise.resolve(running).then(writeOnce);
    await Promise.race([lastWrite, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  };
}

function registerSnapshotMetrics(registry: Registry, oldest: () => number): Counter {
  const registers = [registry];
  new Gauge({
    name: 'halyard_snapshot_age_seconds',
    help: 'Time since the oldest snapshot in the data folder was written; 0 while one is being written',
    registers,
    collect() {
      const writtenAt = oldest();
      this.set(Number.isFinite(writtenAt) ? (performance.now() - writtenAt) / 1_000 : 0);
    },
  });
  return new Counter({
    name: 'halyard_snapshot_failures_total',
    help: 'Failed attempts to write snapshots to the data folder',
    registers,
  });
}
