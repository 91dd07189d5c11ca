import { Type } from 'typebox';
import { NamedObject, Nullable, Optional, Ref, SharedObject } from '../../platform/http/schema.ts';

const Constraint = NamedObject('SdkConstraint', 'A condition on a context field', {
  contextName: Type.String({ description: 'Name of the context field', examples: ['country'] }),
  operator: Type.String({ description: 'Operator of the constraint', examples: ['IN'] }),
  values: Optional.Array(Type.String(), {
    description: 'Values to compare the context field with',
    examples: [['DE', 'FR']],
  }),
  value: Optional.String({ description: 'Value to compare the context field with', examples: [] }),
  inverted: Optional.Boolean({ description: 'Whether the result is negated', examples: [false] }),
  caseInsensitive: Optional.Boolean({ description: 'Whether case is ignored', examples: [false] }),
});

const Payload = NamedObject('SdkPayload', 'The payload of a variant', {
  type: Type.String({ description: 'string, json, csv or number', examples: ['string'] }),
  value: Type.String({ description: 'The payload as a string', examples: ['blue'] }),
});

const Variant = NamedObject('SdkVariant', 'A variant', {
  name: Type.String({ description: 'Name of the variant', examples: ['blue'] }),
  weight: Type.Integer({ description: 'Share of users in thousandths', examples: [1000] }),
  weightType: Optional.String({
    description:
      'fix: the weight stays as entered. variable: the variant gets an equal share of the remaining weight',
    examples: ['variable'],
  }),
  stickiness: Optional.String({
    description: 'Context field that decides which variant a user gets',
    examples: ['default'],
  }),
  payload: Type.Optional(Payload),
});

const Strategy = NamedObject('SdkStrategy', {
  name: Type.String({ description: 'Name of the strategy type', examples: ['flexibleRollout'] }),
  constraints: Type.Array(Constraint),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'Parameters of the strategy type, all of them strings',
    examples: [{ rollout: '50', stickiness: 'default', groupId: 'checkout-v2' }],
  }),
  variants: Type.Array(Variant),
  segments: Optional.Array(Type.Integer(), {
    description: 'Ids of segments. All of their constraints apply too',
    examples: [[3]],
  }),
});

const Parent = NamedObject('SdkParent', {
  feature: Type.String({ description: 'Name of the parent', examples: ['checkout'] }),
  enabled: Type.Boolean({
    description: 'true: the parent must be enabled; false: it must be disabled',
    examples: [true],
  }),
  variants: Optional.Array(Type.String(), {
    description: 'The parent must serve one of these variants. Empty: any variant',
    examples: [],
  }),
});

export const SdkFeature = SharedObject('SdkFeature', 'A feature as SDKs receive it', {
  name: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  type: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
  project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  enabled: Type.Boolean({
    description: 'Whether the feature is enabled in the environment and has an enabled strategy',
    examples: [true],
  }),
  stale: Type.Boolean({ description: 'Whether the feature is marked as stale', examples: [false] }),
  impressionData: Type.Boolean({
    description: 'Whether SDKs raise an event each time the feature is evaluated',
    examples: [false],
  }),
  strategies: Type.Array(Strategy, { description: 'The enabled strategies' }),
  variants: Type.Array(Variant),
  dependencies: Optional.Array(Parent, { description: 'The parents of the feature', examples: [] }),
});

export const SdkSegment = SharedObject('SdkSegment', 'A segment', {
  id: Type.Integer({ description: 'Id of the segment', examples: [3] }),
  name: Type.String({ description: 'Name of the segment', examples: ['Europe'] }),
  constraints: Type.Array(Constraint),
});

export const SdkFeatures = SharedObject('SdkFeatures', {
  version: Type.Integer({ description: 'Version of the response format', examples: [2] }),
  features: Type.Array(Ref(SdkFeature)),
  segments: Optional.Array(Ref(SdkSegment), {
    description: 'The segments that the features use. Absent for clients that get their constraints inline',
  }),
  query: NamedObject('SdkQuery', 'The environment and the filters of the response', {
    environment: Type.String({ description: "The token's environment", examples: ['production'] }),
    project: Optional.Array(Type.String(), {
      description: 'The projects in the filter',
      examples: [['payments']],
    }),
    namePrefix: Optional.String({ description: 'The prefix in the filter', examples: [] }),
    tag: Optional.Array(Type.String(), { description: 'The tags in the filter', examples: [] }),
    inlineSegmentConstraints: Type.Boolean({
      description: 'Whether strategies contain the constraints of their segments',
      examples: [false],
    }),
  }),
  meta: NamedObject('SdkMeta', 'Identifies the state of the response', {
    revisionId: Type.Integer({ description: 'Revision of the environment', examples: [42] }),
    etag: Type.String({ description: 'ETag of the response', examples: ['"0d3c9fb2a1.5f0c8d0e4a.42"'] }),
    queryHash: Type.String({
      description: 'Identifies the projects and filters of the response',
      examples: ['5f0c8d0e4a'],
    }),
  }),
});

const SdkEvent = NamedObject('SdkEvent', 'A change, or the whole state', {
  eventId: Type.Integer({ description: 'The revision that the events lead to', examples: [42] }),
  type: Type.String({
    description: 'Type of the event',
    enum: ['hydration', 'segment-updated', 'feature-removed', 'segment-removed', 'feature-updated'],
    examples: ['feature-removed'],
  }),
  features: Optional.Array(Ref(SdkFeature), {
    description: 'Present in events of type hydration',
    examples: [],
  }),
  segments: Optional.Array(Ref(SdkSegment), {
    description: 'Present in events of type hydration',
    examples: [],
  }),
  feature: Type.Optional(
    Type.Unsafe<unknown>({
      ...Ref(SdkFeature),
      description: 'Present in events of type feature-updated',
      examples: [],
    }),
  ),
  featureName: Optional.String({
    description: 'Present in events of type feature-removed',
    examples: ['checkout-v1'],
  }),
  project: Optional.String({
    description: 'Present in events of type feature-removed',
    examples: ['payments'],
  }),
  segment: Type.Optional(
    Type.Unsafe<unknown>({
      ...Ref(SdkSegment),
      description: 'Present in events of type segment-updated',
      examples: [],
    }),
  ),
  segmentId: Optional.Integer({ description: 'Present in events of type segment-removed', examples: [] }),
});

const REMOVAL = { eventId: 42, type: 'feature-removed', featureName: 'checkout-v1', project: 'payments' };

export const SdkDelta = SharedObject('SdkDelta', { events: Type.Array(SdkEvent, { examples: [[REMOVAL]] }) });

const text = (example: string, description?: string) =>
  Type.String({ maxLength: 1_000, ...(description && { description }), examples: [example] });

export const Registration = NamedObject(
  'SdkRegistration',
  {
    appName: Type.String({
      description: 'Name of the application, as its SDK sends it',
      minLength: 1,
      maxLength: 1_000,
      examples: ['checkout'],
    }),
    instanceId: Type.Optional(Nullable(text('host-1', 'Id of the instance, as its SDK sends it'))),
    connectionId: Type.Optional(
      text('6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55', 'Id that the SDK chooses when it starts'),
    ),
    sdkVersion: Type.Optional(text('unleash-node-sdk:6.12.1', 'Name and version of the SDK')),
    strategies: Optional.Array(text('flexibleRollout'), {
      maxItems: 10_000,
      description: 'Strategies that the SDK implements',
    }),
    started: Type.Optional(text('2026-11-15T09:30:00.000Z', 'When the SDK started')),
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
  yes: Type.Integer({ description: 'Number of evaluations as enabled', examples: [3] }),
  no: Type.Integer({ description: 'Number of evaluations as disabled', examples: [1] }),
  variants: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of times each variant was served',
      maxProperties: 10_000,
      propertyNames: { type: 'string', maxLength: 1_000 },
    }),
  ),
});

export const Metrics = NamedObject(
  'SdkMetrics',
  {
    appName: Type.Optional(text('checkout', 'Name of the application, as its SDK sends it')),
    instanceId: Type.Optional(Nullable(text('host-1', 'Id of the instance, as its SDK sends it'))),
    bucket: Type.Optional(
      NamedObject('SdkBucket', 'The counts in a period', {
        start: text('2026-11-15T09:30:00.000Z', 'Start of the period'),
        stop: text('2026-11-15T09:31:00.000Z', 'End of the period'),
        toggles: Type.Record(Type.String(), Counts, {
          description: 'Counts by feature name',
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
      NamedObject('SdkBulkApplication', 'An application that used the proxy', {
        appName: Type.String({
          description: 'Name of the application, as its SDK sends it',
          minLength: 1,
          maxLength: 1_000,
          examples: ['checkout'],
        }),
        instanceId: Type.Optional(Nullable(text('host-1', 'Id of the instance, as its SDK sends it'))),
        environment: Type.Optional(text('production', 'Name of the environment')),
        sdkVersion: Type.Optional(Nullable(text('unleash-node-sdk:6.12.1', 'Name and version of the SDK'))),
      }),
      { maxItems: 100_000 },
    ),
    metrics: Type.Array(
      NamedObject('SdkBulkCounts', 'The counts of a feature in an hour', {
        featureName: text('checkout-v2', 'Feature name, unique in the instance'),
        appName: text('checkout', 'Name of the application, as its SDK sends it'),
        environment: Type.Optional(text('production', 'Name of the environment')),
        timestamp: Type.Optional(text('2026-11-15T09:00:00.000Z', 'The hour of the counts')),
        yes: Type.Integer({ description: 'Number of evaluations as enabled', examples: [3] }),
        no: Type.Integer({ description: 'Number of evaluations as disabled', examples: [1] }),
        variants: Type.Optional(
          Type.Record(Type.String(), Type.Integer(), {
            description: 'Number of times each variant was served',
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
  { identifier: Type.Optional(text('edge-1', 'Id that the proxy chose')) },
  { examples: [{ identifier: 'edge-1' }] },
);

export const MAX_VALIDATED_TOKENS = 100;

export const TokensToValidate = NamedObject(
  'SdkTokens',
  {
    tokens: Type.Array(Type.String({ maxLength: 512 }), {
      description: 'Tokens to validate',
      maxItems: MAX_VALIDATED_TOKENS,
      examples: [['payments:production.hyc_…']],
    }),
  },
  { examples: [{ tokens: ['payments:production.unknown'] }] },
);

export const ValidTokens = SharedObject('SdkValidTokens', {
  tokens: Type.Array(
    NamedObject('SdkValidToken', {
      token: Type.String({
        description: 'The token, as it was sent',
        examples: ['payments:production.hyc_…'],
      }),
      type: Type.String({
        description:
          '`client` and `backend` are for server-side SDKs, `frontend` is for browsers, `admin` is for the admin API',
        enum: ['client', 'frontend'],
        examples: ['client'],
      }),
      projects: Type.Array(Type.String(), {
        description: 'Ids of its projects. * for all',
        examples: [['payments']],
      }),
      environment: Type.String({ description: "The token's environment", examples: ['production'] }),
    }),
    { description: 'The valid tokens of the request' },
  ),
});
