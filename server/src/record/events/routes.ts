import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { makeEtag, unlessKnown } from '../../platform/http/etag.ts';
import { errorResponses, jsonResponse, PathBigId } from '../../platform/http/schema.ts';
import { EVENT_TYPE_LIST } from './event-types.ts';
import { presentEventTo, readableIn } from './present.ts';
import {
  Event,
  EventCreator,
  EventCreators,
  EventPart,
  EventTypeInfo,
  EventTypeList,
  Tag,
} from './schema.ts';
import { findEvent, listEventCreators } from './store.ts';

export function eventRoutes(app: App, db: Db): void {
  for (const schema of [Tag, EventPart, Event, EventCreator, EventTypeInfo, EventTypeList])
    app.addSchema(schema);

  app.get(
    '/api/admin/events/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEvent',
        tags: ['Events'],
        summary: 'Get an event',
        description:
          'Returns an event that the caller can see, with the parts of its summary. Every authenticated caller may call it.',
        params: Type.Object({
          id: PathBigId('Event', '4211'),
        }),
        response: { 200: jsonResponse('The event', Event), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async request => {
      const event = await findEvent(db, request.actor, Number(request.params.id));
      if (!event) throw notFound(`Event ${request.params.id}`);
      const canRead = await readableIn(db, request.actor, [event]);
      return presentEventTo(request.actor, event, canRead, { parts: true });
    },
  );

  app.get(
    '/api/admin/event-creators',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEventCreators',
        tags: ['Events'],
        summary: 'List the creators of events',
        description:
          'Returns the creators of the events that the caller can see. Their ids are values for the filter createdBy. Every authenticated caller may call it.',
        response: { 200: EventCreators, ...errorResponses(401, 403) },
      },
    },
    async request => await listEventCreators(db, request.actor),
  );

  const types = { eventTypes: EVENT_TYPE_LIST };
  const etag = makeEtag(types);
  app.get(
    '/api/admin/event-types',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getEventTypes',
        tags: ['Events'],
        summary: 'List the types of events',
        description:
          'Returns every type of event with its label, and whether an operation emits it. The list changes only with the version of the server. Every authenticated caller may call it.',
        response: {
          200: jsonResponse('The types', EventTypeList),
          ...errorResponses(401, 403),
        },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      return unlessKnown(request, reply, etag, types);
    },
  );
}
