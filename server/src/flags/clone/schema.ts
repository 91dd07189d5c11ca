import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, UrlName } from '../../platform/http/schema.ts';
import { Variant } from '../../targeting/variants/schema.ts';
import { Dependency } from '../dependencies/schema.ts';
import { PlannedStrategy } from '../feature-environments/schema.ts';
import { ClonedFrom } from '../features/schema.ts';
import { Tag } from '../tags/schema.ts';

const name = UrlName({ description: 'Name of the copy', examples: ['checkout-v3'] });
const environmentName = Type.String({ minLength: 1, maxLength: 100, examples: ['production'] });

export const PARTS = ['strategies', 'variants', 'tags', 'dependencies'] as const;
export type Part = (typeof PARTS)[number];

const replaceGroupId = Type.Boolean({
  default: true,
  description:
    'true: the name of the copy becomes the group of its rollouts, so users fall into other buckets; false: the groups stay',
});
const include = Type.Array(
  Type.Unsafe<Part>({ title: 'ClonePart', type: 'string', enum: PARTS, examples: ['strategies'] }),
  {
    maxItems: 20,
    description: 'What is copied beside type, description and impression data; all of it if left out',
    examples: [['strategies', 'variants']],
  },
);
const environments = Type.Array(
  NamedObject('EnvironmentMapping', {
    from: Type.String({ ...environmentName, description: 'Environment of the source' }),
    to: Type.String({ ...environmentName, description: 'Environment of the copy' }),
  }),
  {
    maxItems: 100,
    description:
      'Which environment of the copy gets what from which of the source; each its own if left out. Environments of the copy that are not named stay empty.',
    examples: [[{ from: 'development', to: 'production' }]],
  },
);
const planId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Do exactly what this plan says, or refuse with 409',
});

/** What both kinds of clone let one choose. */
const choice = {
  replaceGroupId: Type.Optional(replaceGroupId),
  include: Type.Optional(include),
  environments: Type.Optional(environments),
  planId: Type.Optional(planId),
};

export const CloneRequest = NamedObject(
  'CloneRequest',
  {
    name,
    project: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Project that receives the copy; that of the address if left out',
      }),
    ),
    ...choice,
  },
  { examples: [{ name: 'checkout-v3', replaceGroupId: true }] },
);
export type CloneRequest = Static<typeof CloneRequest>;

export const CloneManyRequest = NamedObject(
  'CloneManyRequest',
  {
    features: Type.Array(
      NamedObject(
        'FeatureToClone',
        { feature: Type.String({ minLength: 1, maxLength: 100, description: 'The source' }), name },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
    ...choice,
  },
  {
    additionalProperties: false,
    examples: [{ features: [{ feature: 'checkout-v2', name: 'checkout-v3' }], include: ['strategies'] }],
  },
);
export type CloneManyRequest = Static<typeof CloneManyRequest>;

const LeftOut = NamedObject('LeftOutPart', {
  part: Type.String({
    description:
      'environment, strategies, variants, tags, dependencies, or what no copy has: enabled, stale, links, children',
    examples: ['environment'],
  }),
  environment: Nullable(Type.String({ examples: ['staging'] })),
  why: Type.String({ examples: ['Project payments does not have this environment.'] }),
});
export type LeftOut = Static<typeof LeftOut>;

export const PlannedCopy = Named(
  'PlannedCopy',
  Type.Object({
    source: ClonedFrom,
    name,
    project: Type.String({ description: 'Project that receives the copy', examples: ['payments'] }),
    type: Type.String({ examples: ['release'] }),
    description: Type.Optional(Type.String()),
    impressionData: Type.Boolean(),
    environments: Type.Array(
      NamedObject('PlannedEnvironment', {
        name: environmentName,
        from: Type.String({ description: 'Environment of the source', examples: ['production'] }),
        strategies: Type.Array(Ref(PlannedStrategy)),
        variants: Type.Array(Ref(Variant)),
      }),
      { description: 'Those that get strategies or variants; the copy is off in all of them' },
    ),
    tags: Type.Array(Ref(Tag)),
    dependencies: Type.Array(Ref(Dependency)),
    leftOut: Type.Array(LeftOut),
  }),
);
export type PlannedCopy = Static<typeof PlannedCopy>;

export const ClonePlan = Named(
  'ClonePlan',
  Type.Object({
    planId: Nullable(
      Type.String({ description: 'To be sent with the same body; null if something stands in the way' }),
    ),
    copies: Type.Array(Ref(PlannedCopy)),
    permissions: Type.Array(
      NamedObject('ClonePermission', {
        permission: Type.String({ examples: ['CREATE_FEATURE_STRATEGY'] }),
        environment: Nullable(Type.String({ examples: ['production'] })),
        held: Type.Boolean({ description: 'Whether the caller has it' }),
      }),
      { description: 'What the clone needs in the receiving project' },
    ),
    obstacles: Type.Array(
      NamedObject('CloneObstacle', {
        name: Type.String({ description: 'Kind of error the clone would be refused with' }),
        message: Type.String(),
      }),
      { description: 'Everything that stands in the way' },
    ),
  }),
);
export type ClonePlan = Static<typeof ClonePlan>;

const Difference = NamedObject('DriftDifference', {
  part: Type.String({
    description: 'type, description, impressionData, environment, strategies, variants, tags or dependencies',
    examples: ['strategies'],
  }),
  environment: Nullable(Type.String({ examples: ['production'] })),
  kind: Type.Unsafe<'changed' | 'only-in-source' | 'only-in-copy' | 'order'>({
    type: 'string',
    enum: ['changed', 'only-in-source', 'only-in-copy', 'order'],
    description: 'order: the same strategies, looked at in another order',
  }),
  source: Type.Optional(Type.Unknown({ description: 'As the source has it' })),
  copy: Type.Optional(Type.Unknown({ description: 'As the copy has it' })),
});
export type Difference = Static<typeof Difference>;

export const Drift = Named(
  'Drift',
  Type.Object({
    feature: Type.String({ description: 'The copy', examples: ['checkout-v3'] }),
    project: Type.String({ examples: ['payments'] }),
    source: NamedObject('DriftSource', {
      project: Type.String({ description: 'Where the source is now', examples: ['default'] }),
      feature: Type.String({ examples: ['checkout-v2'] }),
      archived: Type.Boolean(),
    }),
    inSync: Type.Boolean({ description: 'Nothing differs' }),
    differences: Type.Array(Difference),
  }),
);
export type Drift = Static<typeof Drift>;
