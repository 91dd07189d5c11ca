import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';

const BACKSTAGE_PATH = '/internal-backstage/';

const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Requires the token for everything under `/internal-backstage/`. Without a configured token, these routes are public. */
export function installMetricsToken(app: App, token: string | undefined): void {
  if (token === undefined) return;
  const expectedDigest = computeDigest(`Bearer ${token}`);
  app.addHook('onRequest', async ({ routeOptions, headers }) => {
    if (!routeOptions.url?.startsWith(BACKSTAGE_PATH)) return;
    // Digests all have the same length, so the comparison takes the same time for every header.
    if (timingSafeEqual(computeDigest(headers.authorization ?? ''), expectedDigest)) return;
    throw new ApiError(
      'AuthenticationRequired',
      'Metrics require the token that the operator configured as HALYARD_METRICS_TOKEN. Send it in the header "Authorization: Bearer …".',
    );
  });
}
