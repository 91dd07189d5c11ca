import type { App } from '../../../plane/src/platform/http/app.ts';

const HEADER = 'halyard-revision';

/**
 * Names the revisions that the changes of a request took, so that the caller can tell when an SDK has them: `production=42,
 * staging=7`. Responses to requests that changed nothing for SDKs do not have the header.
 */
export function installRevisionHeader(app: App): void {
  app.addHook('preHandler', async request => {
    if (request.method !== 'GET' && request.actor) request.actor = { ...request.actor, revisions: new Map() };
  });

  app.addHook('onSend', async (request, reply) => {
    const revisions = request.actor?.revisions;
    if (!revisions || revisions.size === 0) return;
    reply.header(
      HEADER,
      [...revisions].map(([environment, revision]) => `${environment}=${revision}`).join(', '),
    );
  });
}
