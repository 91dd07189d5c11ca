import { page, SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { Nullable, Optional, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MAX_WAIT_SECONDS = 60;

const environment = Type.String({ description: 'Name of the environment', examples: ['production'] });
const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const ReachState = Type.Unsafe<'live' | 'behind' | 'unknown' | 'unchanged'>({
  title: 'ReachState',
  type: 'string',
  enum: ['live', 'behind', 'unknown', 'unchanged'],
  description:
    'live: every known instance has presented the change. behind: at least one has not. unknown: no instance is known, or the server had to ignore some. unchanged: the change does not affect what SDKs get, or is older than 30 days',
  examples: ['behind'],
});

export const EnvironmentReach = SharedObject(
  'EnvironmentReach',
  'How far a change has reached in one environment',
  {
    environment,
    state: ReachState,
    revision: count('Revision that the change created in the environment', 42),
    publishedAt: Timestamp('When the change was committed'),
    instances: count('Known instances that the change affects', 20),
    live: count('Instances that have presented this revision or a later one', 17),
    unconfirmed: count(
      'Instances with an open stream that have not presented this revision yet. A stream delivers every change within a second',
      1,
    ),
    behind: count('Other instances that have not presented this revision', 2),
    firstAt: Nullable(Timestamp('When the first instance presented the change; null: none yet')),
    halfAt: Nullable(
      Timestamp(
        'When half of the instances that have the change had presented it; null: none yet, or more than 4,000 instances have it',
      ),
    ),
    lastAt: Nullable(Timestamp('When the most recent instance presented the change; null: none yet')),
    requests: count(
      'Requests from browsers that the servers evaluated with the change. Browsers are not instances',
      1200,
    ),
  },
);
export type EnvironmentReach = Static<typeof EnvironmentReach>;

export const MissingInstance = SharedObject(
  'MissingInstance',
  'An instance that has not presented a change',
  {
    application: Nullable.String({
      description: 'Name of the application; null: it uses only projects that you cannot read',
      examples: ['checkout'],
    }),
    instance: Nullable.String({
      description: 'Id of the instance; null: its application is not shown',
      examples: ['checkout-7f9c-1'],
    }),
    environment,
    revision: count(
      'Revision up to which the instance has all changes; 0: it has presented none of the current history',
      41,
    ),
    streaming: Type.Boolean({
      description: 'Whether the instance has an open stream',
      examples: [false],
    }),
    lastContactAt: Timestamp('When a server last heard from the instance, to within about 100 s'),
  },
);
export type MissingInstance = Static<typeof MissingInstance>;

export const EventReach = SharedObject('EventReach', 'How far the change that an event records has reached', {
  eventId: Type.Integer({ description: 'Id of the event', examples: [4211] }),
  state: ReachState,
  liveSince: Nullable(
    Timestamp('When the last instance presented the change; null unless the state is live'),
  ),
  environments: Type.Array(Ref(EnvironmentReach), { description: 'The environments that changed' }),
  missing: Type.Array(Ref(MissingInstance), {
    description: 'A page of the instances that have not presented the change',
  }),
  total: count('Number of instances that have not presented the change', 3),
});
export type EventReach = Static<typeof EventReach>;

export const ReachQuery = SearchQuery({
  wait: Optional.Integer({
    description: `Seconds to wait until the change is live everywhere, 1 to ${MAX_WAIT_SECONDS}. Without it, the server responds immediately`,
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    examples: [30],
  }),
  ...page,
});
