import { Readable } from 'node:stream';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses } from '@halyard/plane/platform/http/schema.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import type { EpochWatch } from '../epoch/watch.ts';
import { hintAboutUnknownType } from '../events/unknown-type.ts';
import { STREAM_LIMITS, type StreamLimits } from './limits.ts';
import { registerEventStreamMetrics } from './metrics.ts';
import { parseEventStream } from './parameters.ts';
import { makeEventStream } from './reader.ts';
import { EVENT_STREAM, EventStreamHeaders, EventStreamQuery } from './schema.ts';

export function eventStreamRoutes(
  app: App,
  db: Db,
  longReads: LongReads,
  epochs: EpochWatch,
  limits: StreamLimits = STREAM_LIMITS,
): void {
  const events = makeEventStream(db, longReads, limits, epochs, app.log);
  registerEventStreamMetrics(app.metrics, events);
  app.addHook('preClose', events.close);

  app.get(
    '/api/admin/events/stream',
    {
      config: { permission: 'NONE', hint: hintAboutUnknownType },
      schema: {
        operationId: 'streamEvents',
        tags: ['Events'],
        summary: 'Stream new events',
        description: `Sends events as they are committed, in the order of their ids, as server-sent events. The filters are the same as in the event search, except for days and pages. A client that reconnects with Last-Event-ID misses no event and gets none twice. Visibility is the same as in the search. The server checks the caller's access again for every batch of events, and ends the stream when the session or token is no longer valid. If a failover or a restore lost events that the client has, the stream ends with the id to resume after. A caller can have at most ${limits.perCaller} streams on one server. Every authenticated caller may call it.`,
        querystring: EventStreamQuery,
        headers: EventStreamHeaders,
        response: { 200: EVENT_STREAM, ...errorResponses(400, 401, 403) },
      },
    },
    async (request, reply) => {
      const search = parseEventStream(request.query, request.headers['last-event-id']);
      reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no');
      // The response has no body, so nobody would read the stream.
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const { stream } = await events.listen(request.caller, request.actor, search);
      // A stream lasts for hours and has its own limits.
      request.visit.releaseSlot();
      return reply.send(stream);
    },
  );
}
