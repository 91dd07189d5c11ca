import { Counter } from 'prom-client';
import type { App } from '../../../plane/src/platform/http/app.ts';

/**
 * A rejected promise that nobody handles is a bug in one step of background work, and the rest of the server is still sound: all
 * state is in PostgreSQL, and each request and job has its own transaction. Exiting would turn it into an outage, repeated after
 * every restart if an event in the queue is the cause. So it is logged as fatal, counted, and the server continues. An uncaught
 * exception ends the process, as Node does by default: it is thrown from a callback, so the calling library may have left its
 * work unfinished.
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
