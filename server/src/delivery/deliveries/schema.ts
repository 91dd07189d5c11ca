import { type Static, Type } from 'typebox';
import { page, SearchQuery } from '../../platform/http/filter.ts';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { Event } from '../../record/events/schema.ts';

export const STATES = ['pending', 'retrying', 'success', 'successWithErrors', 'failed'] as const;

const state = Type.String({
  title: 'IntegrationEventState',
  enum: [...STATES],
  description:
    'pending: no attempt yet. retrying: the last attempt failed, another one follows. success: delivered. successWithErrors: partially delivered. failed: exhausted, no further attempt.',
  examples: ['success'],
});

const fields = {
  id: Type.String({ description: 'Id of the record', examples: ['87'] }),
  integrationId: Type.Integer({ description: 'Id of the integration', examples: [3] }),
  createdAt: Timestamp('Time of creation: with the event, or later by a backfill'),
  state,
  stateDetails: Type.String({
    description: 'Explanation of the state. For an open delivery, what it waits for.',
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
  nextAttemptAt: Nullable(
    Timestamp(
      'Due time of the next attempt. null while an attempt runs, while an earlier event blocks this one, and after the last attempt.',
    ),
  ),
  blocks: Type.Boolean({
    description: 'Whether this exhausted delivery blocks later deliveries. Redeliver or skip it.',
    examples: [false],
  }),
  replayOf: Nullable(
    Type.String({ description: 'Id of the failed record that this one replays', examples: [null] }),
  ),
};

export const IntegrationEvent = Named('IntegrationEvent', Type.Object(fields));
export type IntegrationEvent = Static<typeof IntegrationEvent>;

export const IntegrationEvents = Named(
  'IntegrationEvents',
  Type.Object({ integrationEvents: Type.Array(Ref(IntegrationEvent), { description: 'Newest first' }) }),
);

export const DeliveryAttempt = Named(
  'DeliveryAttempt',
  Type.Object({
    number: Type.Integer({ examples: [1] }),
    startedAt: Timestamp('Start time'),
    outcome: Nullable(
      Type.String({
        description:
          'success, partial, rejected (the status of the response is not 2xx), gone (410), disallowed (the address is in a private network), timeout, dns, tls, connection, configuration, or interrupted (the server stopped). null while the attempt runs.',
        examples: ['success'],
      }),
    ),
    durationMs: Nullable(Type.Integer({ examples: [35] })),
    status: Nullable(Type.Integer({ description: 'Status of the response', examples: [200] })),
    address: Nullable(Type.String({ description: 'IP address of the receiver', examples: ['192.0.2.7'] })),
    error: Nullable(Type.String({ description: 'Error message' })),
    response: Nullable(
      Type.String({
        description: 'First 4,096 characters of the response body. Not stored for private addresses.',
      }),
    ),
    headers: Nullable(
      Type.Record(Type.String(), Type.String(), {
        description: 'First 20 headers of the response, without cookies. Not stored for private addresses.',
        examples: [{ 'content-type': 'text/plain' }],
      }),
    ),
    bodySha256: Nullable(Type.String({ description: 'SHA-256 of the request body' })),
  }),
);

export const IntegrationEventWithAttempts = Named(
  'IntegrationEventWithAttempts',
  Type.Object({ ...fields, attemptList: Type.Array(Ref(DeliveryAttempt), { description: 'Oldest first' }) }),
);

export const RecordQuery = SearchQuery({
  ...page,
  state: Type.Optional(Type.String({ enum: [...STATES], description: 'Only records in this state' })),
  from: Type.Optional(
    Type.String({
      description: 'Only records created at or after this time',
      examples: ['2026-11-15T00:00:00Z'],
    }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Only records created before this time', examples: ['2026-11-16T00:00:00Z'] }),
  ),
});

export const Since = NamedObject(
  'RedeliverRequest',
  { since: Timestamp('Redeliver failed records created at or after this time') },
  { additionalProperties: false, examples: [{ since: '2026-11-15T00:00:00.000Z' }] },
);

export const Backfill = NamedObject(
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
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'Number of past days. Default: 7.',
        examples: [7],
      }),
    ),
  },
  { additionalProperties: false, examples: [{ days: 7 }] },
);

export const Queued = Named(
  'QueuedDeliveries',
  Type.Object({
    deliveries: Type.Integer({ description: 'Number of queued deliveries', examples: [12] }),
    complete: Type.Boolean({
      description: 'Whether all deliveries are queued. If false, repeat the request.',
      examples: [true],
    }),
  }),
);
export type Queued = Static<typeof Queued>;

export const PreviewedEvents = Named(
  'PreviewedEvents',
  Type.Object({
    total: Type.Integer({ description: 'Number of matching events', examples: [53] }),
    events: Type.Array(Ref(Event), { description: 'The newest matching events, at most 50' }),
  }),
);
