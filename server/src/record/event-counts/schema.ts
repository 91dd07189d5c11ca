import { SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { NamedObject, Nullable, Ref, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { EventCreator, eventFilters } from '../events/schema.ts';

export const GROUP_PROPERTIES = ['day', 'type', 'project', 'creator', 'environment'] as const;
export type GroupProperty = (typeof GROUP_PROPERTIES)[number];

export const MAX_GROUPS = 1_000;

export const EventCountsQuery = SearchQuery({
  by: Type.String({
    enum: [...GROUP_PROPERTIES],
    description: 'Property to group the events by',
    examples: ['type'],
  }),
  ...eventFilters,
});

export const EventCounts = SharedObject('EventCounts', {
  by: Type.Unsafe<GroupProperty>({
    type: 'string',
    enum: [...GROUP_PROPERTIES],
    description: 'Property to group the events by',
    examples: ['type'],
  }),
  groups: Type.Array(
    NamedObject('EventCount', {
      value: Nullable.String({
        description: 'UTC day, type, project, creator id or environment. null for events without one',
        examples: ['feature-created'],
      }),
      count: Type.Integer({ description: 'Number of events', minimum: 1, examples: [53] }),
      creator: Type.Optional(Ref(EventCreator)),
    }),
    {
      maxItems: MAX_GROUPS,
      description: 'Days in chronological order; other groups by count, largest first. At most 1,000',
    },
  ),
  hasMore: Type.Boolean({
    description: 'Whether there are more groups: earlier days, or groups with smaller counts',
    examples: [false],
  }),
});
export type EventCounts = Static<typeof EventCounts>;
