import type { App } from '../../../plane/src/platform/http/app.ts';

/**
 * Describes the changes of a request, so that the caller can find out when SDKs have them. `Halyard-Revision` has the revisions
 * of environments: `production=42, staging=7`. `Halyard-Event` has the ids of the events whose reach is that of the whole
 * request: one event about no particular environment, otherwise the newest event about each environment. Responses to requests
 * that changed nothing have neither.
 */
export function installRevisionHeader(app: App): void {
  app.addHook('preHandler', async request => {
    if (request.method !== 'GET' && request.actor)
      request.actor = { ...request.actor, revisions: new Map(), events: new Map() };
  });

  app.addHook('onSend', async (request, reply) => {
    const { revisions, events } = request.actor ?? {};
    if (revisions && revisions.size > 0)
      reply.header('halyard-revision', [...revisions].map(one => one.join('=')).join(', '));
    if (events && events.size > 0)
      reply.header('halyard-event', events.get('') ?? [...events.values()].join(', '));
  });
}
