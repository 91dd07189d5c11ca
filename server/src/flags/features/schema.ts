import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Variant } from '../../targeting/variants/schema.ts';
import { Dependency } from '../dependencies/schema.ts';
import { FeatureEnvironment } from '../feature-environments/schema.ts';
import { description, featureName, featureNames, featureRow, featureType } from '../feature-rows/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { FeatureLink } from '../links/schema.ts';
import { NewTag, Tag } from '../tags/schema.ts';

export const Person = NamedObject('Collaborator', 'A user, service account or token', {
  id: Type.Integer({ description: 'Id of the user', examples: [7] }),
  name: Type.String({
    description:
      'Display name of the user or service account, or its username or email address if it has none; `admin token` or `system` for other actors',
    examples: ['Alice Moreau'],
  }),
  imageUrl: Type.String({
    format: 'uri',
    description: 'URL of a Gravatar image, derived from the hash of the name',
    examples: [
      'https://gravatar.com/avatar/0e0dd4e5e1c7bf110ea9b2f055adbc93640bf2f1af125216ba6b26174596f1fe?s=42&d=retro&r=g',
    ],
  }),
});

export const Collaborators = NamedObject('Collaborators', 'The users who changed the feature', {
  users: Type.Array(Person, { description: 'Users who changed the feature' }),
});

export const ClonedFrom = NamedObject(
  'CloneSource',
  'Project and name of the source at the time of cloning. null if the feature is not a copy, or if the caller cannot read the project of the source.',
  {
    project: Type.String({ description: 'Id of the project', examples: ['default'] }),
    feature: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  },
);

/** Everything about a feature that is the same for every caller. */
const state = {
  ...featureRow,
  enabled: Type.Boolean({ description: 'Whether the feature is enabled in at least one environment' }),
  archivedAt: Type.Optional(
    Timestamp('When the feature was archived. Absent for an active feature.', { examples: [] }),
  ),
  createdBy: Type.Optional(Person),
  lastSeenAt: Type.Optional(
    Timestamp('When an SDK last requested the feature. Use lastSeenAt of its environments instead.', {
      deprecated: true,
    }),
  ),
  environments: Type.Array(Ref(FeatureEnvironment)),
  variants: Type.Array(Ref(Variant), {
    deprecated: true,
    examples: [[]],
    description:
      'Always empty: variants belong to environments. A later major version will remove this field.',
  }),
  tags: Type.Array(Ref(Tag)),
  dependencies: Type.Array(Ref(Dependency), {
    description: 'Parents of the feature, and the state it requires of each',
  }),
  children: Type.Array(Type.String(), {
    'x-experimental': true,
    examples: [['checkout-upsell']],
    description: 'Names of the features that depend on this feature. Experimental: this field may change.',
  }),
  links: Type.Array(Ref(FeatureLink)),
  lifecycle: Ref(Lifecycle),
  collaborators: Collaborators,
  clonedFrom: Nullable({ ...ClonedFrom, title: 'ClonedFrom' }),
};
/** A feature without the fields that depend on the caller. Clone, drift, move, export and import use it. */
export type FeatureState = Static<ReturnType<typeof Type.Object<typeof state>>>;

/**
 * A feature as a caller sees it. `favorite` is about this caller, and `clonedFrom` is null if the caller cannot read the source project.
 */
export const Feature = SharedObject('Feature', 'A feature', {
  ...state,
  favorite: Type.Boolean({ description: 'Whether the feature is a favorite of the caller' }),
});
export type Feature = Static<typeof Feature>;

export const FeatureList = SharedObject('FeatureList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [2] }),
  features: Type.Array(Ref(Feature)),
});

export const NewFeature = NamedObject(
  'NewFeature',
  {
    name: featureName,
    type: Type.Optional(featureType),
    description: Type.Optional(Nullable(description)),
    impressionData: Optional.Boolean({
      description: 'Whether SDKs raise an event each time the feature is evaluated',
    }),
    tags: Optional.Array(NewTag, { maxItems: 20, description: 'Tags to attach. New tags are created.' }),
  },
  { examples: [{ name: 'checkout-v2', type: 'release', description: 'The new checkout page' }] },
);
export type NewFeature = Static<typeof NewFeature>;

export const FeatureUpdate = NamedObject(
  'FeatureUpdate',
  {
    type: Type.Optional(featureType),
    description: Type.Optional(Nullable(description)),
    impressionData: Optional.Boolean({
      description: 'Whether SDKs raise an event each time the feature is evaluated',
    }),
    stale: Optional.Boolean({ description: 'Whether the feature is marked as stale' }),
  },
  { examples: [{ description: 'The checkout page', type: 'release', impressionData: false }] },
);
export type FeatureUpdate = Static<typeof FeatureUpdate>;

/** The fields that a JSON Patch can change. It can remove only the description. */
export const PatchedFeature = Type.Object({
  ...FeatureUpdate.properties,
  type: featureType,
  impressionData: Type.Boolean(),
  stale: Type.Boolean(),
});

export const ArchiveCheck = SharedObject('ArchiveCheck', {
  parentsWithChildFeatures: Type.Array(Type.String({ examples: ['payments'] }), {
    description: 'Features that are parents of features outside this list',
  }),
  hasDeletedDependencies: Type.Boolean({
    description: 'true: archiving removes dependencies, and reviving does not restore them',
  }),
});
export type ArchiveCheck = Static<typeof ArchiveCheck>;

export const StaleFeatures = NamedObject(
  'StaleFeatures',
  {
    features: featureNames,
    stale: Type.Boolean({ description: 'true marks the features as stale, false unmarks them' }),
  },
  { examples: [{ features: ['checkout-v2'], stale: true }] },
);

export const FeatureMove = NamedObject(
  'FeatureMove',
  {
    newProjectId: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Id of the project that receives the feature',
      examples: ['webshop'],
    }),
  },
  { examples: [{ newProjectId: 'webshop' }] },
);

export const FeatureNameCheck = NamedObject(
  'FeatureNameCheck',
  {
    name: featureName,
    projectId: Type.Optional(Nullable.String({ description: 'Id of the project', maxLength: 100 })),
  },
  { examples: [{ name: 'checkout-v3', projectId: 'default' }] },
);
