import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import {
  ALL,
  NamedObject,
  nameExcept,
  Optional,
  Ref,
  SharedObject,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Constraint } from '../../targeting/constraints/schema.ts';
import { StrategyVariant } from '../../targeting/variants/schema.ts';

export const MAX_SORT_ORDER = 1_000_000;

const name = UrlName({ description: 'Name of the environment', ...nameExcept(ALL), examples: ['staging'] });
const type = Type.String({
  maxLength: 100,
  pattern: '^[\\p{L}\\p{N}]([\\p{L}\\p{M}\\p{N} _.-]*[\\p{L}\\p{M}\\p{N}])?$',
  [RULE]:
    'must contain only letters, digits, spaces and - _ . and must begin and end with a letter or a digit',
  description: 'What the environment is for, for example development, test, preproduction or production',
  examples: ['preproduction'],
});
const sortOrder = Type.Integer({
  minimum: 0,
  maximum: MAX_SORT_ORDER,
  description: 'Position in lists, lowest first',
  examples: [150],
});

const fields = {
  name: Type.String({ description: 'Name of the environment', examples: ['staging'] }),
  type: Type.String({ description: 'Type of the environment', examples: ['preproduction'] }),
  enabled: Type.Boolean({ description: 'Whether new projects get the environment by default' }),
  protected: Type.Boolean({ description: 'Whether the environment cannot be deleted' }),
  sortOrder: Type.Integer({ description: 'Position in lists, lowest first', examples: [150] }),
};

export const Environment = SharedObject('Environment', 'An environment', {
  ...fields,
  projectCount: Type.Integer({
    description: 'Number of projects with the environment that the caller may read',
    examples: [4],
  }),
  apiTokenCount: Type.Integer({
    description:
      'Number of active API tokens for the environment with access to a project the caller may read',
    examples: [2],
  }),
  enabledToggleCount: Type.Integer({
    description: 'Number of features enabled in the environment, in projects the caller may read',
    examples: [17],
  }),
});
export type Environment = Static<typeof Environment>;

const version = Type.Integer({ description: 'Version of the response format', examples: [1] });

export const EnvironmentList = SharedObject('EnvironmentList', {
  version,
  environments: Type.Array(Ref(Environment)),
});

export const DefaultStrategy = SharedObject(
  'DefaultStrategy',
  'The strategy that a feature without strategies gets when it is enabled',
  {
    name: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
    title: Optional.String({
      description: 'What the strategy is for, as the console shows it',
      examples: ['A quarter of all users'],
    }),
    disabled: Type.Boolean({
      description: 'Whether the strategy is disabled. SDKs do not get disabled strategies',
    }),
    sortOrder: Optional.Integer({
      description: 'Position among the strategies of a feature; last by default',
      examples: [0],
    }),
    parameters: Type.Record(Type.String(), Type.String(), {
      description: 'Parameters of the strategy type, all of them strings',
      examples: [{ rollout: '25', stickiness: 'default' }],
    }),
    constraints: Type.Array(Ref(Constraint)),
    variants: Type.Array(Ref(StrategyVariant)),
    segments: Type.Array(Type.Integer(), { description: 'Ids of the segments, all of which must match' }),
  },
);
export type DefaultStrategy = Static<typeof DefaultStrategy>;

export const EnvironmentOfProject = SharedObject('EnvironmentOfProject', 'An environment of a project', {
  ...fields,
  defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
  projectApiTokenCount: Type.Integer({
    description: 'Number of active API tokens for the environment with access to the project',
    examples: [2],
  }),
  projectEnabledToggleCount: Type.Integer({
    description: 'Number of features of the project that are enabled in the environment',
    examples: [5],
  }),
});
export type EnvironmentOfProject = Static<typeof EnvironmentOfProject>;

export const EnvironmentOfProjectList = SharedObject('EnvironmentOfProjectList', {
  version,
  environments: Type.Array(Ref(EnvironmentOfProject)),
});

export const MAX_SHOWN_NAMES = 10;

export const EnvironmentInProject = SharedObject('EnvironmentInProject', {
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
  features: Type.Integer({ description: 'Active features of the project', examples: [8] }),
  enabledFeatures: Type.Integer({
    description: 'Active features that are enabled in the environment, which prevents its removal',
    examples: [3],
  }),
  strategies: Type.Integer({
    description: 'Strategies in the environment, including those of archived features',
    examples: [6],
  }),
  variants: Type.Integer({
    description: 'Variants in the environment, including those of archived features',
    examples: [2],
  }),
  startingFeatures: Type.Integer({
    description:
      'Active features without an enabled strategy in the environment. They get the default strategy when they are enabled',
    examples: [2],
  }),
  startingFeatureNames: Type.Array(Type.String(), {
    description: `The first ${MAX_SHOWN_NAMES} of these features, by name`,
    examples: [['invoice-pdf-v2', 'refund-limits']],
  }),
});
export type EnvironmentInProject = Static<typeof EnvironmentInProject>;

export const NewEnvironment = NamedObject(
  'NewEnvironment',
  {
    name,
    type,
    enabled: Optional.Boolean({ description: 'true by default' }),
    sortOrder: Type.Optional({
      ...sortOrder,
      description: 'Position in lists, lowest first; last by default',
    }),
  },
  { examples: [{ name: 'staging', type: 'preproduction' }] },
);
export type NewEnvironment = Static<typeof NewEnvironment>;

export const EnvironmentUpdate = NamedObject(
  'EnvironmentUpdate',
  { type: Type.Optional(type), sortOrder: Type.Optional(sortOrder) },
  { examples: [{ type: 'preproduction', sortOrder: 150 }] },
);
export type EnvironmentUpdate = Static<typeof EnvironmentUpdate>;

export const EnvironmentNameCheck = NamedObject(
  'EnvironmentNameCheck',
  { name },
  { examples: [{ name: 'staging' }] },
);

export const SortOrders = Type.Unsafe<Record<string, number>>({
  title: 'EnvironmentSortOrders',
  type: 'object',
  description: 'New sort order of each named environment. Other environments keep their sort order.',
  additionalProperties: sortOrder,
  maxProperties: 1_000,
  propertyNames: { type: 'string', maxLength: 100 },
  examples: [{ development: 100, production: 200 }],
});

export const EnvironmentChoice = NamedObject(
  'EnvironmentChoice',
  {
    environment: Type.String({
      description: 'Name of the environment',
      minLength: 1,
      maxLength: 100,
      examples: ['production'],
    }),
  },
  { examples: [{ environment: 'production' }] },
);
