import type { App } from '@halyard/plane/platform/http/app.ts';
import { Counter } from 'prom-client';

/**
 * Logs and counts rejected promises that nobody handles. Each is a bug in one step of background work, and the rest of the server
 * is still sound, because all state is in PostgreSQL and each request and job has its own transaction. Exiting would turn the bug
 * into an outage, repeated after every restart if an event in the queue is the cause. So the server continues. An uncaught
 * exception ends the process, as it does in Node by default, because it is thrown from a callback and the calling library may have
 * left its work unfinished.
 */
export function reportUnhandled({ log, metrics }: App): void {
  const rejections = new Counter({
    name: 'halyard_unhandled_rejections_total',
    help: 'Errors in background work that nothing handled; each one is a bug',
    registers: [metrics],
  });
  process.on('unhandledRejection', error => {
    rejections.inc();
    log.fatal({ err: error }, 'unhandled rejection');
  });
  process.on('uncaughtExceptionMonitor', error => log.fatal({ err: error }, 'uncaught exception'));
}
