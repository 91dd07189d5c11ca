import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { call } from './request.ts';
import { insertRichFeature, insertSegment } from './rich-feature.ts';

/** Ids of the resources that the requests use. */
export type Fixture = {
  user: number;
  member: number;
  group: number;
  role: number;
  unusedRole: number;
  inviteToken: string;
  account: number;
  accountToken: number;
  segment: number;
  unusedSegment: number;
  addon: number;
  strategy: string;
  link: string;
  view: number;
  token: string;
  projectToken: string;
  projectView: number;
};

const PROJECT = 'default';
const FLAG = 'checkout-v2';
/** Both projects have this environment, with strategies but without enabled flags or tokens, so that it can be deleted. */
const ENVIRONMENT = 'spare';
/** A project without active flags, so that it can be archived and deleted. */
const OTHER_PROJECT = 'empty';

/** Creates one flag with everything that a flag can have, in a project with everything that a project can have. */
export async function makeFixture(db: Db, app: App, token: string, user: number): Promise<Fixture> {
  const post = async (path: string, body?: unknown) => {
    const { status, body: response } = await call(app, 'POST', `/api/admin/${path}`, { token, body });
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(response)}`);
    return response;
  };
  for (const id of ['payments', 'webshop', OTHER_PROJECT, 'shelved'])
    await post('projects', { id, name: id });
  await post('projects/archive/shelved');
  for (const name of [ENVIRONMENT, 'unused']) await post('environments', { name, type: 'test' });
  for (const id of [PROJECT, OTHER_PROJECT])
    await post(`projects/${id}/environments`, { environment: ENVIRONMENT });
  await post('context', { name: 'region', legalValues: [{ value: 'north' }] });
  await post(`projects/${PROJECT}/context`, { name: 'shop', legalValues: [{ value: 'north' }] });
  await post('strategies', { name: 'custom', parameters: [] });
  await post('tag-types', { name: 'squad' });
  await post('tags', { type: 'simple', value: 'loose' });
  const segment = await insertSegment(db, 'used-segment');
  const unusedSegment = await insertSegment(db, 'unused-segment', PROJECT);
  const variant = { name: 'blue', weight: 1_000, weightType: 'variable' as const, stickiness: 'default' };
  const strategies = [
    {
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'default', groupId: FLAG },
      segments: [segment],
    },
  ];
  for (const name of [
    'payments',
    'spare-parent',
    'dark-mode',
    'other-flag',
    'lonely',
    'shelved-1',
    'shelved-2',
  ])
    await insertRichFeature(db, { name, environments: { development: { strategies, enabled: true } } });
  await insertRichFeature(db, {
    name: FLAG,
    stale: true,
    tags: [
      { type: 'simple', value: 'checkout' },
      { type: 'squad', value: 'one' },
    ],
    dependencies: [{ feature: 'spare-parent', enabled: true, variants: [] }],
    links: ['https://example.com/tickets/1'],
    environments: {
      development: { enabled: true, strategies, variants: [variant] },
      [ENVIRONMENT]: { enabled: false, strategies, variants: [variant] },
    },
  });
  await post(`projects/${PROJECT}/archive`, { features: ['shelved-1', 'shelved-2'] });
  await insertRichFeature(db, { name: 'shelved-3', project: OTHER_PROJECT });
  await post(`projects/${OTHER_PROJECT}/archive`, { features: ['shelved-3'] });
  const member = await post('user-admin', { username: 'member', email: 'member@example.com', rootRole: 3 });
  const group = await post('groups', { name: 'Team', users: [{ user: { id: member.id } }] });
  const { roles: role } = await post('roles', {
    name: 'Releaser',
    type: 'custom',
    permissions: [{ name: 'UPDATE_FEATURE' }],
  });
  const { roles: unusedRole } = await post('roles', { name: 'Unused', type: 'custom', permissions: [] });
  await post(`projects/${PROJECT}/users/${member.id}/roles/${role.id}`);
  await post(`projects/${PROJECT}/groups/${group.id}/roles/${role.id}`);
  const account = await post('service-account', { name: 'Pipeline', username: 'pipeline', rootRole: 2 });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const accountToken = await post(`service-account/${account.id}/token`, { description: 'x', expiresAt });
  const addon = await post('addons', {
    provider: 'webhook',
    enabled: true,
    parameters: { url: 'http://127.0.0.1:9/' },
    events: ['feature-created', 'feature-environment-enabled'],
  });
  const invite = await post('invite-link/tokens', { name: 'Interns', expiresAt });
  const view = await post('user/views', { name: 'Spare', page: '/events', query: '' });
  const projectView = await post(`projects/${PROJECT}/views`, { name: 'Spare', page: '/events', query: '' });
  const sdk = { type: 'client', environment: 'production' };
  const apiToken = await post('api-tokens', { tokenName: 'one', ...sdk, projects: [PROJECT, OTHER_PROJECT] });
  const projectToken = await post(`projects/${PROJECT}/api-tokens`, { tokenName: 'two', ...sdk });
  await sql`insert into applications (name) values ('checkout')`.execute(db);
  await sql`insert into feature_last_seen values ('shelved-1', ${ENVIRONMENT}, now())`.execute(db);
  const { rows } = await sql<{ strategy: string; link: string }>`
    select (select id from feature_strategies where feature_name = ${FLAG} and environment = ${ENVIRONMENT}) as strategy,
      (select id from feature_links where feature_name = ${FLAG}) as link`.execute(db);
  const [ids] = rows;
  if (!ids) throw new Error('The fixture is incomplete');
  return {
    user,
    member: member.id,
    group: group.id,
    role: role.id,
    unusedRole: unusedRole.id,
    inviteToken: invite.secret,
    account: account.id,
    accountToken: accountToken.id,
    segment,
    unusedSegment,
    addon: addon.id,
    strategy: ids.strategy,
    link: ids.link,
    view: view.id,
    projectView: projectView.id,
    token: apiToken.id ?? apiToken.secret,
    projectToken: projectToken.id ?? projectToken.secret,
  };
}

type Values = Record<string, string | number>;

/** Returns the values of path parameters, with exceptions for some operations. */
export const buildPathValues = (fixture: Fixture): Record<string, Values> => ({
  '': {
    projectId: PROJECT,
    featureName: FLAG,
    environment: ENVIRONMENT,
    strategyId: fixture.strategy,
    linkId: fixture.link,
    parent: 'spare-parent',
    rule: 'stale',
    subject: FLAG,
    contextField: 'region',
    legalValue: 'north',
    strategyName: 'custom',
    type: 'simple',
    value: 'checkout',
    name: 'squad',
    id: fixture.segment,
    groupId: fixture.group,
    roleId: fixture.role,
    holderId: fixture.member,
    token: fixture.token,
    tokenId: fixture.accountToken,
    appName: 'checkout',
  },
  'DELETE /api/admin/projects/{projectId}': { projectId: OTHER_PROJECT },
  'POST /api/admin/projects/archive/{projectId}': { projectId: OTHER_PROJECT },
  'DELETE /api/admin/segments/{id}': { id: fixture.unusedSegment },
  'DELETE /api/admin/roles/{roleId}': { roleId: fixture.unusedRole },
  'PUT /api/admin/invite-link/tokens/{token}': { token: fixture.inviteToken },
  'POST /api/admin/projects/revive/{projectId}': { projectId: 'shelved' },
  'DELETE /api/admin/archive/{featureName}': { featureName: 'shelved-1' },
  'POST /api/admin/archive/revive/{featureName}': { featureName: 'shelved-1' },
  'POST /api/admin/projects/{projectId}/features/{featureName}/changeProject': { featureName: 'lonely' },
  ...Object.fromEntries(
    ['PUT', 'DELETE'].map(method => [
      `${method} /api/admin/projects/{projectId}/context/{contextField}`,
      { contextField: 'shop' },
    ]),
  ),
  'POST /api/admin/projects/{projectId}/context/{contextField}/legal-values': { contextField: 'shop' },
  'DELETE /api/admin/projects/{projectId}/context/{contextField}/legal-values/{legalValue}': {
    contextField: 'shop',
  },
  'PUT /api/admin/feature-types/{id}/lifetime': { id: 'release' },
  'PUT /api/admin/user/views/{id}': { id: fixture.view },
  'DELETE /api/admin/user/views/{id}': { id: fixture.view },
  'PUT /api/admin/projects/{projectId}/views/{id}': { id: fixture.projectView },
  'DELETE /api/admin/projects/{projectId}/views/{id}': { id: fixture.projectView },
  ...Object.fromEntries(
    [
      'PUT /api/admin/addons/{id}',
      'DELETE /api/admin/addons/{id}',
      'POST /api/admin/addons/{id}/rotate-secret',
      'POST /api/admin/addons/{id}/redeliver',
      'POST /api/admin/addons/{id}/backfill',
      'POST /api/admin/addons/{id}/test',
    ].map(name => [name, { id: fixture.addon }]),
  ),
  'DELETE /api/admin/projects/{projectId}/api-tokens/{token}': { token: fixture.projectToken },
  'PUT /api/admin/user-admin/{id}': { id: fixture.member },
  'DELETE /api/admin/user-admin/{id}': { id: fixture.member },
  'DELETE /api/admin/user-admin/{id}/sessions': { id: fixture.member },
  'POST /api/admin/user-admin/{id}/deactivate': { id: fixture.member },
  'POST /api/admin/user-admin/{id}/reactivate': { id: fixture.member },
  ...Object.fromEntries(
    [
      'PUT /api/admin/service-account/{id}',
      'DELETE /api/admin/service-account/{id}',
      'POST /api/admin/service-account/{id}/token',
      'PUT /api/admin/service-account/{id}/token/{tokenId}',
      'DELETE /api/admin/service-account/{id}/token/{tokenId}',
    ].map(name => [name, { id: fixture.account }]),
  ),
  ...Object.fromEntries(
    ['POST', 'PUT', 'DELETE'].flatMap(method => [
      [
        `${method} /api/admin/projects/{projectId}/groups/{holderId}/roles/{roleId}`,
        { holderId: fixture.group },
      ],
      [`${method} /api/admin/projects/{projectId}/groups/{holderId}/roles`, { holderId: fixture.group }],
    ]),
  ),
});

/** The parameters that direct the same requests at the other project and its archived flag. */
export const otherProjectParams: Values = { projectId: OTHER_PROJECT, featureName: 'shelved-3' };

const SHELVED_FEATURES = { features: ['shelved-1', 'shelved-2'] };
const BOTH_FEATURES = { features: [FLAG, 'dark-mode'] };

/** Builds bodies for operations whose documented example refers to something that the fixture does not contain. */
export const buildBodies = (fixture: Fixture): Record<string, unknown> => ({
  'POST /api/admin/projects': { id: 'brand-new', name: 'New' },
  'POST /api/admin/projects/{projectId}/features': {
    name: 'brand-new',
    tags: [{ type: 'simple', value: 'checkout' }],
  },
  'POST /api/admin/projects/{projectId}/revive': { features: [FLAG, ...SHELVED_FEATURES.features] },
  'POST /api/admin/projects/{projectId}/delete': SHELVED_FEATURES,
  'POST /api/admin/projects/{projectId}/stale': { ...BOTH_FEATURES, stale: true },
  'PATCH /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/variants': [
    { op: 'replace', path: '/0/name', value: 'green' },
  ],
  'PATCH /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}':
    [{ op: 'add', path: '/title', value: 'Half' }],
  'POST /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/set-sort-order':
    [{ id: fixture.strategy, sortOrder: 7 }],
  'POST /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies': {
    name: 'flexibleRollout',
    parameters: { rollout: '25', stickiness: 'default' },
    segments: [fixture.segment],
  },
  'PUT /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}':
    {
      name: 'flexibleRollout',
      parameters: { rollout: '25', stickiness: 'default' },
      segments: [fixture.segment],
    },
  // The target is a different project, so that the project lock does not serialize this request with others for the same flag.
  'POST /api/admin/projects/{projectId}/features/{featureName}/clone': {
    name: 'checkout-v3',
    project: OTHER_PROJECT,
    replaceGroupId: true,
    include: ['strategies', 'variants', 'tags'],
  },
  'POST /api/admin/projects/{projectId}/clone': {
    features: [
      { feature: FLAG, name: 'checkout-v3' },
      { feature: 'dark-mode', name: 'dark-mode-2' },
    ],
    include: ['strategies', 'variants', 'tags', 'dependencies'],
  },
  'POST /api/admin/projects/{projectId}/features/{featureName}/dependencies': {
    feature: 'payments',
    enabled: true,
  },
  'POST /api/admin/projects/{projectId}/features/{featureName}/changeProject': {
    newProjectId: OTHER_PROJECT,
  },
  'PUT /api/admin/projects/{projectId}/features/{featureName}/variants-batch': {
    variants: [{ name: 'green', weight: 1000 }],
    environments: ['development', ENVIRONMENT],
  },
  'POST /api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/copy': {
    from: 'development',
    include: ['strategies', 'variants'],
  },
  'PUT /api/admin/environments/sort-order': { development: 7, [ENVIRONMENT]: 8 },
  'POST /api/admin/api-tokens': {
    tokenName: 'three',
    type: 'client',
    environment: ENVIRONMENT,
    projects: [PROJECT, OTHER_PROJECT],
  },
  'POST /api/admin/projects/{projectId}/api-tokens': {
    tokenName: 'four',
    type: 'client',
    environment: ENVIRONMENT,
  },
  'PUT /api/admin/feature-types/{id}/lifetime': { lifetimeDays: 33 },
  'POST /api/admin/roles': {
    name: 'Another',
    type: 'custom',
    permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: ENVIRONMENT }],
  },
  'PUT /api/admin/projects/{projectId}/settings': { mode: 'protected', featureLimit: 100 },
  'POST /api/admin/projects/{projectId}/environments': { environment: 'unused' },
  'POST /api/admin/segments': { name: 'another', project: PROJECT, constraints: [] },
  'PUT /api/admin/segments/{id}': { name: 'renamed', project: PROJECT, constraints: [] },
  'POST /api/admin/segments/strategies': {
    projectId: PROJECT,
    environmentId: ENVIRONMENT,
    strategyId: fixture.strategy,
    segmentIds: [],
  },
  'POST /api/admin/tags': { type: 'squad', value: 'two' },
  'POST /api/admin/features/{featureName}/tags': { type: 'squad', value: 'three' },
  'PUT /api/admin/features/{featureName}/tags': {
    addedTags: [{ type: 'squad', value: 'four' }],
    removedTags: [{ type: 'simple', value: 'checkout' }],
  },
  'PUT /api/admin/projects/{projectId}/tags': {
    ...BOTH_FEATURES,
    tags: {
      addedTags: [{ type: 'simple', value: 'loose' }],
      removedTags: [{ type: 'simple', value: 'checkout' }],
    },
  },
  'POST /api/admin/features-batch/export': { features: [FLAG], environment: ENVIRONMENT },
  'POST /api/admin/features-batch/import': {
    project: PROJECT,
    environment: ENVIRONMENT,
    data: {
      features: [{ name: FLAG }, { name: 'imported' }],
      featureStrategies: [{ name: 'default', featureName: FLAG, parameters: {} }],
      featureTags: [{ featureName: FLAG, tagType: 'simple', tagValue: 'loose' }],
    },
  },
  'PUT /api/admin/addons/{id}': {
    provider: 'webhook',
    enabled: false,
    parameters: { url: 'http://127.0.0.1:9/' },
    events: ['feature-created'],
  },
  'POST /api/admin/addons': {
    provider: 'webhook',
    enabled: true,
    parameters: { url: 'http://127.0.0.1:9/' },
    events: ['feature-created'],
  },
  'POST /api/admin/user-admin/inactive/delete': { ids: [fixture.member] },
  'PUT /api/admin/projects/{projectId}/features/{featureName}/owners': {
    owners: [{ type: 'user', id: fixture.member }],
  },
  'PUT /api/admin/user-admin/{id}': { name: 'Member', email: 'member@example.com', rootRole: 2 },
  'POST /api/admin/groups': { name: 'Another', users: [{ user: { id: fixture.member } }] },
  'PUT /api/admin/groups/{groupId}': { name: 'Team', description: 'x', users: [] },
  'PUT /api/admin/roles/{roleId}': {
    name: 'Releaser',
    type: 'custom',
    permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: ENVIRONMENT }],
  },
  'POST /api/admin/projects/{projectId}/access': {
    roles: [fixture.role],
    users: [fixture.user],
    groups: [fixture.group],
  },
  'PUT /api/admin/projects/{projectId}/access': {
    roles: [{ id: fixture.role, users: [fixture.user], groups: [] }],
  },
  'POST /api/admin/projects/{projectId}/role/{roleId}/access': { users: [{ id: fixture.user }], groups: [] },
  'PUT /api/admin/projects/{projectId}/users/{holderId}/roles': { roles: [5] },
  'PUT /api/admin/projects/{projectId}/groups/{holderId}/roles': { roles: [5] },
});
