import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReader, LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { presentEventTo, readableIn } from '../events/present.ts';
import { EventSearchQuery, EventSearchResult } from '../events/schema.ts';
import { parseEventSearch } from '../events/search-query.ts';
import type { SearchMemory } from './indexed.ts';
import { searchEvents } from './search.ts';

/** The console asks for fewer events. A page of 1,000 can have 8 MiB. */
const MAX_SHORT_PAGE = 100;

export function eventSearchRoutes(app: App, db: Db, longReads: LongReads, memory: SearchMemory): void {
  /** Free text may have to look at every event. The other filters walk an index, so a small page is a short read. */
  const runSearch = async <T>(
    { query, limit }: { query?: string | undefined; limit: number },
    reader: LongReader,
    read: (db: Db) => Promise<T>,
  ): Promise<T> => {
    if (query !== undefined) return await longReads.runSearch(reader, read);
    return limit > MAX_SHORT_PAGE ? await longReads.run(reader, read) : await read(db);
  };

  app.addSchema(EventSearchResult);

  app.get(
    '/api/admin/search/events',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'searchEvents',
        tags: ['Events'],
        summary: 'Search events',
        description:
          'Returns events, newest first. Several filters must all match. A page by before costs the same however deep it is, and new events do not shift it. before and after must not be combined with offset. A page of large events ends when its size exceeds 8 MiB and can have fewer events than limit; next continues after it. Root admins see every event. Other callers see the events of projects they can read, and their own events without a project. The total counts only visible events. Every authenticated caller may call it.',
        querystring: EventSearchQuery,
        response: {
          200: jsonResponse('The page and the total', EventSearchResult),
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async request => {
      const search = parseEventSearch(request.query);
      // One event more than the page tells whether there is a next page.
      const more = { ...search, limit: search.limit + 1 };
      const read = (db: Db) => searchEvents(db, request.actor, more, memory);
      const { events, total, isCut } = await runSearch(search, request, read);
      const page = events.slice(0, search.limit);
      const last = isCut || events.length > page.length ? page.at(-1) : undefined;
      const canRead = await readableIn(db, request.actor, page);
      return {
        events: page.map(event => presentEventTo(request.actor, event, canRead, search)),
        total,
        ...(last ? { next: last.id } : {}),
      };
    },
  );
}
