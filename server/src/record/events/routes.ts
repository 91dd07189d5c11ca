import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { makeEtag, sendUnlessNotModified } from '../../platform/http/output/etag.ts';
import { EVENT_TYPE_LIST } from './event-types.ts';
import { EventTypeInfo, EventTypeList } from './schema.ts';

/** Adds a route instead of an operation, because the response has its own Cache-Control. */
export function eventTypesRoute(app: App): void {
  for (const schema of [EventTypeInfo, EventTypeList]) app.addSchema(schema);

  const types = { eventTypes: EVENT_TYPE_LIST };
  const etag = makeEtag(types);
  app.get(
    '/api/admin/event-types',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getEventTypes',
        tags: ['Events'],
        summary: 'List event types',
        description:
          'Returns every event type with its label, and whether an operation emits it. The list changes only with the server version. Every authenticated caller may call it.',
        response: {
          200: jsonResponse('The types', EventTypeList),
          ...errorResponses(401, 403),
        },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      return sendUnlessNotModified(request, reply, etag, types);
    },
  );
}
