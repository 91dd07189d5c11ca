import { type Static, Type } from 'typebox';
import { page, SearchQuery } from '../../platform/http/filter.ts';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { Event } from '../../record/events/schema.ts';

export const STATES = ['pending', 'retrying', 'success', 'successWithErrors', 'failed'] as const;

const state = Type.String({
  title: 'IntegrationEventState',
  enum: [...STATES],
  description:
    'pending: not tried yet; retrying: failed and will be tried again; success; successWithErrors: delivered with something to tell; failed: given up',
  examples: ['success'],
});

const fields = {
  id: Type.String({ description: 'Id of the record', examples: ['87'] }),
  integrationId: Type.Integer({ description: 'Id of the integration', examples: [3] }),
  createdAt: Timestamp('When the record was made: with its event, or later by a backfill'),
  state,
  stateDetails: Type.String({
    description: 'What the state means here; while it is open, what it waits for',
    examples: ['Delivered; the receiver answered 200.'],
  }),
  event: Ref(Event),
  details: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'What was sent, by provider; before the first attempt the provider and a message. Never a secret',
    },
  ),
  attempts: Type.Integer({ description: 'How many attempts were started', examples: [1] }),
  nextAttemptAt: Nullable(
    Timestamp(
      'When the next attempt is due; null while one runs, while another event goes first, and at the end',
    ),
  ),
  holds: Type.Boolean({
    description: 'Given up, and those behind it wait: deliver it again, or skip it',
    examples: [false],
  }),
  replayOf: Nullable(
    Type.String({ description: 'Id of the failed record that this one repeats', examples: [null] }),
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
    startedAt: Timestamp('When it was started'),
    outcome: Nullable(
      Type.String({
        description:
          'success, partial, refused (the receiver answered something else than 2xx), gone (410), blocked (the address is not public), timeout, dns, tls, connection, configuration, interrupted (the server ended meanwhile); null while it runs',
        examples: ['success'],
      }),
    ),
    durationMs: Nullable(Type.Integer({ examples: [35] })),
    status: Nullable(Type.Integer({ description: 'Status of the answer', examples: [200] })),
    address: Nullable(Type.String({ description: 'IP address of the receiver', examples: ['192.0.2.7'] })),
    error: Nullable(Type.String({ description: 'What went wrong' })),
    answer: Nullable(
      Type.String({ description: 'The first 4,096 characters of the answer; not kept for private targets' }),
    ),
    headers: Nullable(
      Type.Record(Type.String(), Type.String(), {
        description: 'Headers of the answer, the first 20, without cookies; not kept for private targets',
        examples: [{ 'content-type': 'text/plain' }],
      }),
    ),
    bodySha256: Nullable(Type.String({ description: 'SHA-256 of the body that was sent' })),
  }),
);

export const IntegrationEventWithAttempts = Named(
  'IntegrationEventWithAttempts',
  Type.Object({ ...fields, attemptList: Type.Array(Ref(DeliveryAttempt), { description: 'Oldest first' }) }),
);

export const RecordQuery = SearchQuery({
  ...page,
  state: Type.Optional(Type.String({ enum: [...STATES], description: 'Only those in this state' })),
  from: Type.Optional(
    Type.String({ description: 'Only those made at this time or later', examples: ['2026-11-15T00:00:00Z'] }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Only those made before this time', examples: ['2026-11-16T00:00:00Z'] }),
  ),
});

export const Since = NamedObject(
  'RedeliverRequest',
  { since: Timestamp('The failed ones made at this time or later') },
  { additionalProperties: false, examples: [{ since: '2026-11-15T00:00:00.000Z' }] },
);

export const Backfill = NamedObject(
  'BackfillRequest',
  {
    from: Timestamp('The first moment whose events are sent'),
    to: Type.Optional(Timestamp('The first moment whose events are not sent; now if left out')),
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
        description: 'How far to look back; 7 if left out',
        examples: [7],
      }),
    ),
  },
  { additionalProperties: false, examples: [{ days: 7 }] },
);

export const Queued = Named(
  'QueuedDeliveries',
  Type.Object({
    deliveries: Type.Integer({ description: 'How many deliveries were queued', examples: [12] }),
    complete: Type.Boolean({ description: 'Whether these are all; if not, ask again', examples: [true] }),
  }),
);
export type Queued = Static<typeof Queued>;

export const PreviewedEvents = Named(
  'PreviewedEvents',
  Type.Object({
    total: Type.Integer({ description: 'How many events would have been sent', examples: [53] }),
    events: Type.Array(Ref(Event), { description: 'The newest of them, at most 50' }),
  }),
);
