import { type Static, Type } from 'typebox';
import { Named, NamedObject, Ref, UrlName } from '../../platform/http/schema.ts';

export const MAX_SORT_ORDER = 1_000_000;

const name = UrlName({ examples: ['staging'] });
const type = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Free text, such as development, test, preproduction or production',
  examples: ['preproduction'],
});
const sortOrder = Type.Integer({
  minimum: 0,
  maximum: MAX_SORT_ORDER,
  description: 'Lists begin with the lowest',
  examples: [150],
});

const fields = {
  name: Type.String({ examples: ['staging'] }),
  type: Type.String({ examples: ['preproduction'] }),
  enabled: Type.Boolean({ description: 'New projects get the enabled environments' }),
  protected: Type.Boolean({ description: 'A protected environment cannot be deleted' }),
  sortOrder: Type.Integer({ description: 'Lists begin with the lowest', examples: [150] }),
};

export const Environment = Named(
  'Environment',
  Type.Object({
    ...fields,
    projectCount: Type.Integer({
      description: 'Projects that have it, among those the caller may read',
      examples: [4],
    }),
    apiTokenCount: Type.Integer({
      description: 'API tokens for it that are not revoked and reach a project the caller may read',
      examples: [2],
    }),
    enabledToggleCount: Type.Integer({
      description: 'Features enabled in it, in projects the caller may read',
      examples: [17],
    }),
  }),
);
export type Environment = Static<typeof Environment>;

const version = Type.Integer({ description: 'Version of this format', examples: [1] });

export const EnvironmentList = Named(
  'EnvironmentList',
  Type.Object({ version, environments: Type.Array(Ref(Environment)) }),
);

export const DefaultStrategy = Named(
  'DefaultStrategy',
  Type.Object({
    name: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
    title: Type.Optional(Type.String({ examples: ['A quarter of all users'] })),
    disabled: Type.Boolean(),
    sortOrder: Type.Optional(Type.Integer({ description: 'Left out: after the others', examples: [0] })),
    parameters: Type.Record(Type.String(), Type.String(), {
      examples: [{ rollout: '25', stickiness: 'default' }],
    }),
    constraints: Type.Array(Type.Object({}, { additionalProperties: true })),
    variants: Type.Array(Type.Object({}, { additionalProperties: true })),
    segments: Type.Array(Type.Integer(), { description: 'Ids of segments' }),
  }),
);
export type DefaultStrategy = Static<typeof DefaultStrategy>;

export const EnvironmentOfProject = Named(
  'EnvironmentOfProject',
  Type.Object({
    ...fields,
    defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
    projectApiTokenCount: Type.Integer({
      description: 'API tokens for the environment that reach the project and are not revoked',
      examples: [2],
    }),
    projectEnabledToggleCount: Type.Integer({
      description: 'Features of the project that are enabled in it',
      examples: [5],
    }),
  }),
);
export type EnvironmentOfProject = Static<typeof EnvironmentOfProject>;

export const EnvironmentOfProjectList = Named(
  'EnvironmentOfProjectList',
  Type.Object({ version, environments: Type.Array(Ref(EnvironmentOfProject)) }),
);

export const NewEnvironment = NamedObject(
  'NewEnvironment',
  {
    name,
    type,
    enabled: Type.Optional(Type.Boolean({ description: 'true if left out' })),
    sortOrder: Type.Optional({ ...sortOrder, description: 'After all others if left out' }),
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
  description: 'The new place of each named environment; the others keep theirs',
  additionalProperties: sortOrder,
  maxProperties: 1_000,
  propertyNames: { type: 'string', maxLength: 100 },
  examples: [{ development: 100, production: 200 }],
});

export const EnvironmentChoice = NamedObject(
  'EnvironmentChoice',
  { environment: Type.String({ minLength: 1, maxLength: 100, examples: ['production'] }) },
  { examples: [{ environment: 'production' }] },
);
