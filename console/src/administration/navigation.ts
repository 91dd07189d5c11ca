import { can, type Me, type OperationId } from '../api/can.ts';
import type { Schemas } from '../api/client.ts';

export type Group = 'People' | 'Tokens' | 'Vocabulary' | 'Instance';

export type Entry = {
  label: string;
  /** Other names for the page, which the command palette finds. */
  words?: string;
  path: string;
  group: Group;
  /** The user sees the entry if they may call one of these operations. If the list is absent, everyone sees it. */
  calls?: readonly OperationId[];
  /** The number at the right. Only admins may read the statistics. */
  count?(statistics: Schemas['InstanceStatistics']): number;
};

/** The administration pages, in navigation order. A new page needs an entry here and a route. */
const ENTRIES: readonly Entry[] = [
  {
    label: 'Users',
    words: 'people, deactivate, reset password',
    path: '/admin/users',
    group: 'People',
    calls: ['getUsers'],
    count: ({ users }) => users,
  },
  {
    label: 'Groups',
    words: 'teams, members',
    path: '/admin/groups',
    group: 'People',
    calls: ['getGroups'],
    count: ({ groups }) => groups,
  },
  {
    label: 'Roles',
    words: 'permissions, rights',
    path: '/admin/roles',
    group: 'People',
    calls: ['getRoles'],
    count: ({ roles }) => roles,
  },
  {
    label: 'Service accounts',
    words: 'bots, Terraform',
    path: '/admin/service-accounts',
    group: 'People',
    calls: ['getServiceAccounts'],
    count: ({ serviceAccounts }) => serviceAccounts,
  },
  {
    label: 'Invitations',
    words: 'invite, signup links',
    path: '/admin/invitations',
    group: 'People',
    calls: ['getSignupTokens'],
  },
  // Everyone may ask about themselves.
  {
    label: 'Explain access',
    words: 'permissions, why, denied',
    path: '/admin/explain-access',
    group: 'People',
  },
  {
    label: 'API tokens',
    words: 'keys, SDK, secrets',
    path: '/admin/tokens',
    group: 'Tokens',
    calls: ['getApiTokens'],
    count: ({ apiTokens }) => apiTokens.admin + apiTokens.client + apiTokens.frontend,
  },
  {
    label: 'Environments',
    words: 'stages, production',
    path: '/admin/environments',
    group: 'Vocabulary',
    count: ({ environments }) => environments,
  },
  {
    label: 'Segments',
    words: 'audiences, cohorts',
    path: '/admin/segments',
    group: 'Vocabulary',
    count: ({ segments }) => segments,
  },
  {
    label: 'Context fields',
    words: 'attributes, legal values',
    path: '/admin/context-fields',
    group: 'Vocabulary',
    count: ({ contextFields }) => contextFields,
  },
  {
    label: 'Strategy types',
    words: 'custom strategies',
    path: '/admin/strategy-types',
    group: 'Vocabulary',
    count: ({ strategies }) => strategies,
  },
  {
    label: 'Feature types',
    words: 'lifetime, flag types',
    path: '/admin/feature-types',
    group: 'Vocabulary',
  },
  {
    label: 'Tags',
    words: 'tag types, labels',
    path: '/admin/tags',
    group: 'Vocabulary',
  },
  {
    label: 'Sign-in',
    words: 'login, SSO, OpenID Connect, OIDC, password rules, CORS',
    path: '/admin/sign-in',
    group: 'Instance',
    calls: ['getOidcSettings'],
  },
  {
    label: 'Export and import',
    words: 'transfer, copy, backup, JSON',
    path: '/admin/transfer',
    group: 'Instance',
    calls: ['createFeature'],
  },
  {
    label: 'Edges',
    words: 'proxy',
    path: '/admin/edges',
    group: 'Instance',
    calls: ['getEdges'],
  },
  {
    label: 'Instance',
    words: 'version, license, limits, maintenance mode, diagnostics',
    path: '/admin/instance',
    group: 'Instance',
    calls: ['getDiagnostics'],
  },
];

/** The pages that the user may open. */
export const entriesOf = (me: Me): Entry[] =>
  ENTRIES.filter(({ calls }) => calls?.some(call => can(me, call)) ?? true);

/** The groups with entries, in the order of the table. */
export const groupsOf = (entries: readonly Entry[]): [Group, Entry[]][] => [
  ...Map.groupBy(entries, ({ group }) => group),
];
