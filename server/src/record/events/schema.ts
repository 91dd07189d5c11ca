import {
  DATE_PATTERN,
  Filter,
  MAX_TEXT_LENGTH,
  page,
  SearchQuery,
} from '@halyard/plane/platform/http/input/filter.ts';
import {
  Named,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { ACTOR_KINDS, type ActorKind } from '../../platform/actor.ts';
import type { EventPart as Part } from './describe.ts';
import { EVENT_TYPE_NAMES } from './event-types.ts';
import { REFERENCE_KINDS } from './references.ts';

export const Tag = SharedObject('Tag', 'A tag of a feature', {
  value: Type.String({
    description: 'Value of the tag',
    minLength: 2,
    maxLength: 50,
    examples: ['checkout'],
  }),
  type: Type.String({
    description: 'Name of the tag type',
    minLength: 2,
    maxLength: 50,
    examples: ['simple'],
  }),
});

const strongPart = { text: 'alice', strong: true, ref: { kind: 'user', id: '7' } };

export const EventPart = Named(
  'EventPart',
  Type.Unsafe<Part>(
    Type.Object({
      text: Type.String({ description: 'Plain text, without Markdown', examples: [strongPart.text] }),
      strong: Optional.Boolean({ description: 'Present and true for names and other values' }),
      place: Optional.Boolean({
        description:
          'Present and true for parts that say where it happened. Without these parts the sentence is shorter and still complete',
      }),
      ref: Type.Optional(
        NamedObject('EventReference', 'What a part of the summary refers to', {
          kind: Type.String({
            title: 'EventReferenceKind',
            enum: [...REFERENCE_KINDS],
            description: 'Kind of resource that the text names',
            examples: [strongPart.ref.kind],
          }),
          id: Type.String({
            description:
              'Id of the resource: the name of a feature, environment, context field, strategy type or tag type, type:value for a tag, and otherwise the id. The resource may have been deleted since',
            examples: [strongPart.ref.id],
          }),
          project: Optional.String({
            description: 'Project of a feature, or of a segment or context field that belongs to one',
            examples: ['default'],
          }),
        }),
      ),
    }),
  ),
);

export const Event = SharedObject('Event', 'An event', {
  id: Type.Integer({
    description: 'Increases over time. Imported events have negative ids',
    examples: [4211],
  }),
  createdAt: Timestamp('When the event happened'),
  type: Type.String({
    title: 'EventType',
    description: 'Type of the event',
    enum: EVENT_TYPE_NAMES,
    examples: ['feature-created'],
  }),
  createdBy: Type.String({
    description:
      'Username or email address of the user who acted, `admin token` with the name of the token, or `system`. Older events have only the name of the token',
    examples: ['alice'],
  }),
  createdByUserId: Nullable.Integer({
    description: 'Id of that user. -42: an admin token. -1337: the server itself',
    examples: [7],
  }),
  createdByKind: Type.Optional(
    Type.Unsafe<ActorKind>({
      type: 'string',
      title: 'ActorKind',
      enum: [...ACTOR_KINDS],
      description:
        'Who acted: `user` (a person in the console), `token` (a program with a personal access token), `agent` (an agent on behalf of createdBy), `service-account`, `admin-token`, or `system` (the server itself). Absent from events older than this field. In older events, `user` includes personal access tokens.',
      examples: ['user'],
    }),
  ),
  createdByToken: Type.Optional(
    NamedObject('EventToken', 'The token that createdBy used. Absent if there was none', {
      id: Type.Integer({ description: 'Id of the token', examples: [3] }),
      name: Type.String({
        description: 'Description of the token at the time of the change; for an agent, its name',
        examples: ['cleanup agent'],
      }),
    }),
  ),
  createdByClient: Optional.String({
    description:
      'Name and version of the client, from the Halyard-Client or User-Agent request header. The client itself sends it, so it can be wrong. Absent for sessions',
    examples: ['halyard-cli/1.4.0'],
  }),
  environment: Nullable.String({
    description: 'Name of the environment. null if the event does not concern one',
    examples: [null],
  }),
  project: Nullable.String({
    description: 'Id of the project. null if the event does not concern one',
    examples: ['default'],
  }),
  featureName: Nullable.String({
    description: 'Name of the feature. null if the event does not concern one',
    examples: ['checkout-v2'],
  }),
  data: Nullable(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The subject after the change',
        examples: [{ name: 'checkout-v2', project: 'default', type: 'release' }],
      },
    ),
  ),
  preData: Nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The subject before the change', examples: [null] },
    ),
  ),
  tags: Type.Array(Ref(Tag), { description: 'Tags of the feature at that time' }),
  label: Type.String({ description: 'Short readable name of the type', examples: ['Flag created'] }),
  summary: Type.String({
    description: 'One line of Markdown. Names are escaped',
    examples: ['**alice** created flag **checkout-v2** in project **default**'],
  }),
  parts: Optional.Array(Ref(EventPart), {
    description:
      'The summary split into parts, so that names can be shown as links. The summary is the text of all parts, with ** around the bold ones and formatting escaped. Present if the request has `parts=true`, and in every delivery record',
    examples: [
      [
        strongPart,
        { text: ' created flag ' },
        {
          text: 'checkout-v2',
          strong: true,
          ref: { kind: 'feature', id: 'checkout-v2', project: 'default' },
        },
        { text: ' in project ', place: true },
        { text: 'default', strong: true, place: true, ref: { kind: 'project', id: 'default' } },
      ],
    ],
  }),
  comment: Optional.String({
    description:
      'Reason for the change, from the Halyard-Comment request header. Absent if the caller gave none',
    examples: ['Rollback of the spring sale, see INC-1234'],
  }),
  groupId: Type.String({
    description: 'Shared by all events of one change',
    examples: ['0b6f7c1e-95a5-4bd3-9a53-5b1f6f6f0a11'],
  }),
  importedFrom: Type.Optional(
    NamedObject('EventOrigin', 'Where the event was imported from. Absent from events of this server', {
      product: Type.String({
        enum: ['unleash'],
        description: 'The product that recorded the event',
        examples: ['unleash'],
      }),
      id: Type.Integer({ description: 'Id of the event in that product', examples: [4211] }),
    }),
  ),
  ip: Type.Optional(
    Nullable.String({
      description: 'IP address of the caller. Only root admins see it',
      examples: ['192.0.2.7'],
    }),
  ),
});
export type Event = Static<typeof Event>;

export const EventSearchResult = SharedObject('EventSearchResult', {
  events: Type.Array(Ref(Event), {
    description: 'The page, newest first. It has fewer events than limit if they exceed 8 MiB in total',
  }),
  total: Type.Integer({
    description:
      'Number of events that match the filters and that the caller can see. before and after do not change it',
    examples: [53],
  }),
  totalIsLowerBound: Optional.Boolean({
    description:
      'Whether there may be more matches than total, because checking every event for the string in query would have taken too long. next continues the search',
  }),
  next: Optional.Integer({
    description: 'Value of before for the next page. Absent on the last page',
    examples: [4211],
  }),
});

const dayFilter = (description: string, example: string) =>
  Optional.String({ description, pattern: DATE_PATTERN, examples: [example] });

const idFilter = (description: string, example: string) =>
  Optional.String({ description, pattern: '^-?[0-9]+$', maxLength: 17, examples: [example] });

/** The event filters, which are the same in every operation that filters events. */
export const eventFilters = {
  query: Optional.String({
    title: 'EventTextFilter',
    maxLength: MAX_TEXT_LENGTH,
    description:
      'String to find in the JSON of data, preData, tags or the comment: a case-insensitive substring, as typed or in its JSON-escaped form. Quotation marks, backslashes and line breaks are found as they appear to users. JSON punctuation and null match too.',
    examples: ['flexibleRollout'],
  }),
  feature: Filter('EventFeatureFilter', 'By feature name', 'IS:checkout-v2'),
  project: Filter('EventProjectFilter', 'By project id', 'IS_ANY_OF:default,payments'),
  type: Filter(
    'EventTypeFilter',
    'By event type. For an unknown type, the Halyard-Hint header suggests the nearest known one.',
    'IS:project-created',
  ),
  createdBy: Filter('EventCreatedByFilter', "By the creator's user id", 'IS:7'),
  createdByKind: Filter(
    'EventCreatedByKindFilter',
    `By the kind of actor: ${ACTOR_KINDS.join(', ')}`,
    'IS_ANY_OF:agent,token',
  ),
  environment: Filter('EventEnvironmentFilter', 'By environment', 'IS:production'),
  id: Filter('EventIdFilter', 'By event id', 'IS:4211'),
  groupId: Filter(
    'EventGroupIdFilter',
    'By the change that the events belong to',
    'IS:0b6f7c1e-95a5-4bd3-9a53-5b1f6f6f0a11',
  ),
  from: dayFilter('First day, UTC, inclusive', 'IS:2026-11-01'),
  to: dayFilter('Last day, UTC, inclusive', 'IS:2026-11-30'),
};

export const eventCursor = {
  before: idFilter('Only events with a lower id', '4211'),
  after: idFilter('Only events with a higher id', '4000'),
};

/** Callers opt in to the parts of events, because they make a page of 1,000 events 740 kB larger and take 1.7 ms. */
export const eventParts = {
  parts: Optional.String({
    enum: ['true', 'false'],
    default: 'false',
    description: 'true: each event has parts, its summary split into parts',
    examples: ['true'],
  }),
};

export const EventSearchQuery = SearchQuery({ ...eventFilters, ...eventCursor, ...eventParts, ...page });

export const EventCreator = SharedObject('EventCreator', 'The creator of an event', {
  id: Type.Integer({ description: 'Id of the creator', examples: [7] }),
  name: Type.String({ description: 'Name of the creator', examples: ['alice'] }),
});
export const EventCreators = Type.Array(Ref(EventCreator), {
  title: 'EventCreatorList',
  description: 'The creators, by name',
});

export const EventTypeInfo = SharedObject('EventTypeInfo', {
  type: Type.String({
    description: 'Value of type in events, and of the type filter',
    enum: EVENT_TYPE_NAMES,
    examples: ['feature-created'],
  }),
  label: Type.String({ description: 'Short readable name of the type', examples: ['Flag created'] }),
  emitted: Type.Boolean({
    description: 'Whether an operation of this version emits events of the type',
    examples: [true],
  }),
});
export const EventTypeList = SharedObject('EventTypeList', {
  eventTypes: Type.Array(Ref(EventTypeInfo), {
    description: 'Every type: those of Unleash in its order, then those of Halyard',
  }),
});
