import { badData } from '@halyard/plane/platform/errors.ts';
import { parseEnumValue } from '@halyard/plane/platform/http/input/filter.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { SearchMemory } from '../event-search/indexed.ts';
import { type EventFilters, parseEventFilters } from '../events/search-query.ts';
import { hintAboutUnknownType } from '../events/unknown-type.ts';
import { type OperationModule, query } from '../operations/definition.ts';
import { countEvents } from './count.ts';
import { EventCounts, EventCountsQuery, GROUP_PROPERTIES, type GroupProperty, MAX_GROUPS } from './schema.ts';
import type { EventGroup } from './store.ts';

export const eventCountOperations = (memory: SearchMemory): OperationModule => ({
  tag: 'Events',
  schemas: [EventCounts],
  operations: [
    query({
      id: 'countEvents',
      route: 'GET /api/admin/search/events/counts',
      summary: 'Count events',
      description:
        'Counts the matching events by UTC day, type, project, creator or environment. Filters and visibility are the same as in the search. Groups without events are omitted. Every authenticated caller may call it.',
      permission: 'NONE',
      hint: hintAboutUnknownType,
      query: EventCountsQuery,
      output: jsonResponse('The counts', EventCounts),
      read: async ({ actor, longReads, longReader }, { query }) => {
        const { by, ...filters } = parseEventCounts(query);
        // Any count is a long read, because where there is no index, it reads every event.
        const run = filters.query === undefined ? longReads.run : longReads.runSearch;
        const groups = await run(longReader, db => countEvents(db, actor, filters, by, memory));
        const shownGroups = groups.slice(0, MAX_GROUPS);
        return {
          by,
          groups: (by === 'day' ? shownGroups.toReversed() : shownGroups).map(present),
          hasMore: groups.length > shownGroups.length,
        };
      },
    }),
  ],
});

function parseEventCounts(parameters: Record<string, unknown>): EventFilters & { by: GroupProperty } {
  const { by, ...filters } = parseEventFilters<{ by?: GroupProperty }>(
    parameters,
    { by: value => parseEnumValue(value, GROUP_PROPERTIES) },
    {},
  );
  if (by !== undefined) return { ...filters, by };
  throw badData([{ message: `by must be one of ${GROUP_PROPERTIES.join(', ')}`, path: '/query/by' }]);
}

const present = ({ value, count, name }: EventGroup): EventCounts['groups'][number] => ({
  value,
  count,
  ...(name !== null && value !== null ? { creator: { id: Number(value), name } } : {}),
});
