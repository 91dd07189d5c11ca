import {
  Filter,
  MAX_FILTER_LENGTH,
  MAX_TEXT_LENGTH,
  page,
  SearchQuery,
} from '@halyard/plane/platform/http/input/filter.ts';
import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Event } from '../../record/events/schema.ts';
import { RenderedRequest, RequestHeader } from '../sending/schema.ts';

export const STATES = ['pending', 'retrying', 'success', 'successWithErrors', 'failed'] as const;

const state = Type.String({
  title: 'IntegrationEventState',
  enum: [...STATES],
  description:
    'pending: no attempt yet. retrying: the last attempt failed, and another one follows. success: delivered. successWithErrors: partially delivered. failed: exhausted, no further attempt.',
  examples: ['success'],
});

const lastStatus = Nullable.Integer({
  description: 'Status of the response to the last finished attempt. null if there was no response.',
  examples: [200],
});
const lastOutcome = Nullable.String({
  description: 'Outcome of the last finished attempt, as in the attempts. null if no attempt has finished.',
  examples: ['success'],
});
const nextAttemptAt = Nullable(
  Timestamp(
    'Due time of the next attempt. null while an attempt runs, while an earlier event blocks this one, and after the last attempt.',
  ),
);

const fields = {
  id: Type.String({ description: 'Id of the record', examples: ['87'] }),
  integrationId: Type.Integer({ description: 'Id of the integration', examples: [3] }),
  createdAt: Timestamp('When the record was created: with the event, or later by a backfill'),
  state,
  stateDetails: Type.String({
    description: 'Explanation of the state. For an open delivery, what it is waiting for.',
    examples: ['Delivered. The receiver responded with 200.'],
  }),
  event: Ref(Event),
  details: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'Content of the request, by provider. Before the first attempt: the provider and a message. It contains no secrets.',
    },
  ),
  attempts: Type.Integer({ description: 'Number of started attempts', examples: [1] }),
  lastStatus,
  lastOutcome,
  nextAttemptAt,
  blocks: Type.Boolean({
    description: 'Whether this exhausted delivery blocks later deliveries. Redeliver or skip it.',
    examples: [false],
  }),
  replayOf: Nullable.String({
    description: 'Id of the failed record that this one replays',
    examples: [null],
  }),
};

export const IntegrationEvent = SharedObject('IntegrationEvent', fields);
export type IntegrationEvent = Static<typeof IntegrationEvent>;

export const IntegrationEvents = SharedObject('IntegrationEvents', {
  integrationEvents: Type.Array(Ref(IntegrationEvent), {
    description:
      'Newest first. With status, type or query, a page can have fewer records than limit although next is present.',
  }),
  total: Type.Integer({
    description:
      'Number of matching records, counted among at most the newest 10,000 records with the given integration, states and times. before and offset do not affect it.',
    examples: [53],
  }),
  isTotalExact: Type.Boolean({
    description: 'Whether total counts all records. false: there may be more.',
    examples: [true],
  }),
  next: Optional.Integer({
    description: 'Value of before for the next page. Absent on the last page.',
    examples: [87],
  }),
});

export const EventDelivery = SharedObject('EventDelivery', {
  id: fields.id,
  integrationId: fields.integrationId,
  provider: Type.String({ description: 'Provider of the integration', examples: ['webhook'] }),
  description: Nullable.String({
    description: 'Purpose of the integration',
    examples: ['Notifies the on-call channel'],
  }),
  createdAt: fields.createdAt,
  state,
  attempts: fields.attempts,
  lastStatus,
  nextAttemptAt,
});
export type EventDelivery = Static<typeof EventDelivery>;

/** The maximum number of deliveries returned for one event: one for each integration, plus those that backfills add. */
export const MAX_EVENT_DELIVERIES = 1_000;

export const EventDeliveries = SharedObject('EventDeliveries', {
  deliveries: Type.Array(Ref(EventDelivery), {
    description: `Newest first, at most ${MAX_EVENT_DELIVERIES.toLocaleString('en')}`,
  }),
});

export const DeliveryAttempt = SharedObject('DeliveryAttempt', {
  number: Type.Integer({ description: 'Number of the attempt, from 1', examples: [1] }),
  startedAt: Timestamp('When the attempt started'),
  outcome: Nullable.String({
    description:
      'success, partial, rejected (the response status is not 2xx), gone (410), disallowed (the IP address is private), timeout, dns, tls, connection, configuration, or interrupted (the server stopped). null while the attempt runs.',
    examples: ['success'],
  }),
  durationMs: Nullable.Integer({
    description: 'Duration in milliseconds. null while the attempt runs',
    examples: [35],
  }),
  status: Nullable.Integer({ description: 'HTTP status of the response', examples: [200] }),
  address: Nullable.String({ description: 'IP address of the receiver', examples: ['192.0.2.7'] }),
  error: Nullable.String({ description: 'Why the attempt failed' }),
  response: Nullable.String({
    description: 'First 4,096 characters of the response body. Not stored for private IP addresses.',
  }),
  headers: Nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'First 20 response headers, without cookies. Not stored for private IP addresses.',
      examples: [{ 'content-type': 'text/plain' }],
    }),
  ),
  bodySha256: Nullable.String({ description: 'SHA-256 of the request body' }),
  requestHeaders: Nullable(
    Type.Array(Ref(RequestHeader), {
      description:
        'Request headers, in order. Credentials, signatures and custom headers are masked. null if no request was created.',
    }),
  ),
});

export const IntegrationEventWithAttempts = SharedObject('IntegrationEventWithAttempts', {
  ...fields,
  attemptList: Type.Array(Ref(DeliveryAttempt), { description: 'Oldest first' }),
});

export const RecordQuery = SearchQuery({
  ...page,
  before: Optional.String({
    title: 'RecordBefore',
    description: 'Only records with a lower id. Cannot be combined with offset.',
    pattern: '^[0-9]+$',
    maxLength: 16,
    examples: ['87'],
  }),
  state: Optional.String({
    title: 'RecordStateFilter',
    description: `By state: ${STATES.join(', ')}. One state can be given without an operator.`,
    maxLength: MAX_FILTER_LENGTH,
    examples: ['IS_ANY_OF:failed,retrying'],
  }),
  status: Filter(
    'RecordStatusFilter',
    'By the status of the response to the last attempt: a status, a class such as 5xx, or none for no response',
    'IS_ANY_OF:404,5xx',
  ),
  type: Filter('RecordTypeFilter', 'By event type', 'IS:feature-created'),
  query: Optional.String({
    title: 'RecordTextFilter',
    maxLength: MAX_TEXT_LENGTH,
    description:
      'Case-insensitive substring of the feature name, project or creator of the event, or of the error of the last attempt',
    examples: ['checkout'],
  }),
  from: Optional.String({
    title: 'RecordFrom',
    description: 'Only records created at or after this time',
    examples: ['2026-11-15T00:00:00Z'],
  }),
  to: Optional.String({
    title: 'RecordTo',
    description: 'Only records created before this time',
    examples: ['2026-11-16T00:00:00Z'],
  }),
});

const counts = {
  delivered: Type.Integer({
    description: 'Deliveries that succeeded, including partial ones',
    examples: [980],
  }),
  deliveredFirst: Type.Integer({
    description: 'Deliveries that succeeded on the first attempt',
    examples: [945],
  }),
  failed: Type.Integer({
    description: 'Deliveries that failed, with no further attempt',
    examples: [20],
  }),
  retried: Type.Integer({ description: 'Failed attempts that were retried', examples: [61] }),
  successRate: Nullable(
    Type.Number({
      description:
        'delivered / (delivered + failed), from 0 to 1. null if both are 0. Retrying deliveries are not counted.',
      examples: [0.98],
    }),
  ),
  p50Ms: Nullable.Integer({
    description: 'Median duration of attempts, accurate to about 10 %. null if there were none.',
    examples: [44],
  }),
  p95Ms: Nullable.Integer({
    description: '95th percentile of the durations, accurate to about 10 %',
    examples: [310],
  }),
};
export const DeliveryCounts = SharedObject('DeliveryCounts', 'Counts and durations of deliveries', counts);
export type DeliveryCounts = Static<typeof DeliveryCounts>;

export const DeliveryPeriod = SharedObject('DeliveryPeriod', {
  start: Timestamp('Start of the hour or day, UTC'),
  ...counts,
});

export const IntegrationStats = SharedObject('IntegrationStats', {
  pending: Type.Integer({ description: 'Deliveries that have no finished attempt yet', examples: [0] }),
  retrying: Type.Integer({
    description:
      'Deliveries that are waiting for another attempt after a failed one. No period counts them as delivered or failed.',
    examples: [22],
  }),
  last24Hours: Ref(DeliveryCounts),
  hours: Type.Array(Ref(DeliveryPeriod), {
    description: '24 hours, oldest first. The last one is the current hour.',
  }),
  last30Days: Ref(DeliveryCounts),
  days: Type.Array(Ref(DeliveryPeriod), {
    description: '30 days (UTC), oldest first. The last one is today.',
  }),
});
export type IntegrationStats = Static<typeof IntegrationStats>;

export const RedeliverRequest = NamedObject(
  'RedeliverRequest',
  {
    since: Timestamp('Redeliver failed records created at or after this time'),
    until: Type.Optional(
      Timestamp('Redeliver failed records created before this time. Default: all later ones.'),
    ),
  },
  { additionalProperties: false, examples: [{ since: '2026-11-15T00:00:00.000Z' }] },
);

export const BackfillRequest = NamedObject(
  'BackfillRequest',
  {
    from: Timestamp('Start of the range (inclusive)'),
    to: Type.Optional(Timestamp('End of the range (exclusive). Default: now.')),
  },
  { additionalProperties: false, examples: [{ from: '2026-11-15T00:00:00.000Z' }] },
);

export const PreviewRequest = NamedObject(
  'PreviewRequest',
  {
    days: Optional.Integer({
      minimum: 1,
      maximum: 90,
      description: 'Number of past days. Default: 7.',
      examples: [7],
    }),
    eventId: Optional.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Id of the event whose request is rendered. Default: the newest matching event.',
      examples: [4211],
    }),
  },
  { additionalProperties: false, examples: [{ days: 7 }] },
);

export const QueuedDeliveries = SharedObject('QueuedDeliveries', {
  deliveries: Type.Integer({ description: 'Number of queued deliveries', examples: [12] }),
  complete: Type.Boolean({
    description: 'Whether all deliveries are queued. If false, send the request again.',
    examples: [true],
  }),
});
export type QueuedDeliveries = Static<typeof QueuedDeliveries>;

const eventOrNull = (description: string) =>
  Type.Unsafe<Event | null>({ description, anyOf: [Ref(Event), { type: 'null' }] });

export const ReplayPlan = SharedObject('ReplayPlan', {
  deliveries: Type.Integer({ description: 'Number of deliveries that would be queued', examples: [12] }),
  complete: Type.Boolean({
    description: 'Whether one request would queue all deliveries. If false, more requests would be needed.',
    examples: [true],
  }),
  firstEvent: eventOrNull('The event with the lowest id. null if there are no deliveries.'),
  lastEvent: eventOrNull('The event with the highest id. null if there are no deliveries.'),
});
export type ReplayPlan = Static<typeof ReplayPlan>;

/** The maximum number of rendered requests. There can be several, because Slack needs one per channel. */
export const MAX_RENDERED = 10;

export const RenderedDelivery = SharedObject('RenderedDelivery', {
  eventId: Type.Integer({ description: 'Id of the event', examples: [4211] }),
  requests: Type.Array(Ref(RenderedRequest), {
    description: `The requests that would deliver the event, at most ${MAX_RENDERED}`,
  }),
  problem: Nullable.String({
    description: 'Why no request can be created. null if there is no problem.',
    examples: [null],
  }),
});
export type RenderedDelivery = Static<typeof RenderedDelivery>;

export const PreviewedEvents = SharedObject('PreviewedEvents', {
  total: Type.Integer({ description: 'Number of matching events', examples: [53] }),
  events: Type.Array(Ref(Event), { description: 'The newest matching events, at most 50' }),
  rendered: Type.Unsafe<RenderedDelivery | null>({
    description: 'The request for one event. null if there are no matching events.',
    anyOf: [Ref(RenderedDelivery), { type: 'null' }],
  }),
});
