import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses } from '@halyard/plane/platform/http/schema.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import type { SearchMemory } from '../event-search/indexed.ts';
import { hintAboutUnknownType } from '../events/unknown-type.ts';
import { exportEvents } from './export.ts';
import { LINES } from './lines.ts';
import { parseEventExport } from './query.ts';
import { EventExportQuery, ExportedFile } from './schema.ts';

export function eventExportRoutes(app: App, longReads: LongReads, memory: SearchMemory): void {
  app.get(
    '/api/admin/search/events/export',
    {
      config: { permission: 'NONE', hint: hintAboutUnknownType },
      schema: {
        operationId: 'exportEvents',
        tags: ['Events'],
        summary: 'Export events',
        description:
          'Streams all matching events, newest first, as a file. Filters and visibility are the same as in the search. limit and offset are rejected. label and summary are omitted. The export contains the events that were committed when it began. Every authenticated caller may call it.',
        querystring: EventExportQuery,
        response: { 200: ExportedFile, ...errorResponses(400, 401, 403) },
      },
    },
    async (request, reply) => {
      const { format, ...events } = parseEventExport(request.query);
      const { contentType } = LINES[format];
      // A HEAD request would read every event without sending any.
      if (request.method === 'HEAD') return reply.type(contentType).send('');
      return await longReads.sendExport(
        reply,
        source => exportEvents(source, request.actor, events, format, memory),
        { contentType, fileName: `events-${fileTimestamp()}.${format}` },
      );
    },
  );
}

/** Returns a time such as 20261115T093000Z, which is valid in file names on every file system. */
const fileTimestamp = (): string => new Date().toISOString().replace(/[-:]|\.\d+/g, '');
