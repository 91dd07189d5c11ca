import type { App } from '@halyard/plane/platform/http/app.ts';

/**
 * Describes the changes that a request made, so that the caller can find out when SDKs have them. `Halyard-Revision` contains the
 * new revisions of environments, such as `production=42, staging=7`. `Halyard-Event` contains the id of the newest event that
 * concerns no particular environment. Without such an event, it contains the id of the newest event for each environment. Responses
 * to requests that changed nothing have neither header.
 */
export function installRevisionHeader(app: App): void {
  app.addHook('preHandler', async request => {
    if (request.method !== 'GET' && request.actor)
      request.actor = { ...request.actor, revisions: new Map(), events: new Map() };
  });

  app.addHook('onSend', async (request, reply) => {
    const { revisions, events } = request.actor ?? {};
    if (revisions && revisions.size > 0)
      reply.header('halyard-revision', [...revisions].map(revision => revision.join('=')).join(', '));
    if (events && events.size > 0)
      reply.header('halyard-event', events.get('') ?? [...events.values()].join(', '));
  });
}
