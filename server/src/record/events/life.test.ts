import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { LOGIN_LIMITS } from '../../people/sessions/limits.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { EVENT_TYPE_LIST } from './event-types.ts';

type Step = readonly [
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  /** The path below /api/admin, unless it begins with a dot. */
  path: string,
  body: unknown,
  emits: readonly string[],
  rejectionStatus?: 401,
];

const PROJECT = '/projects/life';
const FEATURE = `${PROJECT}/features/flag`;
const ENVIRONMENT = `${FEATURE}/environments/production`;
const strategy = { name: 'flexibleRollout', parameters: { rollout: '25' } };

const USER = '/user-admin/{user}';
const ACCOUNT = '/service-account/{account}';
const distantTime = '2099-01-01T00:00:00.000Z';
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const login = { username: 'alice', password: 'correct horse battery staple' };
const wrongLogin = { ...login, password: 'wrong' };

/** The requests for users, service accounts and their permissions. */
const PEOPLE: readonly Step[] = [
  [
    'POST',
    '/roles',
    { name: 'Release manager', type: 'root-custom', permissions: [{ name: 'CREATE_PROJECT' }] },
    ['role-created'],
  ],
  ['PUT', '/roles/{role}', { name: 'Release lead', permissions: [] }, ['role-updated']],
  ['POST', '/user-admin', { ...login, rootRole: '{role}' }, ['user-created']],
  ['PUT', USER, { name: 'Alice Moreau', rootRole: 3 }, ['user-updated']],
  ['DELETE', '/roles/{role}', undefined, ['role-deleted']],
  ['POST', `${USER}/change-password`, { password: login.password }, ['user-password-changed']],
  ['POST', '/user-admin/reset-password', { id: '{user}' }, ['user-password-link-created']],
  [
    'POST',
    '/auth/oidc/settings',
    { enabled: true, discoverUrl: 'https://login.example.com', clientId: 'halyard', secret: 'hush' },
    ['setting-created'],
  ],
  ['POST', '/auth/simple/settings', { disabled: true }, ['setting-created']],
  ['POST', '/auth/simple/settings', { disabled: false }, ['setting-updated']],
  ['POST', '/auth/oidc/settings', { enabled: false }, ['setting-updated']],
  ['POST', './auth/simple/login', login, []],
  ['DELETE', `${USER}/sessions`, undefined, ['user-sessions-ended']],
  ['POST', `${USER}/deactivate`, undefined, ['user-deactivated']],
  ['POST', `${USER}/reactivate`, undefined, ['user-reactivated']],
  ...Array.from(
    { length: LOGIN_LIMITS.place.failures - 1 },
    (): Step => ['POST', './auth/simple/login', wrongLogin, [], 401],
  ),
  ['POST', './auth/simple/login', wrongLogin, ['login-blocked'], 401],
  [
    'POST',
    '/invite-link/tokens',
    { name: 'Interns', expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
    ['public-signup-token-created'],
  ],
  [
    'POST',
    './invite/{invitation}/signup',
    { email: 'bob@example.com', password: login.password },
    ['user-created', 'public-signup-token-user-added'],
  ],
  ['PUT', '/invite-link/tokens/{invitation}', { enabled: false }, ['public-signup-token-updated']],

  ['POST', '/service-account', { name: 'deployer', rootRole: 3 }, ['service-account-created']],
  ['PUT', ACCOUNT, { name: 'Deployments' }, ['service-account-updated']],
  [
    'POST',
    `${ACCOUNT}/token`,
    { description: 'ci', expiresAt: distantTime },
    ['service-account-token-created'],
  ],
  [
    'PUT',
    `${ACCOUNT}/token/{accountToken}`,
    { expiresAt: '2100-01-01T00:00:00.000Z' },
    ['service-account-token-updated'],
  ],
  ['DELETE', `${ACCOUNT}/token/{accountToken}`, undefined, ['service-account-token-deleted']],
  ['POST', '/groups', { name: 'Team', users: [] }, ['group-created']],
  [
    'PUT',
    '/groups/{group}',
    { name: 'The team', users: [{ user: { id: '{user}' } }] },
    ['group-updated', 'group-user-added'],
  ],
  ['PUT', '/groups/{group}', { name: 'The team', users: [] }, ['group-user-removed']],

  [
    'POST',
    `${PROJECT}/access`,
    { roles: [5], users: ['{user}'], groups: ['{group}'] },
    ['project-access-added'],
  ],
  ['PUT', `${PROJECT}/users/{user}/roles`, { roles: [6] }, ['project-access-user-roles-updated']],
  ['DELETE', `${PROJECT}/users/{user}/roles`, undefined, ['project-access-user-roles-deleted']],
  ['PUT', `${PROJECT}/groups/{group}/roles`, { roles: [6] }, ['project-access-group-roles-updated']],
  ['DELETE', `${PROJECT}/groups/{group}/roles`, undefined, ['project-access-group-roles-deleted']],
  [
    'POST',
    `${PROJECT}/access`,
    { roles: [5], users: ['{user}'], groups: ['{group}'] },
    ['project-access-added'],
  ],
  ['POST', `${PROJECT}/access`, { roles: [6], users: ['{account}'], groups: [] }, ['project-access-added']],
  ['PUT', '/groups/{group}', { name: 'The team', users: [{ user: { id: '{user}' } }] }, ['group-user-added']],
  ['DELETE', USER, undefined, ['project-access-user-roles-deleted', 'group-user-removed', 'user-deleted']],
  ['DELETE', '/groups/{group}', undefined, ['project-access-group-roles-deleted', 'group-deleted']],
  ['DELETE', ACCOUNT, undefined, ['project-access-user-roles-deleted', 'service-account-deleted']],
];

/**
 * The full life cycle of a project and its flags, with the events that each request must record. `{strategy}`, `{segment}` and so
 * on are replaced with the id in the last response to a request of that kind.
 */
const STEPS: readonly Step[] = [
  ['POST', '/environments', { name: 'staging', type: 'test' }, ['environment-created']],
  ['PUT', '/environments/update/staging', { type: 'preproduction' }, ['environment-updated']],
  ['POST', '/projects', { id: 'life', name: 'Life' }, ['project-created', 'project-access-added']],
  ['POST', '/projects', { id: 'other', name: 'Other' }, ['project-created', 'project-access-added']],
  ['PUT', PROJECT, { name: 'A life' }, ['project-updated']],
  ['DELETE', `${PROJECT}/environments/staging`, undefined, ['project-environment-removed']],
  ['POST', `${PROJECT}/environments`, { environment: 'staging' }, ['project-environment-added']],
  ['POST', `${PROJECT}/environments/production/default-strategy`, strategy, ['default-strategy-updated']],
  ['PUT', '/feature-types/release/lifetime', { lifetimeDays: 50 }, ['feature-type-updated']],
  ['POST', '/strategies', { name: 'mine', parameters: [] }, ['strategy-created']],
  ['PUT', '/strategies/mine', { description: 'Mine', parameters: [] }, ['strategy-updated']],
  ['POST', '/strategies/mine/deprecate', undefined, ['strategy-deprecated']],
  ['POST', '/strategies/mine/reactivate', undefined, ['strategy-reactivated']],
  ['POST', '/context', { name: 'region' }, ['context-field-created']],
  ['PUT', '/context/region', { description: 'Where' }, ['context-field-updated']],
  ['POST', '/context/region/legal-values', { value: 'eu' }, ['context-field-updated']],
  ['POST', '/tag-types', { name: 'team' }, ['tag-type-created']],
  ['PUT', '/tag-types/team', { description: 'Team' }, ['tag-type-updated']],
  ['POST', '/tags', { type: 'team', value: 'blue' }, ['tag-created']],
  ['POST', '/segments', { name: 'europe', constraints: [] }, ['segment-created']],
  ['PUT', '/segments/{segment}', { name: 'europe', description: 'EU', constraints: [] }, ['segment-updated']],

  ...PEOPLE,

  ['POST', `${PROJECT}/features`, { name: 'flag' }, ['feature-created']],
  ['POST', `${PROJECT}/features`, { name: 'parent' }, ['feature-created']],
  ['PUT', FEATURE, { description: 'Purpose' }, ['feature-metadata-updated']],
  ['PATCH', FEATURE, [{ op: 'replace', path: '/type', value: 'experiment' }], ['feature-metadata-updated']],
  ['POST', `${PROJECT}/stale`, { features: ['flag'], stale: true }, ['feature-stale-on']],
  [
    'PUT',
    `${PROJECT}/health/findings/stale/flag/snooze`,
    { until: tomorrow, reason: 'Next week' },
    ['health-finding-snoozed'],
  ],
  ['DELETE', `${PROJECT}/health/findings/stale/flag/snooze`, undefined, ['health-finding-unsnoozed']],
  ['POST', `${PROJECT}/stale`, { features: ['flag'], stale: false }, ['feature-stale-off']],
  ['POST', '/features/flag/tags', { type: 'team', value: 'blue' }, ['feature-tagged']],
  ['POST', '/features/flag/tags', { type: 'team', value: 'red' }, ['tag-created', 'feature-tagged']],
  ['DELETE', '/features/flag/tags/team/red', undefined, ['feature-untagged']],
  ['POST', `${FEATURE}/dependencies`, { feature: 'parent' }, ['feature-dependency-added']],
  ['DELETE', `${FEATURE}/dependencies/parent`, undefined, ['feature-dependency-removed']],
  ['POST', `${FEATURE}/dependencies`, { feature: 'parent' }, ['feature-dependency-added']],
  ['DELETE', `${FEATURE}/dependencies`, undefined, ['feature-dependencies-removed']],
  ['POST', '/groups', { name: 'Owners' }, ['group-created']],
  ['PUT', `${FEATURE}/owners`, { owners: [{ type: 'group', id: '{group}' }] }, ['feature-owners-updated']],
  ['POST', `${FEATURE}/link`, { url: 'https://example.com/1', title: 'Ticket' }, ['feature-link-added']],
  [
    'PUT',
    `${FEATURE}/link/{link}`,
    { url: 'https://example.com/2', title: 'Ticket' },
    ['feature-link-updated'],
  ],
  ['DELETE', `${FEATURE}/link/{link}`, undefined, ['feature-link-removed']],
  ['POST', `${FEATURE}/favorites`, undefined, ['feature-favorited']],
  ['DELETE', `${FEATURE}/favorites`, undefined, ['feature-unfavorited']],
  ['POST', `${PROJECT}/views`, { name: 'Ours', page: '/events', query: '' }, ['project-view-created']],
  [
    'PUT',
    `${PROJECT}/views/{view}`,
    { name: 'Ours, renamed', page: '/events', query: '' },
    ['project-view-updated'],
  ],
  ['DELETE', `${PROJECT}/views/{view}`, undefined, ['project-view-deleted']],
  ['POST', `${PROJECT}/favorites`, undefined, ['project-favorited']],
  ['DELETE', `${PROJECT}/favorites`, undefined, ['project-unfavorited']],

  ['POST', `${ENVIRONMENT}/on`, undefined, ['feature-strategy-add', 'feature-environment-enabled']],
  ['POST', `${ENVIRONMENT}/strategies`, { ...strategy, segments: ['{segment}'] }, ['feature-strategy-add']],
  [
    'PUT',
    `${ENVIRONMENT}/strategies/{strategy}`,
    { ...strategy, title: 'A quarter' },
    ['feature-strategy-update'],
  ],
  [
    'POST',
    `${ENVIRONMENT}/strategies/set-sort-order`,
    [{ id: '{strategy}', sortOrder: 0 }],
    ['strategy-order-changed'],
  ],
  ['DELETE', `${ENVIRONMENT}/strategies/{strategy}`, undefined, ['feature-strategy-remove']],
  [
    'PUT',
    `${ENVIRONMENT}/variants`,
    [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
    ['feature-environment-variants-updated'],
  ],
  ['POST', `${ENVIRONMENT}/off`, undefined, ['feature-environment-disabled']],
  ['POST', `${FEATURE}/lifecycle/complete`, { status: 'kept' }, ['feature-completed']],
  ['POST', `${FEATURE}/lifecycle/uncomplete`, undefined, ['feature-uncompleted']],
  [
    'POST',
    '/features-batch/export',
    { features: ['flag'], environment: 'production' },
    ['features-exported'],
  ],
  [
    'POST',
    '/features-batch/import',
    {
      project: 'life',
      environment: 'production',
      data: { features: [{ name: 'imported' }], featureStrategies: [] },
    },
    ['feature-created', 'features-imported'],
  ],
  ['POST', `${FEATURE}/changeProject`, { newProjectId: 'other' }, ['feature-project-change']],
  ['DELETE', '/projects/other/features/flag', undefined, ['feature-archived']],
  ['POST', '/projects/other/revive', { features: ['flag'] }, ['feature-revived']],
  ['DELETE', '/tags/team/blue', undefined, ['feature-untagged', 'tag-deleted']],
  ['DELETE', '/tag-types/team', undefined, ['tag-deleted', 'tag-type-deleted']],
  ['POST', '/projects/other/archive', { features: ['flag'] }, ['feature-archived']],
  ['POST', '/projects/other/delete', { features: ['flag'] }, ['feature-deleted']],
  [
    'POST',
    `${PROJECT}/archive`,
    { features: ['parent', 'imported'] },
    ['feature-archived', 'feature-archived'],
  ],

  ['POST', '/projects/archive/life', undefined, ['project-archived']],
  ['POST', '/projects/revive/life', undefined, ['project-revived']],
  ['DELETE', PROJECT, undefined, ['feature-deleted', 'feature-deleted', 'project-deleted']],
  ['DELETE', '/segments/{segment}', undefined, ['segment-deleted']],
  ['DELETE', '/context/region', undefined, ['context-field-deleted']],
  ['DELETE', '/strategies/mine', undefined, ['strategy-deleted']],
  ['DELETE', '/projects/other', undefined, ['project-deleted']],
  ['DELETE', '/environments/staging', undefined, ['environment-deleted']],
  [
    'POST',
    '/api-tokens',
    { tokenName: 'sdk', type: 'client', environment: 'production' },
    ['api-token-created'],
  ],
  ['PUT', '/api-tokens/{token}', { expiresAt: '2100-01-01T00:00:00.000Z' }, ['api-token-updated']],
  ['DELETE', '/api-tokens/{token}', undefined, ['api-token-deleted']],
  ['POST', '/user/tokens', { description: 'mine', expiresAt: distantTime }, ['pat-created']],
  ['DELETE', '/user/tokens/{pat}', undefined, ['pat-deleted']],

  [
    'POST',
    '/addons',
    {
      provider: 'webhook',
      enabled: true,
      parameters: { url: 'http://127.0.0.1:9/' },
      events: ['feature-created'],
    },
    ['addon-config-created'],
  ],
  [
    'PUT',
    '/addons/{addon}',
    {
      provider: 'webhook',
      enabled: true,
      description: 'Ours',
      parameters: { url: 'http://127.0.0.1:9/' },
      events: ['feature-created'],
    },
    ['addon-config-updated'],
  ],
  ['POST', '/addons/{addon}/rotate-secret', {}, ['integration-secret-rotated']],
  ['POST', '/addons/{addon}/test', undefined, ['integration-tested']],
  ['POST', '/addons/{addon}/backfill', { from: '2000-01-01T00:00:00.000Z' }, ['integration-backfilled']],
  ['DELETE', '/addons/{addon}', undefined, ['addon-config-deleted']],
];

/**
 * The fields that events of each type have. P is project, E environment, F feature, d data (the state after the change) and p
 * preData (the state before it).
 */
const FIELDS: Record<string, string> = {
  'health-finding-snoozed': 'PF d',
  'health-finding-unsnoozed': 'PF p',
  'addon-config-created': ' d',
  'addon-config-updated': ' dp',
  'addon-config-deleted': ' p',
  'integration-secret-rotated': ' d',
  'integration-tested': ' d',
  'integration-backfilled': ' d',
  'environment-created': 'E d',
  'environment-updated': 'E dp',
  'environment-deleted': 'E p',
  'project-created': 'P d',
  'project-access-added': 'P d',
  'project-updated': 'P dp',
  'project-archived': 'P',
  'project-revived': 'P',
  'project-deleted': 'P p',
  'project-environment-added': 'PE',
  'project-environment-removed': 'PE p',
  'default-strategy-updated': 'PE d',
  'project-favorited': 'P d',
  'project-unfavorited': 'P d',
  'feature-type-updated': ' dp',
  'strategy-created': ' d',
  'strategy-updated': ' dp',
  'strategy-deprecated': ' d',
  'strategy-reactivated': ' d',
  'strategy-deleted': ' p',
  'context-field-created': ' d',
  'context-field-updated': ' dp',
  'context-field-deleted': ' p',
  'tag-type-created': ' d',
  'tag-type-updated': ' dp',
  'tag-type-deleted': ' p',
  'tag-created': ' d',
  'tag-deleted': ' p',
  'segment-created': ' d',
  'segment-updated': ' dp',
  'segment-deleted': ' p',
  'feature-created': 'PF d',
  'feature-deleted': 'PF p',
  'feature-metadata-updated': 'PF dp',
  'feature-project-change': 'PF dp',
  'feature-archived': 'PF',
  'feature-revived': 'PF',
  'feature-stale-on': 'PF',
  'feature-stale-off': 'PF',
  'feature-tagged': 'PF d',
  'feature-untagged': 'PF p',
  'feature-dependency-added': 'PF d',
  'feature-dependency-removed': 'PF p',
  'feature-dependencies-removed': 'PF p',
  'features-exported': 'PE d',
  'features-imported': 'PE d',
  'feature-link-added': 'PF d',
  'feature-link-updated': 'PF dp',
  'feature-owners-updated': 'PF dp',
  'feature-link-removed': 'PF p',
  'project-view-created': 'P d',
  'project-view-updated': 'P dp',
  'project-view-deleted': 'P p',
  'feature-favorited': 'PF d',
  'feature-unfavorited': 'PF d',
  'feature-completed': 'PF d',
  'feature-uncompleted': 'PF p',
  'feature-strategy-add': 'PEF d',
  'feature-strategy-update': 'PEF dp',
  'feature-strategy-remove': 'PEF p',
  'strategy-order-changed': 'PEF dp',
  'feature-environment-variants-updated': 'PEF dp',
  'feature-environment-enabled': 'PEF',
  'feature-environment-disabled': 'PEF',
  'api-token-created': 'E d',
  'api-token-updated': 'E dp',
  'api-token-deleted': 'E p',
  'pat-created': ' d',
  'pat-deleted': ' p',
  'role-created': ' d',
  'role-updated': ' dp',
  'role-deleted': ' p',
  'user-created': ' d',
  'user-updated': ' dp',
  'user-deleted': ' p',
  'user-password-changed': ' d',
  'user-password-link-created': ' d',
  'user-sessions-ended': ' d',
  'user-deactivated': ' d',
  'user-reactivated': ' d',
  'login-blocked': ' d',
  'public-signup-token-created': ' d',
  'public-signup-token-updated': ' dp',
  'public-signup-token-user-added': ' d',
  'service-account-created': ' d',
  'service-account-updated': ' dp',
  'service-account-deleted': ' p',
  'service-account-token-created': ' d',
  'service-account-token-updated': ' dp',
  'service-account-token-deleted': ' p',
  'setting-created': ' d',
  'setting-updated': ' dp',
  'group-created': ' d',
  'group-updated': ' dp',
  'group-deleted': ' p',
  'group-user-added': ' d',
  'group-user-removed': ' p',
  'project-access-user-roles-updated': 'P dp',
  'project-access-user-roles-deleted': 'P p',
  'project-access-group-roles-updated': 'P dp',
  'project-access-group-roles-deleted': 'P p',
};

const JOB = 'recorded by a background job, tested in flags/health/announce.test.ts';
const SDK =
  'requires an SDK, tested in reporting/metrics/flush.test.ts and reporting/applications/routes.test.ts';
const LINK = 'requires an identity provider, tested in people/sso/linking.test.ts';
const IMPORT = 'recorded by the import command, tested in importing/unleash/import.test.ts';
const DELIVERY = 'requires a failing receiver, tested with deliveries';

/** The emitted types that no request above records, each with the reason. */
const EMITTED_ELSEWHERE: Record<string, string> = {
  ...withReason(JOB, ['feature-potentially-stale-on']),
  ...withReason(SDK, [
    ...['application-created', 'application-updated', 'application-deleted'],
    'feature-stage-entered',
  ]),
  ...withReason(LINK, ['user-identity-linked']),
  ...withReason(IMPORT, [
    ...['project-import', 'environment-import', 'feature-import', 'segment-import'],
    ...['strategy-import', 'tag-type-import', 'tag-import'],
  ]),
  ...withReason(DELIVERY, [
    ...['integration-disabled', 'integration-failing'],
    ...['integration-redelivered', 'integration-delivery-skipped'],
  ]),
};

function withReason(reason: string, types: string[]): Record<string, string> {
  return Object.fromEntries(types.map(type => [type, reason]));
}

const harness = useHarness();
let token: string;

beforeAll(async () => {
  token = (await makeUser(harness.db, 'Admin')).token;
});

test('every emitted type is recorded by a request of the life cycle or listed with a reason', () => {
  const writtenTypes = new Set(STEPS.flatMap(([, , , emits]) => emits));
  const emittedTypes = EVENT_TYPE_LIST.filter(({ emitted }) => emitted).map(({ type }) => type);

  expect(Object.keys(FIELDS).toSorted()).toEqual([...writtenTypes].toSorted());
  expect(Object.keys(EMITTED_ELSEWHERE).filter(type => writtenTypes.has(type))).toEqual([]);
  expect([...writtenTypes, ...Object.keys(EMITTED_ELSEWHERE)].toSorted()).toEqual(emittedTypes.toSorted());
});

test('the full life cycle of a flag and everything around it records exactly the expected events', {
  timeout: 300_000,
}, async () => {
  const ids: Record<string, string | number> = {};

  for (const [method, path, body, emits, rejectionStatus] of STEPS) {
    const lastIdBefore = await findLastEventId();
    const url = path.startsWith('.') ? path.slice(1) : `/api/admin${path}`;
    const response = await call(harness.app, method, fillIds(url, ids), {
      token,
      ...(body === undefined ? {} : { body: JSON.parse(fillIds(JSON.stringify(body), ids)) }),
    });
    const message = `${method} ${path}: ${JSON.stringify(response.body)}`;
    if (rejectionStatus) expect(response.status, message).toBe(rejectionStatus);
    else expect(response.status, message).toBeLessThan(300);
    rememberIds(ids, path, response.body);
    const events = await listEventsAfter(lastIdBefore);
    expect(
      events.map(({ type }) => type),
      `${method} ${path}`,
    ).toEqual(emits);
    expect(new Set(events.map(({ group }) => group)).size).toBe(emits.length === 0 ? 0 : 1);
    for (const { type, recorded } of events) expect(recorded, type).toBe(FIELDS[type]);
  }
});

/** Fills in ids. `"{segment}"` in a body becomes a number if the id is a number. */
const fillIds = (text: string, ids: Record<string, string | number>): string =>
  text
    .replace(/"\{(\w+)\}"/g, (all, name) => (name in ids ? JSON.stringify(ids[name]) : all))
    .replace(/\{(\w+)\}/g, (all, name) => String(ids[name] ?? all));

// biome-ignore lint/suspicious/noExplicitAny: the responses of many routes
function rememberIds(ids: Record<string, string | number>, path: string, body: any): void {
  if (path === '/segments') ids.segment = body.id;
  if (path.endsWith('/strategies') && body?.id) ids.strategy = body.id;
  if (path.endsWith('/link') && body?.id) ids.link = body.id;
  if (path.endsWith('/views') && body?.id) ids.view = body.id;
  if (path === '/api-tokens') ids.token = body.secret;
  if (path === '/user/tokens') ids.pat = body.id;
  if (path === '/roles') ids.role = body.roles.id;
  if (path === '/user-admin') ids.user = body.id;
  if (path === '/invite-link/tokens') ids.invitation = body.secret;
  if (path === '/service-account') ids.account = body.id;
  if (path === `${ACCOUNT}/token`) ids.accountToken = body.id;
  if (path === '/groups') ids.group = body.id;
  if (path === '/addons') ids.addon = body.id;
}

async function findLastEventId(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(
    harness.db,
  );
  return rows[0]?.id ?? 0;
}

async function listEventsAfter(id: number): Promise<{ type: string; group: string; recorded: string }[]> {
  const { rows } = await sql<{ type: string; group: string; recorded: string }>`
    select type, group_id as "group", rtrim(
      case when project is null then '' else 'P' end || case when environment is null then '' else 'E' end ||
      case when feature_name is null then '' else 'F' end || ' ' ||
      case when data is null then '' else 'd' end || case when pre_data is null then '' else 'p' end) as recorded
    from events where id > ${id} order by id`.execute(harness.db);
  return rows;
}
