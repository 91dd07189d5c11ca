import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathEventId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { makeCanRead, presentEventTo } from '../events/present.ts';
import { Event, EventCreator, EventCreators, EventPart, Tag } from '../events/schema.ts';
import { findEvent, listEventCreators } from '../events/store.ts';
import { type OperationModule, query } from '../operations/definition.ts';

/** These operations are not in the folder `events`, which cannot import operations because `change()` imports it. */
export const EVENTS: OperationModule = {
  tag: 'Events',
  schemas: [Tag, EventPart, Event, EventCreator],
  operations: [
    query({
      id: 'getEvent',
      route: 'GET /api/admin/events/:id',
      summary: 'Get an event',
      description:
        'Returns an event that the caller can see, with the parts of its summary. Every authenticated caller may call it.',
      permission: 'NONE',
      params: Type.Object({ id: PathEventId('4211') }),
      output: jsonResponse('The event', Event),
      rejects: [400],
      read: async ({ db, actor }, { params: { id } }) => {
        const event = await findEvent(db, actor, Number(id));
        if (!event) throw notFound(`Event ${id}`);
        const canRead = await makeCanRead(db, actor, [event]);
        return presentEventTo(actor, event, canRead, { parts: true });
      },
    }),
    query({
      id: 'getEventCreators',
      route: 'GET /api/admin/event-creators',
      summary: 'List event creators',
      description:
        'Returns the creators of the events that the caller can see. Their ids are values for the createdBy filter. Every authenticated caller may call it.',
      permission: 'NONE',
      output: EventCreators,
      read: ({ db, actor }) => listEventCreators(db, actor),
    }),
  ],
};
