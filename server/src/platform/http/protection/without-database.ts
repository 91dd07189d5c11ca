import { ApiError } from '../../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../../plane/src/platform/http/app.ts';

/** Paths that lead to the database. The console's own files, the manual, health checks and metrics do not. */
const NEEDS_DATABASE = /^\/+(?:api|auth|invite|logout)(?=[/?]|$)/;
const RETRY_AFTER_S = 2;

/**
 * Rejects requests while the server has not seen its database yet. It may have an older schema, so nothing may read it before migrations have run.
 * `snapshotTime` is undefined afterwards.
 */
export function installWithoutDatabase(app: App, snapshotTime: () => string | undefined): void {
  app.addHook('onRequest', async (request, reply) => {
    const time = snapshotTime();
    if (time === undefined || !NEEDS_DATABASE.test(request.url)) return;
    // As in responses to SDKs. The console shows it.
    reply.header('halyard-snapshot', time);
    throw new ApiError(
      'ServiceUnavailableError',
      `The database is unreachable. The server started without it and serves SDKs from a snapshot of ${time}. Everything else works when the database responds again.`,
      { retryAfter: RETRY_AFTER_S },
    );
  });
}
