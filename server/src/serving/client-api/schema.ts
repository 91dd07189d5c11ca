import { Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref } from '../../platform/http/schema.ts';

const Constraint = NamedObject('SdkConstraint', {
  contextName: Type.String({ examples: ['country'] }),
  operator: Type.String({ examples: ['IN'] }),
  values: Type.Optional(Type.Array(Type.String(), { examples: [['DE', 'FR']] })),
  value: Type.Optional(Type.String({ examples: [] })),
  inverted: Type.Optional(Type.Boolean({ examples: [false] })),
  caseInsensitive: Type.Optional(Type.Boolean({ examples: [false] })),
});

const Payload = NamedObject('SdkPayload', {
  type: Type.String({ examples: ['string'] }),
  value: Type.String({ examples: ['blue'] }),
});

const Variant = NamedObject('SdkVariant', {
  name: Type.String({ examples: ['blue'] }),
  weight: Type.Integer({ examples: [1000] }),
  weightType: Type.Optional(Type.String({ examples: ['variable'] })),
  stickiness: Type.Optional(Type.String({ examples: ['default'] })),
  payload: Type.Optional(Payload),
});

const Strategy = NamedObject('SdkStrategy', {
  name: Type.String({ examples: ['flexibleRollout'] }),
  constraints: Type.Array(Constraint),
  parameters: Type.Record(Type.String(), Type.String(), {
    examples: [{ rollout: '50', stickiness: 'default', groupId: 'checkout-v2' }],
  }),
  variants: Type.Array(Variant),
  segments: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'Ids of segments. All of their constraints apply too',
      examples: [[3]],
    }),
  ),
});

const Parent = NamedObject('SdkParent', {
  feature: Type.String({ examples: ['checkout'] }),
  enabled: Type.Boolean({ examples: [true] }),
  variants: Type.Optional(Type.Array(Type.String(), { examples: [] })),
});

export const SdkFeature = Named(
  'SdkFeature',
  Type.Object({
    name: Type.String({ examples: ['checkout-v2'] }),
    type: Type.String({ examples: ['release'] }),
    project: Type.String({ examples: ['payments'] }),
    enabled: Type.Boolean({
      description: 'Whether the feature is enabled in the environment and has an enabled strategy',
      examples: [true],
    }),
    stale: Type.Boolean({ examples: [false] }),
    impressionData: Type.Boolean({ examples: [false] }),
    strategies: Type.Array(Strategy, { description: 'The enabled strategies' }),
    variants: Type.Array(Variant),
    dependencies: Type.Optional(
      Type.Array(Parent, { description: 'The parents of the feature', examples: [] }),
    ),
  }),
);

export const SdkSegment = Named(
  'SdkSegment',
  Type.Object({
    id: Type.Integer({ examples: [3] }),
    name: Type.String({ examples: ['Europe'] }),
    constraints: Type.Array(Constraint),
  }),
);

export const SdkFeatures = Named(
  'SdkFeatures',
  Type.Object({
    version: Type.Integer({ examples: [2] }),
    features: Type.Array(Ref(SdkFeature)),
    segments: Type.Optional(
      Type.Array(Ref(SdkSegment), {
        description:
          'The segments that the features use. Absent for clients that get their constraints inline',
      }),
    ),
    query: NamedObject('SdkQuery', {
      environment: Type.String({ examples: ['production'] }),
      project: Type.Optional(Type.Array(Type.String(), { examples: [['payments']] })),
      namePrefix: Type.Optional(Type.String({ examples: [] })),
      tag: Type.Optional(Type.Array(Type.String(), { examples: [] })),
      inlineSegmentConstraints: Type.Boolean({ examples: [false] }),
    }),
    meta: NamedObject('SdkMeta', {
      revisionId: Type.Integer({ examples: [42] }),
      etag: Type.String({ examples: ['"0d3c9fb2a1.5f0c8d0e4a.42"'] }),
      queryHash: Type.String({ examples: ['5f0c8d0e4a'] }),
    }),
  }),
);

const SdkEvent = NamedObject('SdkEvent', {
  eventId: Type.Integer({ description: 'The revision that the events lead to', examples: [42] }),
  type: Type.String({
    enum: ['hydration', 'segment-updated', 'feature-removed', 'segment-removed', 'feature-updated'],
    examples: ['feature-removed'],
  }),
  features: Type.Optional(Type.Array(Ref(SdkFeature), { description: 'hydration', examples: [] })),
  segments: Type.Optional(Type.Array(Ref(SdkSegment), { description: 'hydration', examples: [] })),
  feature: Type.Optional(
    Type.Unsafe<unknown>({ ...Ref(SdkFeature), description: 'feature-updated', examples: [] }),
  ),
  featureName: Type.Optional(Type.String({ description: 'feature-removed', examples: ['checkout-v1'] })),
  project: Type.Optional(Type.String({ description: 'feature-removed', examples: ['payments'] })),
  segment: Type.Optional(
    Type.Unsafe<unknown>({ ...Ref(SdkSegment), description: 'segment-updated', examples: [] }),
  ),
  segmentId: Type.Optional(Type.Integer({ description: 'segment-removed', examples: [] })),
});

const REMOVAL = { eventId: 42, type: 'feature-removed', featureName: 'checkout-v1', project: 'payments' };

export const SdkDelta = Named(
  'SdkDelta',
  Type.Object({ events: Type.Array(SdkEvent, { examples: [[REMOVAL]] }) }),
);

const text = (example: string) => Type.String({ maxLength: 1_000, examples: [example] });

export const Registration = NamedObject(
  'SdkRegistration',
  {
    appName: Type.String({ minLength: 1, maxLength: 1_000, examples: ['checkout'] }),
    instanceId: Type.Optional(Nullable(text('host-1'))),
    connectionId: Type.Optional(text('6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55')),
    sdkVersion: Type.Optional(text('unleash-node-sdk:6.12.1')),
    strategies: Type.Optional(
      Type.Array(text('flexibleRollout'), {
        maxItems: 10_000,
        description: 'Strategies that the SDK implements',
      }),
    ),
    started: Type.Optional(text('2026-11-15T09:30:00.000Z')),
    interval: Type.Optional(Type.Number({ description: 'Milliseconds between metrics', examples: [60_000] })),
  },
  {
    examples: [
      {
        appName: 'checkout',
        instanceId: 'host-1',
        sdkVersion: 'unleash-node-sdk:6.12.1',
        strategies: ['default', 'flexibleRollout'],
        started: '2026-11-15T09:30:00.000Z',
        interval: 60_000,
      },
    ],
  },
);

const Counts = NamedObject('SdkCounts', {
  yes: Type.Integer({ examples: [3] }),
  no: Type.Integer({ examples: [1] }),
  variants: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      maxProperties: 10_000,
      propertyNames: { type: 'string', maxLength: 1_000 },
    }),
  ),
});

export const Metrics = NamedObject(
  'SdkMetrics',
  {
    appName: Type.Optional(text('checkout')),
    instanceId: Type.Optional(Nullable(text('host-1'))),
    bucket: Type.Optional(
      NamedObject('SdkBucket', {
        start: text('2026-11-15T09:30:00.000Z'),
        stop: text('2026-11-15T09:31:00.000Z'),
        toggles: Type.Record(Type.String(), Counts, {
          maxProperties: 100_000,
          propertyNames: { type: 'string', maxLength: 1_000 },
        }),
      }),
    ),
  },
  {
    examples: [
      {
        appName: 'checkout',
        instanceId: 'host-1',
        bucket: {
          start: '2026-11-15T09:30:00.000Z',
          stop: '2026-11-15T09:31:00.000Z',
          toggles: { 'checkout-v2': { yes: 3, no: 1, variants: { blue: 3 } } },
        },
      },
    ],
  },
);

export const BulkMetrics = NamedObject(
  'SdkBulkMetrics',
  {
    applications: Type.Array(
      NamedObject('SdkBulkApplication', {
        appName: Type.String({ minLength: 1, maxLength: 1_000, examples: ['checkout'] }),
        instanceId: Type.Optional(Nullable(text('host-1'))),
        environment: Type.Optional(text('production')),
        sdkVersion: Type.Optional(Nullable(text('unleash-node-sdk:6.12.1'))),
      }),
      { maxItems: 100_000 },
    ),
    metrics: Type.Array(
      NamedObject('SdkBulkCounts', {
        featureName: text('checkout-v2'),
        appName: text('checkout'),
        environment: Type.Optional(text('production')),
        timestamp: Type.Optional(text('2026-11-15T09:00:00.000Z')),
        yes: Type.Integer({ examples: [3] }),
        no: Type.Integer({ examples: [1] }),
        variants: Type.Optional(
          Type.Record(Type.String(), Type.Integer(), {
            maxProperties: 10_000,
            propertyNames: { type: 'string', maxLength: 1_000 },
          }),
        ),
      }),
      { maxItems: 100_000 },
    ),
  },
  {
    examples: [
      {
        applications: [{ appName: 'checkout', instanceId: 'host-1', environment: 'production' }],
        metrics: [
          {
            featureName: 'checkout-v2',
            appName: 'checkout',
            environment: 'production',
            timestamp: '2026-11-15T09:00:00.000Z',
            yes: 3,
            no: 1,
            variants: { blue: 3 },
          },
        ],
      },
    ],
  },
);

export const EdgeData = NamedObject(
  'SdkEdgeData',
  { identifier: Type.Optional(text('edge-1')) },
  { examples: [{ identifier: 'edge-1' }] },
);

export const MOST_VALIDATED = 100;

export const TokensToValidate = NamedObject(
  'SdkTokens',
  {
    tokens: Type.Array(Type.String({ maxLength: 512 }), {
      maxItems: MOST_VALIDATED,
      examples: [['payments:production.hyc_…']],
    }),
  },
  { examples: [{ tokens: ['payments:production.unknown'] }] },
);

export const ValidTokens = Named(
  'SdkValidTokens',
  Type.Object({
    tokens: Type.Array(
      NamedObject('SdkValidToken', {
        token: Type.String({ examples: ['payments:production.hyc_…'] }),
        type: Type.String({ enum: ['client', 'frontend'], examples: ['client'] }),
        projects: Type.Array(Type.String(), { examples: [['payments']] }),
        environment: Type.String({ examples: ['production'] }),
      }),
      { description: 'The valid tokens of the request' },
    ),
  }),
);
