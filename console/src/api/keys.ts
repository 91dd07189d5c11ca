// The keys of all queries. Refreshing a key also refreshes the keys that begin with it, so a page extends the key of what it shows:
// `[...keys.segments, id, 'strategies']`. live/affected-keys.ts says which events refresh which keys.
import type { QueryKey } from '@tanstack/react-query';
import type { Search } from '../ui/search.ts';

/** Matches one flag, all flags of a project, or all flags, depending on which fields are present. */
type Flag = { projectId?: string | undefined; featureName?: string | undefined };

/** Returns the parts before the first undefined part. */
const definedParts = (...parts: (string | undefined)[]): string[] => {
  const end = parts.indexOf(undefined);
  return (end < 0 ? parts : parts.slice(0, end)) as string[]; // All remaining parts are defined.
};

export const keys = {
  // The user.
  me: ['me'],
  profile: ['profile'],
  views: ['views'],
  sessions: ['sessions'],
  personalTokens: ['personal-tokens'],
  favorites: ['favorites'],

  // Flags.
  /**
   * A toggle updates every cached response under this key, so each must be a FeatureSearchResult. A query that needs only part of
   * it uses `select`.
   */
  flags: ['flags'],
  flagsPage: (filters: Search, page: number) => ['flags', filters, page],
  flagCount: ['flag-count'],
  flagCreators: ['flag-creators'],
  palette: (query: string) => ['palette', query],
  bulkClonePlan: (project: string, copies: unknown) => ['bulk-clone-plan', project, copies],
  filterValues: (filter: string | undefined, text: string) => ['filter-values', filter, text],
  feature: ({ projectId, featureName }: Flag = {}) => definedParts('feature', projectId, featureName),
  /** The state that the strategy editor starts from. */
  strategy: (strategyId: string) => ['strategy', strategyId],
  drift: ({ projectId, featureName }: Flag = {}) => definedParts('drift', projectId, featureName),
  copies: ({ projectId, featureName }: Flag = {}) => definedParts('copies', projectId, featureName),
  clonePlan: ({ projectId, featureName }: Flag, body: object) => ['clone-plan', projectId, featureName, body],
  playground: (body: object) => ['playground', body],

  // Projects.
  projects: ['projects'],
  archivedProjects: ['projects', 'archived'],
  /** Settings, access, environments, API tokens and counts of a project. */
  project: (projectId?: string) => definedParts('project', projectId),
  health: (projectId?: string) => definedParts('health', projectId),

  // Definitions that flags share.
  segments: ['segments'],
  contextFields: ['context'],
  environments: ['environments'],
  strategyTypes: ['strategy-types'],
  featureTypes: ['feature-types'],
  tagTypes: ['tag-types'],
  tags: ['tags'],

  // People and access.
  users: ['users'],
  /** What a user owns. */
  owned: ['owned'],
  groups: ['groups'],
  roles: ['roles'],
  rolesWith: (permissions: readonly string[]) => ['roles', 'with', ...permissions],
  serviceAccounts: ['service-accounts'],
  invitations: ['invitations'],
  apiTokens: ['api-tokens'],
  edges: ['edges'],
  /** Single sign-on, passwords and other settings of the instance. */
  settings: ['settings'],

  // Events.
  latestEvents: ['events', 'latest'],
  featureEvents: (featureName?: string) => definedParts('events', 'of-feature', featureName),
  /** The newest events about something, such as a segment. */
  eventsAbout: (search?: object) => (search === undefined ? ['events-about'] : ['events-about', search]),
  eventCounts: ['event-counts'],
  eventLog: (filters: Search) => ['event-log', filters],
  event: (id: string) => ['event', id],
  eventGroup: (groupId: string) => ['event-group', groupId],
  eventDeliveries: (id: number) => ['event-deliveries', id],
  eventReach: (id: number) => ['event-reach', id],
  eventTypes: ['event-types'],
  eventCreators: ['event-creators'],

  // Integrations.
  integrations: ['integrations'],
  integration: (id: string) => ['integrations', 'one', id],
  matchingEvents: (body: object) => ['matching-events', body],
  deliveryPreview: (id: number, body: object) => ['preview', id, body],
  deliveries: ['deliveries'],
  integrationDeliveries: (integrationId: number | undefined) => ['deliveries', integrationId ?? 'all'],

  // Applications and usage.
  applications: ['applications'],
  application: (appName?: string) => definedParts('application', appName),
  /** The applications that used an API token. */
  tokenUse: (tokenId?: number) => (tokenId === undefined ? ['token-use'] : ['token-use', tokenId]),
  usage: (featureName: string, hoursBack: number) => ['usage', featureName, hoursBack],

  // The instance.
  instance: ['instance'],
  statistics: ['statistics'],

  // Before the login.
  loginMethods: ['login-methods'],
  passwordLink: (token: string) => ['password-link', token],
  signupLink: (token: string) => ['signup-link', token],
} as const satisfies Record<string, QueryKey | ((...args: never[]) => QueryKey)>;

/** Queries that events must not refresh: their data never changes, no event announces its changes, or an editor is based on it. */
const FIXED_QUERIES: ReadonlySet<unknown> = new Set([
  'event-log',
  'event',
  'event-group',
  'event-types',
  'strategy',
  'usage',
  'login-methods',
  'password-link',
  'signup-link',
]);

/** Whether events can change what the query shows. */
export const isLive = ([subject]: QueryKey): boolean => !FIXED_QUERIES.has(subject);
