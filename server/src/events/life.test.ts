import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { EVENT_TYPE_NAMES } from './event-types.ts';

type Step = readonly [
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: unknown,
  emits: readonly string[],
];

const P = '/projects/life';
const F = `${P}/features/flag`;
const E = `${F}/environments/production`;
const strategy = { name: 'flexibleRollout', parameters: { rollout: '25' } };

/**
 * The whole life of a project, its flags and what they are made of, with the events that each request must write.
 * `{strategy}`, `{segment}` and so on stand for the id in the last answer to a request of that kind.
 */
const STEPS: readonly Step[] = [
  ['POST', '/environments', { name: 'staging', type: 'test' }, ['environment-created']],
  ['PUT', '/environments/update/staging', { type: 'preproduction' }, ['environment-updated']],
  ['POST', '/projects', { id: 'life', name: 'Life' }, ['project-created', 'project-access-added']],
  ['POST', '/projects', { id: 'other', name: 'Other' }, ['project-created', 'project-access-added']],
  ['PUT', P, { name: 'A life' }, ['project-updated']],
  ['DELETE', `${P}/environments/staging`, undefined, ['project-environment-removed']],
  ['POST', `${P}/environments`, { environment: 'staging' }, ['project-environment-added']],
  ['POST', `${P}/environments/production/default-strategy`, strategy, ['default-strategy-updated']],
  ['PUT', '/feature-types/release/lifetime', { lifetimeDays: 50 }, ['feature-type-updated']],
  ['POST', '/strategies', { name: 'mine', parameters: [] }, ['strategy-created']],
  ['PUT', '/strategies/mine', { description: 'Mine', parameters: [] }, ['strategy-updated']],
  ['POST', '/strategies/mine/deprecate', undefined, ['strategy-deprecated']],
  ['POST', '/strategies/mine/reactivate', undefined, ['strategy-reactivated']],
  ['POST', '/context', { name: 'region' }, ['context-field-created']],
  ['PUT', '/context/region', { description: 'Where' }, ['context-field-updated']],
  ['POST', '/context/region/legal-values', { value: 'eu' }, ['context-field-updated']],
  ['POST', '/tag-types', { name: 'team' }, ['tag-type-created']],
  ['PUT', '/tag-types/team', { description: 'Who' }, ['tag-type-updated']],
  ['POST', '/tags', { type: 'team', value: 'blue' }, ['tag-created']],
  ['POST', '/segments', { name: 'europe', constraints: [] }, ['segment-created']],
  ['PUT', '/segments/{segment}', { name: 'europe', description: 'EU', constraints: [] }, ['segment-updated']],

  ['POST', `${P}/features`, { name: 'flag' }, ['feature-created']],
  ['POST', `${P}/features`, { name: 'parent' }, ['feature-created']],
  ['PUT', F, { description: 'What it does' }, ['feature-metadata-updated']],
  ['PATCH', F, [{ op: 'replace', path: '/type', value: 'experiment' }], ['feature-metadata-updated']],
  ['POST', `${P}/stale`, { features: ['flag'], stale: true }, ['feature-stale-on']],
  ['POST', `${P}/stale`, { features: ['flag'], stale: false }, ['feature-stale-off']],
  ['POST', '/features/flag/tags', { type: 'team', value: 'blue' }, ['feature-tagged']],
  ['POST', '/features/flag/tags', { type: 'team', value: 'red' }, ['tag-created', 'feature-tagged']],
  ['DELETE', '/features/flag/tags/team/red', undefined, ['feature-untagged']],
  ['POST', `${F}/dependencies`, { feature: 'parent' }, ['feature-dependency-added']],
  ['DELETE', `${F}/dependencies/parent`, undefined, ['feature-dependency-removed']],
  ['POST', `${F}/dependencies`, { feature: 'parent' }, ['feature-dependency-added']],
  ['DELETE', `${F}/dependencies`, undefined, ['feature-dependencies-removed']],
  ['POST', `${F}/link`, { url: 'https://example.com/1', title: 'Ticket' }, ['feature-link-added']],
  ['PUT', `${F}/link/{link}`, { url: 'https://example.com/2', title: 'Ticket' }, ['feature-link-updated']],
  ['DELETE', `${F}/link/{link}`, undefined, ['feature-link-removed']],
  ['POST', `${F}/favorites`, undefined, ['feature-favorited']],
  ['DELETE', `${F}/favorites`, undefined, ['feature-unfavorited']],
  ['POST', `${P}/favorites`, undefined, ['project-favorited']],
  ['DELETE', `${P}/favorites`, undefined, ['project-unfavorited']],

  ['POST', `${E}/on`, undefined, ['feature-strategy-add', 'feature-environment-enabled']],
  ['POST', `${E}/strategies`, { ...strategy, segments: ['{segment}'] }, ['feature-strategy-add']],
  ['PUT', `${E}/strategies/{strategy}`, { ...strategy, title: 'A quarter' }, ['feature-strategy-update']],
  [
    'POST',
    `${E}/strategies/set-sort-order`,
    [{ id: '{strategy}', sortOrder: 0 }],
    ['strategy-order-changed'],
  ],
  ['DELETE', `${E}/strategies/{strategy}`, undefined, ['feature-strategy-remove']],
  [
    'PUT',
    `${E}/variants`,
    [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
    ['feature-environment-variants-updated'],
  ],
  ['POST', `${E}/off`, undefined, ['feature-environment-disabled']],
  ['POST', `${F}/lifecycle/complete`, { status: 'kept' }, ['feature-completed']],
  ['POST', `${F}/lifecycle/uncomplete`, undefined, ['feature-uncompleted']],
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
  ['POST', `${F}/changeProject`, { newProjectId: 'other' }, ['feature-project-change']],
  ['DELETE', '/projects/other/features/flag', undefined, ['feature-archived']],
  ['POST', '/projects/other/revive', { features: ['flag'] }, ['feature-revived']],
  ['DELETE', '/tags/team/blue', undefined, ['feature-untagged', 'tag-deleted']],
  ['DELETE', '/tag-types/team', undefined, ['tag-deleted', 'tag-type-deleted']],
  ['POST', '/projects/other/archive', { features: ['flag'] }, ['feature-archived']],
  ['POST', '/projects/other/delete', { features: ['flag'] }, ['feature-deleted']],
  ['POST', `${P}/archive`, { features: ['parent', 'imported'] }, ['feature-archived', 'feature-archived']],

  ['POST', '/projects/archive/life', undefined, ['project-archived']],
  ['POST', '/projects/revive/life', undefined, ['project-revived']],
  ['DELETE', P, undefined, ['feature-deleted', 'feature-deleted', 'project-deleted']],
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
  ['POST', '/user/tokens', { description: 'mine', expiresAt: '2099-01-01T00:00:00.000Z' }, ['pat-created']],
  ['DELETE', '/user/tokens/{pat}', undefined, ['pat-deleted']],
];

/**
 * What an event of each type is about and tells, as the catalogue has it: P project, E environment, F feature;
 * d data (the state after), p preData (the state before).
 */
const TOLD: Record<string, string> = {
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
  'project-environment-removed': 'PE',
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
  'feature-link-removed': 'PF p',
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
};

const NEVER = 'known for the records of other installations; nothing here does what it tells of';
const IN_PROCESS = 'was never stored anywhere; the metrics of the process tell it';
const LATER = 'what it tells of is not built yet';
const NOT_HERE =
  'what it tells of is not part of Halyard yet: change requests, release plans, signals, banners';

/** Why no request of the life above writes an event of this type. */
const NOT_EMITTED: Record<string, string> = {
  ...of(NEVER, [
    ...['feature-updated', 'feature-variants-updated', 'feature-import', 'feature-tag-import'],
    ...['strategy-import', 'project-import', 'tag-import', 'tag-type-import', 'environment-import'],
    ...['segment-import', 'drop-feature-tags', 'drop-features', 'drop-strategies', 'drop-projects'],
    ...['drop-tags', 'drop-tag-types', 'drop-environments', 'project-access-updated', 'project-user-added'],
    ...['project-group-role-changed', 'project-group-removed', 'project-user-removed'],
    ...['project-user-role-changed', 'project-group-added'],
  ]),
  ...of(IN_PROCESS, ['client-metrics', 'client-register', 'db-pool-update']),
  ...of(NOT_HERE, [
    ...EVENT_TYPE_NAMES.filter(type => /^(change|banner|signal|actions|release-plan)-/.test(type)),
    ...['scim-users-deleted', 'scim-groups-deleted', 'user-preference-updated'],
  ]),
  ...of(LATER, [
    ...['application-created', 'feature-potentially-stale-on'],
    ...EVENT_TYPE_NAMES.filter(type => /^(role|user|group|service-account|addon-config|setting)-/.test(type)),
    ...EVENT_TYPE_NAMES.filter(type =>
      /^(public-signup-token|project-access-.*(updated|deleted))/.test(type),
    ),
  ]),
};

function of(why: string, types: string[]): Record<string, string> {
  return Object.fromEntries(types.map(type => [type, why]));
}

const harness = useHarness();
let token: string;

beforeAll(async () => {
  token = (await makeUser(harness.db, 'Admin')).token;
});

test('every type of the catalogue has a request that writes it, or a reason why none does', () => {
  const emitted = new Set(STEPS.flatMap(([, , , emits]) => emits));

  expect(Object.keys(TOLD).toSorted()).toEqual([...emitted].toSorted());
  expect(Object.keys(NOT_EMITTED).filter(type => emitted.has(type))).toEqual([]);
  expect([...emitted, ...Object.keys(NOT_EMITTED)].toSorted()).toEqual([...EVENT_TYPE_NAMES].toSorted());
});

test('the whole life of a flag and of all around it writes exactly the events it should', async () => {
  const ids: Record<string, string | number> = {};

  for (const [method, path, body, emits] of STEPS) {
    const before = await lastEvent();
    const answer = await call(harness.app, method, filled(`/api/admin${path}`, ids), {
      token,
      ...(body === undefined ? {} : { body: JSON.parse(filled(JSON.stringify(body), ids)) }),
    });
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    remember(ids, path, answer.body);
    const events = await eventsAfter(before);
    expect(
      events.map(({ type }) => type),
      `${method} ${path}`,
    ).toEqual(emits);
    expect(new Set(events.map(({ group }) => group)).size).toBe(1);
    for (const { type, told } of events) expect(told, type).toBe(TOLD[type]);
  }
});

/** `"{segment}"` in a body is a number where the id is one. */
const filled = (text: string, ids: Record<string, string | number>): string =>
  text.replace(/"\{segment\}"/g, '{segment}').replace(/\{(\w+)\}/g, (all, name) => String(ids[name] ?? all));

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
function remember(ids: Record<string, string | number>, path: string, body: any): void {
  if (path === '/segments') ids.segment = body.id;
  if (path.endsWith('/strategies') && body?.id) ids.strategy = body.id;
  if (path.endsWith('/link') && body?.id) ids.link = body.id;
  if (path === '/api-tokens') ids.token = body.secret;
  if (path === '/user/tokens') ids.pat = body.id;
}

async function lastEvent(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(
    harness.db,
  );
  return rows[0]?.id ?? 0;
}

async function eventsAfter(id: number): Promise<{ type: string; group: string; told: string }[]> {
  const { rows } = await sql<{ type: string; group: string; told: string }>`
    select type, group_id as "group", rtrim(
      case when project is null then '' else 'P' end || case when environment is null then '' else 'E' end ||
      case when feature_name is null then '' else 'F' end || ' ' ||
      case when data is null then '' else 'd' end || case when pre_data is null then '' else 'p' end) as told
    from events where id > ${id} order by id`.execute(harness.db);
  return rows;
}
