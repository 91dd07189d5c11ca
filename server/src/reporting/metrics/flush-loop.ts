import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '@halyard/plane/counting/usage.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import { makeFlusher } from './flush.ts';
import { makeQuotaLog } from './quota-log.ts';

/** A process that is killed loses what has arrived since the last flush. */
export const FLUSH_MS = 10_000;
const LAST_FLUSH_WITHIN_MS = 3_000;

type Log = { warn: (fields: object, message: string) => void };

export type FlushLoop = {
  /** Writes what has arrived so far, or waits for the running flush. */
  flush: () => Promise<void>;
  /** Writes once more and stops. */
  stop: () => Promise<void>;
};

/** Writes every 10 s what SDKs have reported. While the database is unreachable, everything is kept and added up. */
export function startFlushLoop(usage: Usage, db: Db, log: Log, registry: Registry): FlushLoop {
  const flusher = makeFlusher(db, usage, makeQuotaLog(db, log, registry));
  let flushedAt = performance.now();
  let isFailing = false;
  let currentFlush: Promise<void> | undefined;
  const failures = registerFlushMetrics(registry, () => (performance.now() - flushedAt) / 1_000);

  const flush = (): Promise<void> => {
    currentFlush ??= flusher
      .flush()
      .then(
        () => {
          if (isFailing) log.warn({}, 'metrics written after failures');
          isFailing = false;
          flushedAt = performance.now();
        },
        error => {
          failures.inc();
          // Logs one line per outage, not one every 10 s.
          if (!isFailing)
            log.warn(
              { error: summarizeError(error), keys: usage.merged.keys },
              'metrics not written, retrying',
            );
          isFailing = true;
        },
      )
      .finally(() => {
        currentFlush = undefined;
      });
    return currentFlush;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);

  return {
    flush,
    stop: async () => {
      clearInterval(timer);
      // A running flush does not include what arrived after its start.
      const lastFlush = Promise.resolve(currentFlush).then(flush);
      await Promise.race([lastFlush, sleep(LAST_FLUSH_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Returns only the code and the message, because the other fields of a PostgreSQL error quote what a caller sent. */
const summarizeError = (error: unknown): object => ({
  code: error instanceof Error && 'code' in error ? error.code : undefined,
  message: error instanceof Error ? error.message : String(error),
});

function registerFlushMetrics(registry: Registry, age: () => number): Counter {
  const registers = [registry];
  new Gauge({
    name: 'halyard_metrics_unwritten_seconds',
    help: 'Seconds since SDK metrics were last written. Above 20, writes to the database are failing',
    registers,
    collect() {
      this.set(age());
    },
  });
  return new Counter({
    name: 'halyard_metrics_flush_failures_total',
    help: 'Number of failed attempts to write SDK metrics. The metrics are kept and written later',
    registers,
  });
}
