import {
  ALL,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, type TProperties, Type } from 'typebox';
import { StrategyList } from '../../flags/feature-environments/schema.ts';
import { Constraint } from '../../targeting/constraints/schema.ts';
import { Variant } from '../../targeting/variants/schema.ts';
import {
  MAX_CHARACTERS,
  MAX_CONTEXTS,
  MAX_DRAFTS,
  MAX_ENVIRONMENTS,
  MAX_FEATURES,
  MAX_FIELDS,
} from './limits.ts';
import type { MissingReason } from './undo.ts';

const environmentName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name of the environment',
  examples: ['production'],
});
const featureName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Feature name, unique in the instance',
  examples: ['checkout-v2'],
});
const contextName = Type.String({ description: 'Name of the context field', examples: ['userId'] });

const contextField = (description: string, example: string) =>
  Optional.String({ maxLength: MAX_CHARACTERS, description, examples: [example] });

const contextValue = {
  type: ['string', 'number', 'boolean'],
  maxLength: MAX_CHARACTERS,
};

const context = NamedObject(
  'PlaygroundContext',
  {
    appName: contextField('Name of the application', 'shop'),
    environment: contextField('Default: the name of the evaluated environment', 'production'),
    userId: contextField('Id of the user', '7'),
    sessionId: contextField('Id of the session', '3f1c'),
    remoteAddress: contextField('IP address of the user', '192.0.2.1'),
    currentTime: contextField(
      'The time that DATE_AFTER and DATE_BEFORE compare with, in a format that JavaScript can parse. Default: now',
      '2026-11-15T09:30:00Z',
    ),
    properties: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean>>({
        type: 'object',
        additionalProperties: contextValue,
        maxProperties: MAX_FIELDS,
        propertyNames: { type: 'string', maxLength: 100 },
        description: 'Additional context fields, by name',
        examples: [{ country: 'NO' }],
      }),
    ),
  },
  {
    additionalProperties: contextValue,
    maxProperties: MAX_FIELDS,
    propertyNames: { type: 'string', maxLength: 100 },
    description: 'The context of a user, as an application passes it to an SDK',
    examples: [{ appName: 'shop', userId: '7', properties: { country: 'NO' } }],
  },
);

const draft = NamedObject('PlaygroundDraft', {
  feature: featureName,
  environment: environmentName,
  enabled: Optional.Boolean({
    description: 'Whether the feature is enabled. Default: the state in the environment',
  }),
  strategies: StrategyList,
});

const selection = {
  projects: Type.Optional(
    Type.Unsafe<string[] | typeof ALL>({
      anyOf: [
        {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 100 },
          minItems: 1,
          maxItems: 100,
        },
        { type: 'string', enum: [ALL] },
      ],
      description: 'Ids of projects, or * for all projects that the caller can read. Default: *',
      examples: [['web-shop'], '*'],
    }),
  ),
  features: Optional.Array(featureName, {
    minItems: 1,
    maxItems: MAX_FEATURES,
    description: 'Names of features. Default: all features of the projects',
    examples: [['checkout-v2']],
  }),
  drafts: Optional.Array(draft, {
    maxItems: MAX_DRAFTS,
    description:
      'Strategies that are not saved. They replace the strategies of the feature in the environment for this evaluation',
  }),
  at: Optional.String({
    format: 'date-time',
    maxLength: 40,
    description:
      'A time in the past. The features are evaluated as they were then, as far as the event log shows. Requires features, and cannot be combined with drafts. Default: now',
    examples: ['2026-11-15T09:30:00Z'],
  }),
};

export const PlaygroundRequest = NamedObject(
  'PlaygroundRequest',
  { environment: environmentName, context, ...selection },
  {
    examples: [
      {
        environment: 'production',
        projects: ['web-shop'],
        context: { appName: 'shop', userId: '7', properties: { country: 'NO' } },
      },
    ],
  },
);
export type PlaygroundRequest = Static<typeof PlaygroundRequest>;

const environments = Type.Array(environmentName, {
  minItems: 1,
  maxItems: MAX_ENVIRONMENTS,
  description: 'Names of environments',
  examples: [['development', 'production']],
});

export const AdvancedPlaygroundRequest = NamedObject(
  'AdvancedPlaygroundRequest',
  {
    environments,
    context: Type.Optional(context),
    contexts: Optional.Array(context, {
      minItems: 1,
      maxItems: MAX_CONTEXTS,
      description:
        'Instead of context: contexts that are evaluated as they are, in this order. Commas do not separate values',
    }),
    ...selection,
  },
  {
    examples: [
      {
        environments: ['development', 'production'],
        projects: '*',
        context: { appName: 'shop', userId: '7,11', properties: { country: 'NO,SE' } },
      },
    ],
  },
);
export type AdvancedPlaygroundRequest = Static<typeof AdvancedPlaygroundRequest>;

export type Selection = Pick<PlaygroundRequest, 'projects' | 'features' | 'drafts' | 'at'>;
export type Draft = Static<typeof draft>;

const resultField = (description: string) => Type.Boolean({ description, examples: [true] });

const PlaygroundConstraint = SharedObject(
  'PlaygroundConstraint',
  'A constraint, and whether the context satisfies it',
  {
    ...Constraint.properties,
    result: resultField('Whether the context satisfies the constraint'),
    actual: Nullable.String({
      description: 'The value that the constraint compared. Null: the context has none',
    }),
  },
);

const PlaygroundSegment = SharedObject(
  'PlaygroundSegment',
  'A segment, and whether the context satisfies it',
  {
    id: Type.Integer({ description: 'Id of the segment', examples: [3] }),
    name: Type.String({ description: 'Name of the segment', examples: ['Beta testers'] }),
    result: resultField('Whether the context satisfies all constraints of the segment'),
    missing: Type.Boolean({
      description: 'The segment does not exist. SDKs evaluate the strategy to false',
    }),
    constraints: Type.Array(Ref(PlaygroundConstraint)),
  },
);

const sticky = {
  stickiness: Type.String({ description: 'The configured stickiness', examples: ['default'] }),
  stickinessField: Nullable.String({
    description: 'The context field that the value comes from',
    examples: ['userId'],
  }),
  stickinessValue: Nullable.String({ description: 'The value that determines the bucket', examples: ['7'] }),
  random: Type.Boolean({ description: 'Whether each evaluation draws a new random value' }),
};

const optionalFields = <T extends TProperties>(properties: T) =>
  Type.Partial(Type.Object(properties)).properties;

const PlaygroundRule = SharedObject(
  'PlaygroundRule',
  'The condition of the strategy apart from its constraints',
  {
    kind: Type.Unsafe<'everyone' | 'rollout' | 'list' | 'hosts' | 'custom'>({
      type: 'string',
      enum: ['everyone', 'rollout', 'list', 'hosts', 'custom'],
      description: 'The kind of condition',
    }),
    satisfied: Nullable(
      Type.Boolean({
        description: 'Null: only the application can decide, because the result depends on its host or code',
      }),
    ),
    ...optionalFields({
      ...sticky,
      groupId: Nullable.String({ description: 'rollout: the group id that is hashed with the value' }),
      bucket: Nullable.Integer({
        description: 'rollout: the bucket of the user, 1 to 100. Null: the context has no value',
        examples: [37],
      }),
      threshold: Nullable(
        Type.Number({
          description: 'rollout: the percentage. Users whose bucket is at most this number are included',
          examples: [50],
        }),
      ),
      contextName,
      actual: Nullable.String({ description: 'list: the value of the context' }),
      list: Type.Array(Type.String(), { description: 'list: the users or IP addresses in the strategy' }),
    }),
  },
);

const PlaygroundVariant = SharedObject('PlaygroundVariant', 'The variant that is served for the context', {
  name: Type.String({ description: 'Name of the variant', examples: ['blue'] }),
  enabled: Type.Boolean({ description: 'Whether the feature serves a variant' }),
  feature_enabled: Type.Boolean({ description: 'Whether the feature is enabled' }),
  payload: Type.Optional(
    NamedObject('ServedPayload', 'The payload of a variant', {
      type: Type.String({ description: 'string, json, csv or number', examples: ['string'] }),
      value: Type.String({ description: 'The payload as a string', examples: ['#0000ff'] }),
    }),
  ),
});

const enabledOrUnknown = (description: string) =>
  Type.Unsafe<boolean | 'unknown'>({
    type: ['boolean', 'string'],
    enum: [true, false, 'unknown'],
    description,
    examples: [true],
  });

const PlaygroundStrategy = SharedObject('PlaygroundStrategy', {
  id: Type.String({ description: 'Empty for a new strategy of a draft' }),
  name: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
  title: Optional.String({
    description: 'Purpose of the strategy, which the console shows',
    examples: ['A quarter of all users'],
  }),
  disabled: Type.Boolean({ description: 'A disabled strategy is not evaluated' }),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'Parameters of the strategy type, all of them strings',
  }),
  result: NamedObject('PlaygroundStrategyResult', 'The result of the strategy', {
    enabled: enabledOrUnknown('unknown: only the application can decide'),
    evaluationStatus: Type.Unsafe<'complete' | 'incomplete' | 'unevaluated'>({
      description:
        'incomplete: only the application can compute the result. unevaluated: the strategy is disabled',
      type: 'string',
      enum: ['complete', 'incomplete', 'unevaluated'],
    }),
    variant: Type.Optional(Ref(PlaygroundVariant)),
  }),
  constraints: Type.Array(Ref(PlaygroundConstraint)),
  segments: Type.Array(Ref(PlaygroundSegment)),
  rule: Type.Optional(Ref(PlaygroundRule)),
  explanation: Type.String({
    description: 'Why the strategy matches or does not match',
    examples: [
      'Strategy 1 (flexibleRollout) matches: bucket 37 of userId "7" is within the rollout of 50 %.',
    ],
  }),
  links: NamedObject('PlaygroundLinks', 'Links for a UI', {
    edit: Type.String({ description: 'URL of the feature page in the console' }),
  }),
});
export type PlaygroundStrategy = Static<typeof PlaygroundStrategy>;

const PlaygroundDependency = SharedObject(
  'PlaygroundDependency',
  'A parent, and whether it meets the requirement',
  {
    feature: Type.String({ description: 'Name of the parent feature', examples: ['payments'] }),
    requires: Type.Unsafe<'enabled' | 'disabled'>({
      description: 'Whether the parent must be enabled or disabled',
      type: 'string',
      enum: ['enabled', 'disabled'],
    }),
    variants: Type.Array(Type.String(), {
      description: 'The parent must serve one of these variants. Empty: any',
    }),
    state: Type.Unsafe<'enabled' | 'disabled' | 'missing' | 'has-parent'>({
      type: 'string',
      enum: ['enabled', 'disabled', 'missing', 'has-parent'],
      description:
        'State of the parent for the same context. SDKs do not evaluate a parent that has a parent itself',
    }),
    variant: Nullable.String({ description: 'The variant that the parent serves' }),
    result: resultField('Whether the parent meets the requirement'),
  },
);

const PlaygroundVariantSelection = SharedObject('PlaygroundVariantSelection', {
  source: Type.Unsafe<'strategy' | 'feature'>({
    type: 'string',
    enum: ['strategy', 'feature'],
    description: 'The strategy that matched, or the feature',
  }),
  groupId: Type.String({ description: 'The group id that is hashed with the value' }),
  ...sticky,
  override: Type.Unsafe<{ variant: string; contextName: string; value: string } | null>({
    anyOf: [
      NamedObject('SelectedOverride', {
        variant: Type.String({ description: 'Name of the selected variant', examples: ['blue'] }),
        contextName,
        value: Type.String({ description: 'The value that selected it', examples: ['7'] }),
      }),
      { type: 'null' },
    ],
    description: 'The override that selected the variant',
  }),
  totalWeight: Type.Integer({ description: 'Sum of the weights of all variants', examples: [1_000] }),
  bucket: Nullable.Integer({ description: 'The bucket of the user, from 1 to totalWeight', examples: [612] }),
  ranges: Type.Array(
    NamedObject('VariantRange', {
      name: Type.String({ description: 'Name of the variant', examples: ['blue'] }),
      from: Type.Integer({ description: 'First bucket of the range', examples: [501] }),
      to: Type.Integer({ description: 'Last bucket of the range', examples: [1_000] }),
    }),
    { description: 'The buckets of each variant' },
  ),
  name: Nullable.String({ description: 'The selected variant', examples: ['blue'] }),
});

const REASONS = [
  'flag-disabled',
  'parent',
  'no-strategies',
  'strategy-matches',
  'no-strategy-matches',
] as const;

export const PlaygroundEvaluation = SharedObject('PlaygroundEvaluation', {
  name: featureName,
  projectId: Type.String({ description: 'Id of the project', examples: ['web-shop'] }),
  environment: environmentName,
  context: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'The context with one value per field',
  }),
  isEnabled: Type.Boolean({ description: 'The result that SDKs compute for the context' }),
  isEnabledInCurrentEnvironment: Type.Boolean({
    description: 'Whether the feature is enabled in the environment',
  }),
  hasUnsatisfiedDependency: Type.Boolean({ description: 'Whether a parent does not meet the requirement' }),
  reason: Type.Unsafe<(typeof REASONS)[number]>({
    type: 'string',
    enum: REASONS,
    description: 'The rule that decided the result',
  }),
  explanation: Type.Array(Type.String(), {
    description: 'The result in plain sentences',
    examples: [
      [
        'The flag is enabled. Strategy 1 (flexibleRollout) matches: bucket 37 of userId "7" is within the rollout of 50 %.',
      ],
    ],
  }),
  variant: Ref(PlaygroundVariant),
  variants: Type.Array(Ref(Variant), { description: 'The variants of the feature in the environment' }),
  variantSelection: Type.Unsafe<Static<typeof PlaygroundVariantSelection> | null>({
    anyOf: [Ref(PlaygroundVariantSelection), { type: 'null' }],
    description: 'How the variant was selected. Null: the feature is disabled or has no variants',
  }),
  strategies: NamedObject('PlaygroundStrategies', 'The strategies, and whether they match', {
    result: enabledOrUnknown('Whether a strategy matches. unknown: only the application can decide'),
    data: Type.Array(Ref(PlaygroundStrategy), { description: 'In evaluation order' }),
  }),
  dependencies: Type.Array(Ref(PlaygroundDependency)),
});
export type PlaygroundEvaluation = Static<typeof PlaygroundEvaluation>;

const inputProjects = Type.Unsafe<string[] | typeof ALL>({
  description: 'Ids of projects, or * for all',
  anyOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'string', enum: [ALL] },
  ],
});

const at = Optional.String({ description: 'The requested time', examples: ['2026-11-15T09:30:00Z'] });

const notEvaluatedFeature = NamedObject('PlaygroundNotEvaluated', {
  feature: featureName,
  environment: environmentName,
  reason: Type.Unsafe<MissingReason>({
    type: 'string',
    enum: ['not-created', 'deleted', 'archived', 'moved', 'environment-changed'],
    description:
      'not-created: the feature did not exist. deleted: a different feature had the name. archived: SDKs did not get the feature. moved: the feature was in a different project. environment-changed: the environment has since been added to the project or removed from it',
    examples: ['not-created'],
  }),
});
export type NotEvaluated = Static<typeof notEvaluatedFeature>;

const notEvaluated = Optional.Array(notEvaluatedFeature, {
  description: 'With at: features without a result, and the reason',
});

export const PlaygroundResult = SharedObject('PlaygroundResult', {
  input: NamedObject('PlaygroundInput', 'The request', {
    environment: environmentName,
    projects: inputProjects,
    context,
    at,
  }),
  features: Type.Array(Ref(PlaygroundEvaluation), { description: 'Sorted by name' }),
  notEvaluated,
});

export const AdvancedPlaygroundResult = SharedObject('AdvancedPlaygroundResult', {
  input: NamedObject('AdvancedPlaygroundInput', 'The request', {
    environments,
    projects: inputProjects,
    context: Type.Optional(context),
    contexts: Optional.Array(context),
    at,
  }),
  features: Type.Array(
    NamedObject('AdvancedPlaygroundFeature', {
      name: featureName,
      projectId: Type.String({ description: 'Id of the project', examples: ['web-shop'] }),
      environments: Type.Record(Type.String(), Type.Array(Ref(PlaygroundEvaluation)), {
        description:
          'By environment: one evaluation for each combination of context values, or for each of contexts',
      }),
    }),
    { description: 'Sorted by name' },
  ),
  notEvaluated,
});

export const PLAYGROUND_SCHEMAS = [
  PlaygroundConstraint,
  PlaygroundSegment,
  PlaygroundRule,
  PlaygroundVariant,
  PlaygroundStrategy,
  PlaygroundDependency,
  PlaygroundVariantSelection,
  PlaygroundEvaluation,
  PlaygroundResult,
  AdvancedPlaygroundResult,
];
