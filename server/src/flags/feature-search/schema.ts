import { type Static, Type } from 'typebox';
import {
  BOUND_PATTERN,
  CHOICE,
  INCLUSION,
  MAX_FILTER_LENGTH,
  MAX_TEXT_LENGTH,
  page,
  patternOf,
  SearchQuery,
} from '../../platform/http/filter.ts';
import { Named, NamedObject, Ref, Timestamp } from '../../platform/http/schema.ts';
import { Person } from '../features/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { Tag } from '../tags/schema.ts';

export const FoundEnvironment = Named(
  'FoundEnvironment',
  Type.Object({
    name: Type.String({ examples: ['production'] }),
    type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
    sortOrder: Type.Integer({ examples: [200] }),
    enabled: Type.Boolean(),
    variantCount: Type.Integer({ examples: [0] }),
    hasStrategies: Type.Boolean(),
    hasEnabledStrategies: Type.Boolean(),
    lastSeenAt: Type.Optional(Timestamp('When an SDK last requested the feature here')),
    yes: Type.Integer({ description: 'Times it was on; 0 as long as there are no metrics', examples: [0] }),
    no: Type.Integer({ description: 'Times it was off; 0 as long as there are no metrics', examples: [0] }),
  }),
);

export const FoundFeature = Named(
  'FoundFeature',
  Type.Object({
    name: Type.String({ examples: ['checkout-v2'] }),
    type: Type.String({ description: 'Id of a feature type', examples: ['release'] }),
    description: Type.Optional(Type.String({ examples: ['The new checkout page'] })),
    project: Type.String({ examples: ['default'] }),
    stale: Type.Boolean(),
    impressionData: Type.Boolean(),
    favorite: Type.Boolean({ description: 'Starred by the caller' }),
    createdAt: Timestamp('When the feature was created'),
    createdBy: Type.Optional(Person),
    archivedAt: Type.Optional(Timestamp('When the feature was archived; absent while it is active')),
    lastSeenAt: Type.Optional(
      Timestamp('When an SDK last requested the feature; the environments tell more'),
    ),
    lifecycle: Ref(Lifecycle),
    dependencyType: Type.Unsafe<'parent' | 'child' | null>({
      type: ['string', 'null'],
      enum: ['parent', 'child', null],
      description: 'child: depends on another; parent: others depend on it',
    }),
    tags: Type.Array(Ref(Tag)),
    segments: Type.Array(Type.String({ examples: ['beta-users'] }), {
      description: 'Names of the segments that strategies of the feature use',
    }),
    environments: Type.Array(Ref(FoundEnvironment)),
    collaborators: NamedObject('Collaborators', {
      users: Type.Array(Person, { description: 'Those who have changed the feature' }),
    }),
  }),
);
export type FoundFeature = Static<typeof FoundFeature>;

export const FeatureSearchResult = Named(
  'FeatureSearchResult',
  Type.Object({
    features: Type.Array(Ref(FoundFeature), { description: 'The page' }),
    total: Type.Integer({
      description: 'How many features match, as far as the caller may see',
      examples: [53],
    }),
  }),
);
export type FeatureSearchResult = Static<typeof FeatureSearchResult>;

const filter = (operators: readonly string[], description: string, ...examples: string[]) =>
  Type.Optional(
    Type.String({
      description: `${description}. Operators: ${operators.join(', ')}`,
      pattern: patternOf(operators),
      maxLength: MAX_FILTER_LENGTH,
      examples,
    }),
  );
const choice = (description: string, ...examples: string[]) => filter(CHOICE, description, ...examples);

export const FeatureSearchQuery = SearchQuery({
  query: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT_LENGTH,
      description:
        'Text to find in name, description or tags: a substring, in upper or lower case; of several between commas any one',
      examples: ['checkout'],
    }),
  ),
  project: choice('By project id', 'IS:default', 'IS_ANY_OF:default,payments'),
  type: choice('By feature type', 'IS:release'),
  state: choice('active or stale', 'IS:active'),
  createdBy: choice("By the creator's user id", 'IS:7'),
  createdAt: Type.Optional(
    Type.String({
      pattern: BOUND_PATTERN,
      description: 'By the UTC day of creation',
      examples: ['IS_ON_OR_AFTER:2026-11-01'],
    }),
  ),
  lifecycle: choice('By stage', 'IS:live'),
  tag: filter(INCLUSION, 'By tags, each as type:value', 'INCLUDE:simple:checkout'),
  segment: filter(INCLUSION, 'By names of segments that strategies use', 'INCLUDE:beta-users'),
  status: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_FILTER_LENGTH, examples: ['production:enabled'] }), {
      maxItems: 100,
      description: 'By environment and enabled or disabled; of several any one',
    }),
  ),
  archived: Type.Optional(
    Type.String({
      enum: ['IS:true', 'IS:false'],
      description: 'IS:true: the archived ones only; otherwise those that are not',
      examples: ['IS:true'],
    }),
  ),
  favoritesFirst: Type.Optional(
    Type.String({ enum: ['true', 'false'], description: 'true: those the caller has starred come first' }),
  ),
  sortBy: Type.Optional(
    Type.String({
      description:
        'name, type, project, createdAt, lastSeenAt, stale, or environment: and a name, which sorts by the switch there',
      default: 'createdAt',
      examples: ['name', 'environment:production'],
    }),
  ),
  sortOrder: Type.Optional(
    Type.String({
      enum: ['asc', 'desc'],
      description: 'Which end first',
      default: 'asc',
      examples: ['desc'],
    }),
  ),
  ...page,
});

export const FlagCreator = Named(
  'FlagCreator',
  Type.Object({ id: Type.Integer({ examples: [7] }), name: Type.String({ examples: ['alice'] }) }),
);
export const FlagCreators = Type.Array(Ref(FlagCreator), {
  title: 'FlagCreatorList',
  description: 'The creators, by name',
});
