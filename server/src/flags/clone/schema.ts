import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Variant } from '../../targeting/variants/schema.ts';
import { Dependency } from '../dependencies/schema.ts';
import { PlannedStrategy } from '../feature-environments/schema.ts';
import { ClonedFrom } from '../features/schema.ts';
import { Tag } from '../tags/schema.ts';

const name = UrlName({ description: 'Name of the copy', examples: ['checkout-v3'] });
const environmentName = Type.String({
  description: 'Name of the environment',
  minLength: 1,
  maxLength: 100,
  examples: ['production'],
});

export const PARTS = ['strategies', 'variants', 'tags', 'dependencies'] as const;
export type Part = (typeof PARTS)[number];

const replaceGroupId = Type.Boolean({
  default: true,
  description:
    'true: the rollouts of the copy use its own name as groupId, so users are assigned to different buckets than in the source; false: the copy keeps the groupId of the source',
});
const include = Type.Array(
  Type.Unsafe<Part>({ title: 'ClonePart', type: 'string', enum: PARTS, examples: ['strategies'] }),
  {
    maxItems: 20,
    description: 'Parts to copy in addition to type, description and impression data; all parts by default',
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
      'Maps environments of the source to environments of the copy. By default each environment maps to itself. Environments of the copy that are not listed stay empty.',
    examples: [[{ from: 'development', to: 'production' }]],
  },
);
const planId = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Id of a plan from a dry run. If the clone would differ from the plan, the request is rejected with 409.',
});

/** Options for cloning one feature or several. */
const options = {
  replaceGroupId: Type.Optional(replaceGroupId),
  include: Type.Optional(include),
  environments: Type.Optional(environments),
  planId: Type.Optional(planId),
};

export const CloneRequest = NamedObject(
  'CloneRequest',
  {
    name,
    project: Optional.String({
      minLength: 1,
      maxLength: 100,
      description: 'Target project; the project in the URL by default',
    }),
    ...options,
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
        { feature: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the source' }), name },
        { description: 'A feature to copy, and the name of the copy', additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
    ...options,
  },
  {
    additionalProperties: false,
    examples: [{ features: [{ feature: 'checkout-v2', name: 'checkout-v3' }], include: ['strategies'] }],
  },
);

const OmittedPart = NamedObject('OmittedPart', {
  part: Type.String({
    description:
      'environment, strategies, variants, tags, dependencies, or a part that is never copied: enabled, stale, links, children',
    examples: ['environment'],
  }),
  environment: Nullable.String({
    description: 'The environment of the part. null: the part does not belong to an environment',
    examples: ['staging'],
  }),
  reason: Type.String({
    description: 'Why the part is not copied',
    examples: ['Project "payments" does not have this environment.'],
  }),
});
export type OmittedPart = Static<typeof OmittedPart>;

export const PlannedCopy = SharedObject('PlannedCopy', 'A copy that the clone would create', {
  source: ClonedFrom,
  name,
  project: Type.String({ description: 'Target project', examples: ['payments'] }),
  type: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
  description: Optional.String({ description: 'What the copied feature does' }),
  impressionData: Type.Boolean({
    description: 'Whether SDKs raise an event each time the feature is evaluated',
  }),
  environments: Type.Array(
    NamedObject('PlannedEnvironment', {
      name: environmentName,
      from: Type.String({ description: 'Environment of the source', examples: ['production'] }),
      strategies: Type.Array(Ref(PlannedStrategy)),
      variants: Type.Array(Ref(Variant)),
    }),
    { description: 'Environments that get strategies or variants. The copy is disabled in all of them.' },
  ),
  tags: Type.Array(Ref(Tag)),
  dependencies: Type.Array(Ref(Dependency)),
  omitted: Type.Array(OmittedPart, { description: 'Parts of the source that are not copied' }),
});
export type PlannedCopy = Static<typeof PlannedCopy>;

export const ClonePlan = SharedObject('ClonePlan', {
  planId: Nullable.String({
    description: 'Send this id with the same body to execute exactly this plan; null if there are obstacles',
  }),
  copies: Type.Array(Ref(PlannedCopy)),
  permissions: Type.Array(
    NamedObject('ClonePermission', {
      permission: Type.String({
        description: 'Name of the permission',
        examples: ['CREATE_FEATURE_STRATEGY'],
      }),
      environment: Nullable.String({
        description:
          'The environment where the permission is required. null: the permission applies to the whole project',
        examples: ['production'],
      }),
      held: Type.Boolean({ description: 'Whether the caller has the permission' }),
    }),
    { description: 'Permissions that the clone requires in the target project' },
  ),
  obstacles: Type.Array(
    NamedObject('CloneObstacle', {
      name: Type.String({ description: 'Name of the error that the clone would be rejected with' }),
      message: Type.String({ description: 'Why the clone would be rejected' }),
    }),
    { description: 'Every reason why the clone would be rejected' },
  ),
});
export type ClonePlan = Static<typeof ClonePlan>;

const Difference = NamedObject('DriftDifference', 'A difference between a copy and its source', {
  part: Type.String({
    description: 'type, description, impressionData, environment, strategies, variants, tags or dependencies',
    examples: ['strategies'],
  }),
  environment: Nullable.String({
    description: 'The environment of the difference. null: the difference is not in an environment',
    examples: ['production'],
  }),
  kind: Type.Unsafe<'changed' | 'only-in-source' | 'only-in-copy' | 'order'>({
    type: 'string',
    enum: ['changed', 'only-in-source', 'only-in-copy', 'order'],
    description: 'order: the same strategies in a different order',
  }),
  source: Type.Optional(Type.Unknown({ description: 'Value in the source' })),
  copy: Type.Optional(Type.Unknown({ description: 'Value in the copy' })),
});
export type Difference = Static<typeof Difference>;

export const Drift = SharedObject('Drift', {
  feature: Type.String({ description: 'Name of the copy', examples: ['checkout-v3'] }),
  project: Type.String({ description: 'Id of the project of the copy', examples: ['payments'] }),
  source: NamedObject('DriftSource', 'The source of a copy', {
    project: Type.String({ description: 'Current project of the source', examples: ['default'] }),
    feature: Type.String({
      description: 'Feature name, unique in the instance',
      examples: ['checkout-v2'],
    }),
    archived: Type.Boolean({ description: 'Whether the feature is archived' }),
  }),
  inSync: Type.Boolean({ description: 'Whether there are no differences' }),
  differences: Type.Array(Difference),
});
export type Drift = Static<typeof Drift>;

const Copy = NamedObject('FeatureCopy', {
  feature: Type.String({ description: 'Name of the copy', examples: ['checkout-v3'] }),
  project: Type.String({ description: 'Project of the copy', examples: ['payments'] }),
  archived: Type.Boolean({ description: 'Whether the feature is archived' }),
  createdAt: Timestamp('When the copy was created'),
  inSync: Type.Boolean({ description: 'Whether there are no differences' }),
  differences: Type.Integer({
    minimum: 0,
    description: 'Number of differences between the copy and this feature',
    examples: [2],
  }),
});

export const CopyList = SharedObject('CopyList', {
  copies: Type.Array(Copy, { description: 'The newest copies, at most 50' }),
  total: Type.Integer({
    minimum: 0,
    description: 'Number of copies that the caller may read',
    examples: [1],
  }),
});
export type CopyList = Static<typeof CopyList>;
