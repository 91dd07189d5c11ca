import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeMember, makeUser } from './factories.ts';
import { useHarness } from './harness.ts';
import { call } from './request.ts';

// Operations record these events only in rare situations, which the tests of their modules do not create.

const harness = useHarness();
const PROJECT = '/api/admin/projects/default';
const FEATURE = `${PROJECT}/features/rare`;
/** The built-in project roles. */
const [OWNER, MEMBER] = [4, 5];
let user: number;
let group: number;

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

async function send(method: Method, url: string, body?: unknown) {
  const response = await call(harness.app, method, url, { body });
  expect(response.status, `${method} ${url} ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response.body;
}

/** Returns the types of the events that the request records. */
async function collectEventTypes(method: Method, url: string, body?: unknown): Promise<string[]> {
  const { rows: before } = await sql<{ last: number }>`select max(id) as last from events`.execute(
    harness.db,
  );
  await send(method, url, body);
  const { rows } = await sql<{ type: string }>`
    select type from events where id > ${before[0]?.last ?? 0} order by id`.execute(harness.db);
  return rows.map(({ type }) => type);
}

beforeAll(async () => {
  await makeFeature(harness.db, 'default', { name: 'rare' });
  await makeFeature(harness.db, 'default', { name: 'parent' });
  // The last owner of a project cannot be removed.
  await makeMember(harness.db, await makeUser(harness.db, 'Viewer'), 'default', 'Owner');
  user = (await makeUser(harness.db, 'Viewer')).id;
  group = (await send('POST', '/api/admin/groups', { name: 'Rare' })).id;
});

test('deleting a project deletes its context fields', async () => {
  await send('POST', '/api/admin/projects', { id: 'shops', name: 'Shops' });
  await send('POST', '/api/admin/projects/shops/context', { name: 'shop' });

  expect(await collectEventTypes('DELETE', '/api/admin/projects/shops')).toContain('context-field-deleted');
});

test('an update, a patch and an import can unmark a feature as stale', async () => {
  const markStale = () => send('POST', `${PROJECT}/stale`, { features: ['rare'], stale: true });

  await markStale();
  expect(await collectEventTypes('PUT', FEATURE, { stale: false })).toContain('feature-stale-off');
  await markStale();
  expect(
    await collectEventTypes('PATCH', FEATURE, [{ op: 'replace', path: '/stale', value: false }]),
  ).toContain('feature-stale-off');
  await markStale();
  expect(
    await collectEventTypes('POST', '/api/admin/features-batch/import', {
      project: 'default',
      environment: 'development',
      data: { features: [{ name: 'rare', stale: false }], featureStrategies: [] },
    }),
  ).toContain('feature-stale-off');
});

test('the bulk request that disables features records feature-environment-disabled', async () => {
  await send('POST', `${FEATURE}/environments/development/on`);

  expect(
    await collectEventTypes('POST', `${PROJECT}/bulk_features/environments/development/off`, {
      features: ['rare'],
    }),
  ).toEqual(['feature-environment-disabled']);
});

test('archiving a feature removes its parents, and reviving it by name disables it', async () => {
  await send('POST', `${FEATURE}/dependencies`, { feature: 'parent' });
  await send('POST', `${FEATURE}/environments/development/on`);

  expect(await collectEventTypes('DELETE', FEATURE)).toEqual(
    expect.arrayContaining(['feature-archived', 'feature-dependencies-removed']),
  );
  expect(await collectEventTypes('POST', '/api/admin/archive/revive/rare')).toEqual(
    expect.arrayContaining(['feature-revived', 'feature-environment-disabled']),
  );
});

test.each(['user', 'group'] as const)('changing the role of a %s records the right events', async kind => {
  const rolesPath = `${PROJECT}/${kind}s/${kind === 'user' ? user : group}/roles`;

  expect(await collectEventTypes('PUT', `${rolesPath}/${OWNER}`)).toEqual(['project-access-added']);
  expect(await collectEventTypes('PUT', `${rolesPath}/${MEMBER}`)).toEqual([
    `project-access-${kind}-roles-updated`,
  ]);
  expect(await collectEventTypes('DELETE', `${rolesPath}/${MEMBER}`)).toEqual([
    `project-access-${kind}-roles-deleted`,
  ]);
  expect(await collectEventTypes('PUT', rolesPath, { roles: [MEMBER] })).toEqual(['project-access-added']);
  expect(await collectEventTypes('PUT', rolesPath, { roles: [] })).toEqual([
    `project-access-${kind}-roles-deleted`,
  ]);
});

test('replacing the roles of a user and a group records an update event for each', async () => {
  const updateTypes = ['project-access-user-roles-updated', 'project-access-group-roles-updated'];
  const holders = { users: [user], groups: [group] };
  await send('POST', `${PROJECT}/access`, { roles: [MEMBER], ...holders });

  const grantTypes = await collectEventTypes('POST', `${PROJECT}/access`, { roles: [OWNER], ...holders });
  await send('PUT', `${PROJECT}/users/${user}/roles/${OWNER}`);
  await send('PUT', `${PROJECT}/groups/${group}/roles/${OWNER}`);
  const roleGrantTypes = await collectEventTypes('POST', `${PROJECT}/role/${MEMBER}/access`, {
    users: [{ id: user }],
    groups: [{ id: group }],
  });

  expect(grantTypes).toEqual(expect.arrayContaining(updateTypes));
  expect(roleGrantTypes).toEqual(expect.arrayContaining(updateTypes));
});
