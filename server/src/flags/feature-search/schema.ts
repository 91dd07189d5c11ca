import {
  BOUND_PATTERN,
  buildFilterPattern,
  CHOICE_OPERATORS,
  INCLUSION_OPERATORS,
  MAX_FILTER_LENGTH,
  MAX_TEXT_LENGTH,
  page,
  SearchQuery,
} from '@halyard/plane/platform/http/input/filter.ts';
import { Optional, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Collaborators, Person } from '../features/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { Tag } from '../tags/schema.ts';

export const FoundEnvironment = SharedObject('FoundEnvironment', 'A feature in one environment', {
  name: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
  sortOrder: Type.Integer({ description: 'Position in lists, lowest first', examples: [200] }),
  enabled: Type.Boolean({ description: 'Whether the feature is enabled in the environment' }),
  blockedBy: Optional.String({
    description:
      'A parent that must be enabled but is disabled in this environment. Nobody gets the feature until the parent is enabled.',
    examples: ['checkout-v2'],
  }),
  variantCount: Type.Integer({ description: 'Number of variants', examples: [0] }),
  hasStrategies: Type.Boolean({ description: 'Whether the feature has a strategy in the environment' }),
  hasEnabledStrategies: Type.Boolean({
    description: 'Whether the feature has an enabled strategy in the environment',
  }),
  lastSeenAt: Type.Optional(Timestamp('When an SDK last requested the feature in this environment')),
  yes: Type.Integer({
    description: 'Number of evaluations as enabled in the current and previous hour',
    examples: [0],
  }),
  no: Type.Integer({
    description: 'Number of evaluations as disabled in the current and previous hour',
    examples: [0],
  }),
});

export const FoundFeature = SharedObject('FoundFeature', {
  name: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  type: Type.String({ description: 'Id of a feature type', examples: ['release'] }),
  description: Optional.String({ description: 'What the feature does', examples: ['The new checkout page'] }),
  project: Type.String({ description: 'Id of the project', examples: ['default'] }),
  stale: Type.Boolean({ description: 'Whether the feature is marked as stale' }),
  impressionData: Type.Boolean({
    description: 'Whether SDKs raise an event each time the feature is evaluated',
  }),
  favorite: Type.Boolean({ description: 'Whether the feature is a favorite of the caller' }),
  createdAt: Timestamp('When the feature was created'),
  createdBy: Type.Optional(Person),
  archivedAt: Type.Optional(Timestamp('When the feature was archived; absent while it is active')),
  lastSeenAt: Type.Optional(Timestamp('When an SDK last requested the feature in any environment')),
  lifecycle: Ref(Lifecycle),
  dependencyType: Type.Unsafe<'parent' | 'child' | null>({
    type: ['string', 'null'],
    enum: ['parent', 'child', null],
    description: 'child: the feature depends on another feature; parent: other features depend on it',
  }),
  tags: Type.Array(Ref(Tag)),
  segments: Type.Array(Type.String({ examples: ['beta-users'] }), {
    description: 'Names of the segments that the strategies of the feature use',
  }),
  environments: Type.Array(Ref(FoundEnvironment)),
  collaborators: Collaborators,
});
export type FoundFeature = Static<typeof FoundFeature>;

export const FeatureSearchResult = SharedObject('FeatureSearchResult', {
  features: Type.Array(Ref(FoundFeature), { description: 'The features of the page' }),
  total: Type.Integer({
    description: 'Number of matching features that the caller may read',
    examples: [53],
  }),
});
export type FeatureSearchResult = Static<typeof FeatureSearchResult>;

const filter = (operators: readonly string[], description: string, ...examples: string[]) =>
  Optional.String({
    description: `${description}. Operators: ${operators.join(', ')}`,
    pattern: buildFilterPattern(operators),
    maxLength: MAX_FILTER_LENGTH,
    examples,
  });
const choice = (description: string, ...examples: string[]) =>
  filter(CHOICE_OPERATORS, description, ...examples);

export const FeatureSearchQuery = SearchQuery({
  query: Optional.String({
    maxLength: MAX_TEXT_LENGTH,
    description:
      'Finds features whose name, description or tags contain the string, ignoring case. Separate several strings with commas; a feature must match one of them.',
    examples: ['checkout'],
  }),
  project: choice('Filter by project id', 'IS:default', 'IS_ANY_OF:default,payments'),
  type: choice('Filter by feature type', 'IS:release'),
  state: choice(
    "Filter by state: active, potentially-stale (active features that are older than their type's lifetime) or stale",
    'IS:active',
    'IS:potentially-stale',
  ),
  createdBy: choice('Filter by the user id of the creator', 'IS:7'),
  owner: choice(
    'Filter by owners, each as user:ID or group:ID, or none for features without an owner',
    'IS:user:7',
    'IS:none',
  ),
  createdAt: Optional.String({
    pattern: BOUND_PATTERN,
    description: 'Filter by the UTC day of creation',
    examples: ['IS_ON_OR_AFTER:2026-11-01'],
  }),
  lifecycle: choice('Filter by lifecycle stage', 'IS:live'),
  tag: filter(INCLUSION_OPERATORS, 'Filter by tags, each as type:value', 'INCLUDE:simple:checkout'),
  segment: filter(
    INCLUSION_OPERATORS,
    'Filter by the names of segments that strategies use',
    'INCLUDE:beta-users',
  ),
  status: Optional.Array(Type.String({ maxLength: MAX_FILTER_LENGTH, examples: ['production:enabled'] }), {
    maxItems: 100,
    description:
      'Filter by state in an environment, enabled or disabled. A feature must match one of the values.',
  }),
  archived: Optional.String({
    enum: ['IS:true', 'IS:false'],
    description: 'IS:true: archived features; IS:false (default): active features',
    examples: ['IS:true'],
  }),
  favoritesFirst: Optional.String({
    enum: ['true', 'false'],
    description: 'true: favorites of the caller come first',
  }),
  sortBy: Optional.String({
    description:
      'name, type, project, createdAt, lastSeenAt, stale, or environment:NAME, which sorts by whether the feature is enabled in that environment',
    default: 'createdAt',
    examples: ['name', 'environment:production'],
  }),
  sortOrder: Optional.String({
    enum: ['asc', 'desc'],
    description: 'Sort direction',
    default: 'asc',
    examples: ['desc'],
  }),
  ...page,
});

export const FlagCreator = SharedObject('FlagCreator', {
  id: Type.Integer({ description: 'Id of the creator', examples: [7] }),
  name: Type.String({ description: 'Name of the creator', examples: ['alice'] }),
});
export const FlagCreators = Type.Array(Ref(FlagCreator), {
  title: 'FlagCreatorList',
  description: 'The creators, sorted by name',
});

export const AllFlagCreators = SharedObject('AllFlagCreators', {
  flagCreators: FlagCreators,
  total: Type.Integer({ description: 'Number of creators', examples: [12] }),
});
