import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { Reader } from '../../platform/db/database.ts';
import { makeCanRead, presentEventTo } from '../events/present.ts';
import { EventSearchQuery, EventSearchResult } from '../events/schema.ts';
import { type EventSearch, parseEventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { hintAboutUnknownType } from '../events/unknown-type.ts';
import { type OperationModule, query, type ReadContext } from '../operations/definition.ts';
import type { SearchMemory } from './indexed.ts';
import { type FoundEvents, searchEvents } from './search.ts';

/** A page of at most this many events is a short read. The console requests fewer, but a page of 1,000 events can reach 8 MiB. */
const MAX_SHORT_PAGE = 100;

/**
 * Runs a search as a long read if it may take a long time. Free text may have to check every event, but the other filters use an
 * index, so a small page is a short read.
 */
async function runSearch<T>(
  { db, longReads, longReader }: ReadContext,
  { query, limit }: EventSearch,
  read: (db: Reader) => Promise<T>,
): Promise<T> {
  if (query !== undefined) return await longReads.runSearch(longReader, read);
  return limit > MAX_SHORT_PAGE ? await longReads.run(longReader, read) : await read(db);
}

/** Lower than every id. A search that is complete from this id on has no next page. */
const BELOW_ALL_IDS = Number.MIN_SAFE_INTEGER;

/** Returns the id before which the next page begins. A page that ended early continues where it stopped. */
function nextCursor(
  { events, isTruncated, completeFrom = BELOW_ALL_IDS }: FoundEvents,
  page: EventRow[],
): number | undefined {
  if (isTruncated || events.length > page.length) return page.at(-1)?.id;
  return completeFrom > BELOW_ALL_IDS ? completeFrom : undefined;
}

export const eventSearchOperations = (memory: SearchMemory): OperationModule => ({
  tag: 'Events',
  schemas: [EventSearchResult],
  operations: [
    query({
      id: 'searchEvents',
      route: 'GET /api/admin/search/events',
      summary: 'Search events',
      description:
        'Returns events, newest first. An event must match all filters. With before, deep pages cost no more than the first, and new events do not shift them. before and after must not be combined with offset. A page of large events ends when its size exceeds 8 MiB and can have fewer events than limit; next continues after it. If a string is so common that checking it would take longer than 10 s, or if more than 100,000 events are not indexed yet, the page and the total contain what was found by then, totalIsLowerBound is true, and next continues the search. Root admins see every event. Other callers see the events of projects they can read, and their own events without a project. The total counts only visible events. Every authenticated caller may call it.',
      permission: 'NONE',
      hint: hintAboutUnknownType,
      query: EventSearchQuery,
      output: jsonResponse('The page and the total', EventSearchResult),
      read: async (context, { query }) => {
        const { db, actor } = context;
        const search = parseEventSearch(query);
        // Reading one event more than fits on the page shows whether there is a next page.
        const extendedSearch = { ...search, limit: search.limit + 1 };
        const result = await runSearch(context, search, db =>
          searchEvents(db, actor, extendedSearch, memory),
        );
        const page = result.events.slice(0, search.limit);
        const next = nextCursor(result, page);
        const canRead = await makeCanRead(db, actor, page);
        return {
          events: page.map(event => presentEventTo(actor, event, canRead, search)),
          total: result.total,
          ...(result.completeFrom === undefined ? {} : { totalIsLowerBound: true }),
          ...(next === undefined ? {} : { next }),
        };
      },
    }),
  ],
});
