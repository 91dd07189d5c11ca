import { can, type Me, type OperationId } from '../api/can.ts';
import type { Schemas } from '../api/client.ts';

export type Group = 'People' | 'Tokens' | 'Vocabulary' | 'Instance';

export type Entry = {
  label: string;
  /** Other names by which the command palette finds the page. */
  keywords?: string;
  path: string;
  group: Group;
  /** The user sees the entry if they may call one of these operations. If the list is absent, everyone sees it. */
  calls?: readonly OperationId[];
  /** The number on the right. Only admins see it, because only they may read the statistics. */
  count?(statistics: Schemas['InstanceStatistics']): number;
};

/** The administration pages, in navigation order. A new page needs an entry here and a route. */
const ENTRIES: readonly Entry[] = [
  {
    label: 'Users',
    keywords: 'people, deactivate, reset password',
    path: '/admin/users',
    group: 'People',
    calls: ['getUsers'],
    count: ({ users }) => users,
  },
  {
    label: 'Groups',
    keywords: 'teams, members',
    path: '/admin/groups',
    group: 'People',
    calls: ['getGroups'],
    count: ({ groups }) => groups,
  },
  {
    label: 'Roles',
    keywords: 'permissions, rights, grant',
    path: '/admin/roles',
    group: 'People',
    calls: ['getRoles'],
    count: ({ roles }) => roles,
  },
  {
    label: 'Service accounts',
    keywords: 'bots, Terraform, rotate tokens',
    path: '/admin/service-accounts',
    group: 'People',
    calls: ['getServiceAccounts'],
    count: ({ serviceAccounts }) => serviceAccounts,
  },
  {
    label: 'Invitations',
    keywords: 'invite, signup links',
    path: '/admin/invitations',
    group: 'People',
    calls: ['getSignupTokens'],
  },
  // No `calls`, because everyone may check their own access.
  {
    label: 'Explain access',
    keywords: 'permissions, why, denied',
    path: '/admin/explain-access',
    group: 'People',
  },
  {
    label: 'API tokens',
    keywords: 'keys, SDK, rotate secrets, expiry',
    path: '/admin/tokens',
    group: 'Tokens',
    calls: ['getApiTokens'],
    count: ({ apiTokens }) => apiTokens.admin + apiTokens.client + apiTokens.frontend,
  },
  {
    label: 'Environments',
    keywords: 'stages, production',
    path: '/admin/environments',
    group: 'Vocabulary',
    count: ({ environments }) => environments,
  },
  {
    label: 'Segments',
    keywords: 'audiences, cohorts',
    path: '/admin/segments',
    group: 'Vocabulary',
    count: ({ segments }) => segments,
  },
  {
    label: 'Context fields',
    keywords: 'attributes, legal values',
    path: '/admin/context-fields',
    group: 'Vocabulary',
    count: ({ contextFields }) => contextFields,
  },
  {
    label: 'Strategy types',
    keywords: 'custom strategies',
    path: '/admin/strategy-types',
    group: 'Vocabulary',
    count: ({ strategies }) => strategies,
  },
  {
    label: 'Feature types',
    keywords: 'lifetime, flag types',
    path: '/admin/feature-types',
    group: 'Vocabulary',
  },
  {
    label: 'Tags',
    keywords: 'tag types, labels',
    path: '/admin/tags',
    group: 'Vocabulary',
  },
  {
    label: 'Sign-in',
    keywords: 'login, SSO, OpenID Connect, OIDC, password rules, CORS',
    path: '/admin/sign-in',
    group: 'Instance',
    calls: ['getOidcSettings'],
  },
  {
    label: 'Export and import',
    keywords: 'transfer, copy, backup, JSON',
    path: '/admin/transfer',
    group: 'Instance',
    calls: ['createFeature'],
  },
  {
    label: 'Edges',
    keywords: 'proxy',
    path: '/admin/edges',
    group: 'Instance',
    calls: ['getEdges'],
  },
  {
    label: 'Instance',
    keywords: 'version, license, limits, maintenance mode, diagnostics',
    path: '/admin/instance',
    group: 'Instance',
    calls: ['getDiagnostics'],
  },
];

/** Lists the pages that the user may open. */
export const listAdminEntries = (me: Me): Entry[] =>
  ENTRIES.filter(({ calls }) => calls?.some(call => can(me, call)) ?? true);

/** Groups the entries, in the order of ENTRIES. */
export const groupEntries = (entries: readonly Entry[]): [Group, Entry[]][] => [
  ...Map.groupBy(entries, ({ group }) => group),
];
