import {
  ALL,
  DisplayName,
  NamedObject,
  Nullable,
  nameExcept,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { DefaultStrategy } from '../environments/schema.ts';
import { FORMULA } from '../technical-debt/score.ts';

/** Path segments after /api/admin/projects/ that belong to other operations. They would clash with project ids. */
export const RESERVED_IDS: readonly string[] = ['archive', 'revive'];

const mode = Type.Unsafe<'open' | 'protected' | 'private'>({
  type: 'string',
  enum: ['open', 'protected', 'private'],
  description: 'Every user may read open and protected projects; only members may read private projects',
});
const name = DisplayName({
  description: 'Display name of the project',
  maxLength: 255,
  examples: ['Payments'],
});
const description = Type.String({
  description: 'What the project is for',
  maxLength: 4_000,
  examples: ['Payments and refunds'],
});
const stickiness = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Default stickiness for gradual rollouts and variants',
  examples: ['userId'],
});
const featureLimit = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Maximum number of features; null: no limit',
});
const debtBudget = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description:
    'Maximum number of stale and potentially stale features. The server rejects new features while the project exceeds it; null: no limit.',
});

const requireComment = Type.Boolean({
  description:
    'Whether every change to the features of the project must have a reason. The server rejects a change without the header Halyard-Comment with 400.',
  examples: [false],
});

export const FeatureNaming = SharedObject('FeatureNaming', 'The naming pattern for features', {
  pattern: Optional.String({ description: 'Pattern in RE2 syntax that feature names must match' }),
  example: Optional.String({ description: 'A name that matches' }),
  description: Optional.String({ description: 'What the pattern means, shown to people who choose a name' }),
});

const overview = {
  name,
  description,
  mode: mode,
  defaultStickiness: stickiness,
  featureLimit: Nullable(featureLimit),
  debtBudget: Nullable(debtBudget),
  requireComment,
  featureNaming: Ref(FeatureNaming),
  members: Type.Integer({ description: 'Users with a role in the project', examples: [3] }),
  createdAt: Timestamp('When the project was created'),
  updatedAt: Timestamp('When the project was last changed'),
  archivedAt: Nullable(Timestamp('When the project was archived; null while it is active')),
  favorite: Type.Boolean({ description: 'Whether the project is a favorite of the caller' }),
};

export const Project = SharedObject('Project', {
  id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  ...overview,
  environments: Type.Array(Type.String(), {
    description: 'Environments of the project',
    examples: [['development', 'production']],
  }),
});
export type Project = Static<typeof Project>;

/** A project in the project list, with its counts and health. */
export const ListedProject = SharedObject('ListedProject', 'A project', {
  ...Project.properties,
  memberCount: Type.Integer({ description: 'Same as `members`', examples: [3] }),
  owners: Type.Array(
    NamedObject('ProjectOwner', {
      ownerType: Type.Unsafe<'user' | 'group' | 'system'>({
        type: 'string',
        enum: ['user', 'group', 'system'],
        description: 'system: nobody owns the project',
      }),
      name: Optional.String({ description: 'Name of the user or group', examples: ['Alice Moreau'] }),
    }),
    { description: 'Users and groups with the Owner role, users first' },
  ),
  featureCount: Type.Integer({ description: 'Number of active features', examples: [120] }),
  staleFeatureCount: Type.Integer({
    description: 'Active features that are marked as stale',
    examples: [3],
  }),
  potentiallyStaleFeatureCount: Type.Integer({
    description: 'Active features that are older than the lifetime of their type and not marked as stale',
    examples: [9],
  }),
  health: Type.Integer({
    description: `Health of the project: ${FORMULA}`,
    minimum: 0,
    maximum: 100,
    examples: [90],
  }),
  technicalDebt: Type.Integer({
    description: 'Technical debt: 100 minus the health',
    minimum: 0,
    maximum: 100,
    examples: [10],
  }),
  lastEventAt: Nullable(
    Timestamp(
      'When something in the project last changed, according to the event log; null if there are no events',
    ),
  ),
});
export type ListedProject = Static<typeof ListedProject>;

export const ProjectOverview = SharedObject('ProjectOverview', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  ...overview,
  environments: Type.Array(
    NamedObject('ProjectOverviewEnvironment', {
      environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
      defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
    }),
    { description: 'By sort order, each with its default strategy, if set' },
  ),
  featureTypeCounts: Type.Array(
    NamedObject('FeatureTypeCount', {
      type: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
      count: Type.Integer({ description: 'Number of active features of the type', examples: [12] }),
    }),
    { description: 'Number of active features of each type, most frequent first' },
  ),
});
export type ProjectOverview = Static<typeof ProjectOverview>;

export const ProjectList = SharedObject('ProjectList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  projects: Type.Array(Ref(ListedProject)),
});

const FeatureNamingInput = NamedObject(
  'FeatureNamingInput',
  {
    pattern: Type.Optional(
      Nullable.String({ maxLength: 256, description: 'Pattern in RE2 syntax; null or empty: no pattern' }),
    ),
    example: Type.Optional(
      Nullable.String({ description: 'A name that matches the pattern', maxLength: 100 }),
    ),
    description: Type.Optional(
      Nullable.String({
        description: 'What the pattern means, shown to people who choose a name',
        maxLength: 1_000,
      }),
    ),
  },
  {
    description: 'The naming pattern for features',
    examples: [{ pattern: 'pay\\..+', example: 'pay.checkout' }],
  },
);

export const NewProject = NamedObject(
  'NewProject',
  {
    id: Type.Optional(
      UrlName({
        ...nameExcept(ALL, ...RESERVED_IDS),
        description: 'Derived from the name by default',
        examples: ['payments'],
      }),
    ),
    name,
    description: Type.Optional(description),
    mode: Type.Optional(mode),
    defaultStickiness: Type.Optional(stickiness),
    environments: Optional.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Environments of the project; all enabled environments by default',
      examples: [['development', 'production']],
    }),
    featureNaming: Type.Optional(FeatureNamingInput),
  },
  { examples: [{ id: 'payments', name: 'Payments', description: 'Payments and refunds' }] },
);
export type NewProject = Static<typeof NewProject>;

export const ProjectUpdate = NamedObject(
  'ProjectUpdate',
  {
    name,
    description: Type.Optional(description),
    mode: Type.Optional(mode),
    defaultStickiness: Type.Optional(stickiness),
  },
  { examples: [{ name: 'Payments', description: 'Payments, refunds and invoices' }] },
);
export type ProjectUpdate = Static<typeof ProjectUpdate>;

export const NamingPreview = NamedObject(
  'NamingPreview',
  { featureNaming: FeatureNamingInput },
  { examples: [{ featureNaming: { pattern: 'pay\\..+', example: 'pay.checkout' } }] },
);

export const MAX_SHOWN_NAMES = 20;

export const NamingCheck = SharedObject('NamingCheck', {
  features: Type.Integer({ description: 'Active features of the project', examples: [8] }),
  violations: Type.Integer({
    description: 'Active features whose name does not match the pattern. They keep their names',
    examples: [2],
  }),
  names: Type.Array(Type.String(), {
    description: `The first ${MAX_SHOWN_NAMES} of these names`,
    examples: [['checkout-v2', 'refund-limits']],
  }),
});

export const ProjectSettings = NamedObject(
  'ProjectSettings',
  {
    mode: Type.Optional(mode),
    defaultStickiness: Type.Optional(stickiness),
    featureLimit: Type.Optional(Nullable(featureLimit)),
    debtBudget: Type.Optional(Nullable(debtBudget)),
    requireComment: Type.Optional(requireComment),
    featureNaming: Type.Optional(FeatureNamingInput),
  },
  { examples: [{ mode: 'protected', featureNaming: { pattern: 'pay\\..+', example: 'pay.checkout' } }] },
);
export type ProjectSettings = Static<typeof ProjectSettings>;
