import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse, PathBigId } from '../../platform/http/schema.ts';
import { presentEvent } from './present.ts';
import { Event, EventCreator, EventCreators, EventSearchQuery, EventSearchResult, Tag } from './schema.ts';
import { parseEventSearch } from './search-query.ts';
import { type EventRow, findEvent, listEventCreators, searchEvents } from './store.ts';

export function eventRoutes(app: App, db: Db, longReads: LongReads): void {
  for (const schema of [Tag, Event, EventSearchResult, EventCreator]) app.addSchema(schema);

  app.get(
    '/api/admin/search/events',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'searchEvents',
        tags: ['Events'],
        summary: 'Search events',
        description:
          'Returns events, newest first. Several filters must all match. Root admins see every event. Other callers see the events of projects they can read, and their own events without a project. The total counts only visible events. Every authenticated caller may call it.',
        querystring: EventSearchQuery,
        response: {
          200: jsonResponse('The page and the total', EventSearchResult),
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async request => {
      const search = parseEventSearch(request.query);
      // Free text may have to look at every event; the other filters walk an index.
      const { events, total } =
        search.query === undefined
          ? await searchEvents(db, request.actor, search)
          : await longReads.run(request.caller, db => searchEvents(db, request.actor, search));
      return { events: events.map(event => present(event, request.actor)), total };
    },
  );

  app.get(
    '/api/admin/events/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEvent',
        tags: ['Events'],
        summary: 'Get an event',
        description: 'Returns an event that the caller can see. Every authenticated caller may call it.',
        params: Type.Object({
          id: PathBigId('Event', '4211'),
        }),
        response: { 200: jsonResponse('The event', Event), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async request => {
      const event = await findEvent(db, request.actor, Number(request.params.id));
      if (!event) throw notFound(`Event ${request.params.id}`);
      return present(event, request.actor);
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
}

const present = (event: EventRow, actor: Actor): Event => ({
  ...presentEvent(event),
  ...(actor.isAdmin ? { ip: event.ip } : {}),
});
