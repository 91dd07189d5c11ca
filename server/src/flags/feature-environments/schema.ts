import {
  Named,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  TextMap,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Constraint, ConstraintInputs } from '../../targeting/constraints/schema.ts';
import { StrategyVariant, StrategyVariantInputs, Variant } from '../../targeting/variants/schema.ts';

const name = Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] });
const parameters = TextMap(100_000, {
  description: 'Parameters of the strategy type, all of them strings',
  examples: [{ rollout: '25', stickiness: 'default', groupId: 'checkout-v2' }],
});

const strategyContent = {
  name: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
  title: Optional.String({
    description: 'What the strategy is for, as the console shows it',
    examples: ['A quarter of all users'],
  }),
  disabled: Type.Boolean({
    description: 'Whether the strategy is disabled. SDKs do not get disabled strategies',
  }),
  sortOrder: Type.Integer({ description: 'Position in lists, lowest first', examples: [0] }),
  segments: Type.Array(Type.Integer(), { description: 'Ids of the segments, all of which must match' }),
  constraints: Type.Array(Ref(Constraint)),
  variants: Type.Array(Ref(StrategyVariant)),
  parameters,
};

/** A strategy without its id and feature. */
export type StrategyContent = Static<ReturnType<typeof Type.Object<typeof strategyContent>>>;

/** A strategy in a clone plan. */
export const PlannedStrategy = SharedObject('PlannedStrategy', 'A strategy of the copy', {
  copyOf: Type.String({ format: 'uuid', description: 'Id of the strategy in the source' }),
  ...strategyContent,
});
export type PlannedStrategy = Static<typeof PlannedStrategy>;

export const FeatureStrategy = SharedObject('FeatureStrategy', {
  id: Type.String({
    description: 'Id of the strategy',
    format: 'uuid',
    examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
  }),
  featureName: name,
  ...strategyContent,
});
export type FeatureStrategy = Static<typeof FeatureStrategy>;

export const FeatureEnvironment = SharedObject('FeatureEnvironment', 'A feature in one environment', {
  name: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  environment: Type.String({ description: 'Same as `name`', examples: ['production'] }),
  featureName: name,
  type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
  enabled: Type.Boolean({ description: 'Whether the feature is enabled in the environment' }),
  sortOrder: Type.Integer({ description: 'Position in lists, lowest first', examples: [200] }),
  variantCount: Type.Integer({ description: 'Number of variants', examples: [0] }),
  variants: Type.Array(Ref(Variant), { examples: [[]] }),
  strategies: Type.Array(Ref(FeatureStrategy), { description: 'In evaluation order' }),
  lastSeenAt: Type.Optional(Timestamp('When an SDK last requested the feature in the environment')),
  hasStrategies: Type.Boolean({
    description: 'Whether the feature has a strategy in the environment',
    examples: [true],
  }),
  hasEnabledStrategies: Type.Boolean({
    description: 'Whether the feature has an enabled strategy in the environment',
    examples: [true],
  }),
});
export type FeatureEnvironment = Static<typeof FeatureEnvironment>;

/** A feature of a project in an environment. */
export type FeatureEnvironmentKey = { project: string; featureName: string; environment: string };

export const MAX_SORT_ORDER = 100_000;
export const MAX_STRATEGIES = 30;

const sortOrder = Type.Integer({
  description: 'Position in lists, lowest first',
  minimum: 0,
  maximum: MAX_SORT_ORDER,
});

export const NewStrategy = NamedObject(
  'NewStrategy',
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Strategy type',
      examples: ['flexibleRollout'],
    }),
    title: Type.Optional(
      Nullable.String({ description: 'What the strategy is for, as the console shows it', maxLength: 500 }),
    ),
    disabled: Type.Optional(
      Nullable(
        Type.Boolean({
          description: 'Whether the strategy is disabled. SDKs do not get disabled strategies',
        }),
      ),
    ),
    sortOrder: Type.Optional(sortOrder),
    parameters: Type.Optional(parameters),
    constraints: Type.Optional(ConstraintInputs),
    variants: Type.Optional(StrategyVariantInputs),
    segments: Optional.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
      description: 'Ids of the segments, all of which must match',
      maxItems: 5,
    }),
  },
  { examples: [{ name: 'flexibleRollout', parameters: { rollout: '25', stickiness: 'default' } }] },
);
export type NewStrategy = Static<typeof NewStrategy>;

export const StrategyUpdate = NamedObject(
  'StrategyUpdate',
  { ...NewStrategy.properties, name: Type.Optional(NewStrategy.properties.name) },
  { examples: [{ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'default' } }] },
);
export type StrategyUpdate = Static<typeof StrategyUpdate>;

const { sortOrder: _, ...listedStrategy } = NewStrategy.properties;

/** All strategies of a feature in an environment, in evaluation order. */
export const StrategyList = Type.Array(
  NamedObject('ListedStrategy', {
    id: Optional.String({
      format: 'uuid',
      description: 'Id of a strategy that the feature has in the environment. Omit it to add a strategy.',
      examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
    }),
    ...listedStrategy,
  }),
  {
    title: 'StrategyList',
    description: 'The strategies in evaluation order',
    maxItems: MAX_STRATEGIES,
    examples: [
      [
        { name: 'flexibleRollout', parameters: { rollout: '25', stickiness: 'default' } },
        { name: 'remoteAddress', title: 'Office', parameters: { IPs: '192.0.2.1' } },
      ],
    ],
  },
);
export type StrategyList = Static<typeof StrategyList>;

/** The fields that a JSON Patch can change. It cannot remove the name or the sort order. */
export const PatchedStrategy = Type.Object({ ...NewStrategy.properties, sortOrder });

export const EnvironmentCopy = NamedObject(
  'EnvironmentCopy',
  {
    from: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Environment of the same feature',
      examples: ['development'],
    }),
    include: Optional.Array(
      Type.Unsafe<'strategies' | 'variants'>({ type: 'string', enum: ['strategies', 'variants'] }),
      { maxItems: 10, description: 'Parts to copy; both by default' },
    ),
  },
  { additionalProperties: false, examples: [{ from: 'development', include: ['strategies'] }] },
);
export type EnvironmentCopy = Static<typeof EnvironmentCopy>;

export const StrategyOrder = Type.Array(
  NamedObject('StrategyPosition', {
    id: Type.String({ description: 'Id of the strategy', format: 'uuid' }),
    sortOrder,
  }),
  {
    title: 'StrategyOrder',
    minItems: 1,
    maxItems: 100,
    examples: [[{ id: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55', sortOrder: 1 }]],
  },
);
export type StrategyOrder = Static<typeof StrategyOrder>;

const strategySegments = NamedObject(
  'StrategySegments',
  {
    projectId: Type.String({
      description: 'Id of the project',
      minLength: 1,
      maxLength: 100,
      examples: ['web-shop'],
    }),
    environmentId: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the environment',
      examples: ['production'],
    }),
    strategyId: Type.String({
      description: 'Id of the strategy',
      format: 'uuid',
      examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
    }),
    segmentIds: Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
      maxItems: 5,
      description: 'Ids of the segments of the strategy. An empty list removes all segments.',
      examples: [[3]],
    }),
  },
  {
    examples: [
      {
        projectId: 'web-shop',
        environmentId: 'production',
        strategyId: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55',
        segmentIds: [3],
      },
    ],
  },
);
export const StrategySegmentsInput = strategySegments;
export const StrategySegments = Named('StrategySegments', strategySegments);
export type StrategySegments = Static<typeof StrategySegments>;
