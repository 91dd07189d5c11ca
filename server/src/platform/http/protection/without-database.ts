import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';

/** The paths that need the database. The console's own files, the manual, health checks and metrics do not need it. */
const NEEDS_DATABASE = /^\/+(?:api|auth|invite|logout)(?=[/?]|$)/;
const RETRY_AFTER_S = 2;

/**
 * Rejects requests until the server has reached its database for the first time. The database may have an older schema, so nothing
 * may read it before the migrations have run. Afterwards, `snapshotTime` returns undefined.
 */
export function installWithoutDatabase(app: App, snapshotTime: () => string | undefined): void {
  app.addHook('onRequest', async (request, reply) => {
    const time = snapshotTime();
    if (time === undefined || !NEEDS_DATABASE.test(request.url)) return;
    // Responses to SDKs have this header too. The console shows the time.
    reply.header('halyard-snapshot', time);
    throw new ApiError(
      'ServiceUnavailableError',
      `The database is unreachable. The server started without it and serves SDKs from a snapshot of ${time}. Everything else will work again when the database responds.`,
      { retryAfter: RETRY_AFTER_S },
    );
  });
}
