import { type Static, Type } from 'typebox';
import { Constraint, ConstraintInput } from '../constraints/schema.ts';
import { Named, Nullable, Ref, Timestamp, UrlName } from '../http/schema.ts';
import { StrategyVariant, StrategyVariantInput } from '../variants/schema.ts';

const name = UrlName({ examples: ['checkout-v2'] });
const type = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Id of a feature type',
  examples: ['release'],
});
const description = Nullable(Type.String({ maxLength: 4_000, examples: ['The new checkout page'] }));
const parameters = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 100_000 }), {
  description: 'Parameters of the strategy type, all of them strings',
  examples: [{ rollout: '25', stickiness: 'default', groupId: 'checkout-v2' }],
});

export const FeatureStrategy = Named(
  'FeatureStrategy',
  Type.Object({
    id: Type.String({ format: 'uuid', examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'] }),
    name: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
    title: Nullable(Type.String({ examples: ['A quarter of all users'] })),
    disabled: Type.Boolean(),
    featureName: name,
    sortOrder: Type.Integer({ examples: [0] }),
    segments: Type.Array(Type.Integer(), { description: 'Ids of segments' }),
    constraints: Type.Array(Ref(Constraint)),
    variants: Type.Array(Ref(StrategyVariant)),
    parameters,
  }),
);
export type FeatureStrategy = Static<typeof FeatureStrategy>;

export const FeatureEnvironment = Named(
  'FeatureEnvironment',
  Type.Object({
    name: Type.String({ examples: ['production'] }),
    environment: Type.String({ description: 'The same as name', examples: ['production'] }),
    featureName: name,
    type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
    enabled: Type.Boolean(),
    sortOrder: Type.Integer({ examples: [200] }),
    variantCount: Type.Integer({ examples: [0] }),
    variants: Type.Array(Type.Object({}, { additionalProperties: true })),
    strategies: Type.Array(Ref(FeatureStrategy), { description: 'In the order they are looked at' }),
    lastSeenAt: Nullable(Timestamp('When an SDK last asked for the feature here')),
    hasStrategies: Type.Boolean(),
    hasEnabledStrategies: Type.Boolean(),
  }),
);
export type FeatureEnvironment = Static<typeof FeatureEnvironment>;

export const Feature = Named(
  'Feature',
  Type.Object({
    name,
    type,
    description,
    project: Type.String({ examples: ['default'] }),
    enabled: Type.Boolean({ description: 'On in at least one environment' }),
    stale: Type.Boolean(),
    impressionData: Type.Boolean(),
    archived: Type.Boolean(),
    archivedAt: Nullable(Timestamp('When the feature was archived')),
    createdAt: Timestamp('When the feature was created'),
    createdBy: Nullable(
      Type.Object({ id: Type.Integer({ examples: [7] }), name: Type.String({ examples: ['alice'] }) }),
    ),
    environments: Type.Array(Ref(FeatureEnvironment)),
  }),
);
export type Feature = Static<typeof Feature>;

export const FeatureList = Named(
  'FeatureList',
  Type.Object({
    version: Type.Integer({ description: 'Version of this format', examples: [2] }),
    features: Type.Array(Ref(Feature)),
  }),
);

export const NewFeature = Type.Object(
  {
    name,
    type: Type.Optional(type),
    description: Type.Optional(description),
    impressionData: Type.Optional(Type.Boolean()),
  },
  { examples: [{ name: 'checkout-v2', type: 'release', description: 'The new checkout page' }] },
);
export type NewFeature = Static<typeof NewFeature>;

export const FeatureUpdate = Type.Object(
  {
    type: Type.Optional(type),
    description: Type.Optional(description),
    impressionData: Type.Optional(Type.Boolean()),
    stale: Type.Optional(Type.Boolean()),
  },
  { examples: [{ description: 'The checkout page', type: 'release', impressionData: false }] },
);
export type FeatureUpdate = Static<typeof FeatureUpdate>;

export const JsonPatch = Type.Array(
  Type.Object({
    op: Type.Unsafe<'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'>({
      type: 'string',
      enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
    }),
    path: Type.String({ maxLength: 1_000, examples: ['/description'] }),
    from: Type.Optional(Type.String({ maxLength: 1_000 })),
    value: Type.Optional(Type.Unknown()),
  }),
  {
    minItems: 1,
    maxItems: 100,
    description: 'JSON Patch (RFC 6902)',
    examples: [[{ op: 'replace', path: '/description', value: 'The checkout page' }]],
  },
);
export type JsonPatch = Static<typeof JsonPatch>;

const names = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 1_000,
  examples: [['checkout-v2', 'dark-mode']],
});
export const FeatureNames = Type.Object(
  { features: names },
  { examples: [{ features: ['checkout-v2', 'dark-mode'] }] },
);
export const StaleFeatures = Type.Object(
  { features: names, stale: Type.Boolean() },
  { examples: [{ features: ['checkout-v2'], stale: true }] },
);

export const FeatureNameCheck = Type.Object(
  { name, projectId: Type.Optional(Nullable(Type.String({ maxLength: 100 }))) },
  { examples: [{ name: 'checkout-v3', projectId: 'default' }] },
);

export const NewStrategy = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Strategy type',
      examples: ['flexibleRollout'],
    }),
    title: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
    disabled: Type.Optional(Nullable(Type.Boolean())),
    sortOrder: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
    parameters: Type.Optional(parameters),
    constraints: Type.Optional(Type.Array(ConstraintInput)),
    variants: Type.Optional(Type.Array(StrategyVariantInput)),
    segments: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), { maxItems: 5 }),
    ),
  },
  { examples: [{ name: 'flexibleRollout', parameters: { rollout: '25', stickiness: 'default' } }] },
);
export type NewStrategy = Static<typeof NewStrategy>;

export const StrategyOrder = Type.Array(
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    sortOrder: Type.Integer({ minimum: 0, maximum: 100_000 }),
  }),
  {
    minItems: 1,
    maxItems: 100,
    examples: [[{ id: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55', sortOrder: 1 }]],
  },
);
export type StrategyOrder = Static<typeof StrategyOrder>;
