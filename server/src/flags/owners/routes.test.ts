import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import {
  makeFeature,
  makeMember,
  makeProject,
  makeUser,
  makeUserWith,
  type TestUser,
} from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
let ada: TestUser;
let ben: TestUser;
let group: number;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop', name: 'Shop' });
  [ada, ben] = [await makeUser(harness.db, 'Viewer', 'ada'), await makeUser(harness.db, 'Viewer', 'ben')];
  group = (await call(harness.app, 'POST', '/api/admin/groups', { body: { name: 'on-call' } })).body.id;
});

let count = 0;
async function makeFlag(): Promise<string> {
  const name = `flag-${count++}`;
  await makeFeature(harness.db, 'shop', { name });
  return name;
}

type Key = { type: string; id: number };
const ownersPath = (name: string) => `/api/admin/projects/shop/features/${name}/owners`;
const setOwners = (
  name: string,
  owners: Key[],
  options: { token?: string; headers?: Record<string, string> } = {},
) => call(harness.app, 'PUT', ownersPath(name), { body: { owners }, token: ADMIN_TOKEN, ...options });
const readOwners = (name: string, token = ADMIN_TOKEN) =>
  call(harness.app, 'GET', ownersPath(name), { token });
const readEvents = async (name: string) =>
  (
    await call(
      harness.app,
      'GET',
      `/api/admin/search/events?feature=IS:${name}&type=IS:feature-owners-updated`,
    )
  ).body.events;
const search = async (query: string) =>
  (
    await call(harness.app, 'GET', `/api/admin/search/features?sortBy=name&limit=100&${query}`)
  ).body.features.map(({ name }: { name: string }) => name);

const toOwner = (user: TestUser) => ({ type: 'user', id: user.id });

test('sets, reads and removes owners, and records each change', async () => {
  const name = await makeFlag();
  expect((await readOwners(name, ben.token)).body).toEqual({ owners: [] });

  const bothOwners = await setOwners(name, [{ type: 'group', id: group }, toOwner(ada)]);
  const oneOwner = await setOwners(name, [toOwner(ada)]);
  const noOwners = await setOwners(name, []);

  const [user, team] = [
    { type: 'user', id: ada.id, name: 'ada', login: 'ada', deactivated: false },
    { type: 'group', id: group, name: 'on-call', login: null, deactivated: false },
  ];
  expect([bothOwners.status, bothOwners.body]).toEqual([200, { owners: [user, team] }]);
  expect([oneOwner.body, noOwners.body]).toEqual([{ owners: [user] }, { owners: [] }]);
  const events = (await readEvents(name)).toReversed();
  expect(events).toMatchObject([
    { project: 'shop', data: { owners: [{ type: 'user', name: 'ada' }, { type: 'group' }] } },
    { data: { owners: [{ id: ada.id }] }, preData: { owners: [{ id: ada.id }, { id: group }] } },
    { data: { owners: [] } },
  ]);
  expect(events[0].preData).toEqual({ owners: [] });
});

test('shows an owner by name with the login, which is the name of a user without one', async () => {
  const name = await makeFlag();
  const fields = { username: null, email: null, rootRole: 'Viewer' as const };
  const dora = await makeUserWith(harness.db, { ...fields, name: 'Dora Weiss', username: 'dora' });
  const eva = await makeUserWith(harness.db, { ...fields, name: '', email: 'eva@example.com' });

  const { body } = await setOwners(name, [
    { type: 'user', id: dora.id },
    { type: 'user', id: eva.id },
  ]);

  expect(body.owners).toMatchObject([
    { name: 'Dora Weiss', login: 'dora' },
    { name: 'eva@example.com', login: 'eva@example.com' },
  ]);
});

test('setting the same owners in a different order, or with duplicates, changes and records nothing', async () => {
  const name = await makeFlag();
  await setOwners(name, [toOwner(ada), toOwner(ben)]);

  const response = await setOwners(name, [toOwner(ben), toOwner(ada), toOwner(ada)]);

  expect(response.body.owners.map(({ id }: { id: number }) => id)).toEqual([ada.id, ben.id]);
  expect(await readEvents(name)).toHaveLength(1);
});

test('rejects unknown users and groups with their paths, service accounts, and too many owners', async () => {
  const name = await makeFlag();
  const account = (
    await call(harness.app, 'POST', '/api/admin/service-account', {
      body: { name: 'bot', username: 'bot', rootRole: 3 },
    })
  ).body;

  const unknownOwners = await setOwners(name, [
    toOwner(ada),
    { type: 'user', id: 999_999 },
    { type: 'group', id: 999_999 },
  ]);
  const bot = await setOwners(name, [{ type: 'user', id: account.id }]);
  const tooManyOwners = await setOwners(
    name,
    Array.from({ length: 11 }, (_, id) => ({ type: 'user', id: id + 1 })),
  );

  expect(unknownOwners).toMatchObject({
    status: 400,
    body: {
      details: [
        { message: 'user 999999 does not exist', path: '/body/owners/1/id' },
        { message: 'group 999999 does not exist', path: '/body/owners/2/id' },
      ],
    },
  });
  expect([bot.status, tooManyOwners.status]).toEqual([400, 400]);
  expect((await readOwners(name)).body).toEqual({ owners: [] });
});

test('rejects callers without UPDATE_FEATURE, archived features and missing features', async () => {
  const name = await makeFlag();
  const member = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, 'shop', 'Member');

  expect((await setOwners(name, [toOwner(ada)], { token: ben.token })).status).toBe(403);
  expect((await setOwners(name, [toOwner(ada)], { token: member.token })).status).toBe(200);
  await call(harness.app, 'DELETE', `/api/admin/projects/shop/features/${name}`);
  expect((await setOwners(name, [])).status).toBe(403);
  expect([(await setOwners('nosuch', [])).status, (await readOwners('nosuch')).status]).toEqual([404, 404]);
});

test('rejects a change with an outdated ETag', async () => {
  const name = await makeFlag();
  const etag = String((await readOwners(name)).headers.etag);
  await setOwners(name, [toOwner(ada)]);

  const outdated = await setOwners(name, [toOwner(ben)], { headers: { 'if-match': etag } });
  const current = await setOwners(name, [toOwner(ben)], {
    headers: { 'if-match': String((await readOwners(name)).headers.etag) },
  });

  expect([outdated.status, current.status]).toEqual([412, 200]);
});

test('searches for flags with one owner, with any of several owners, or without an owner', async () => {
  await makeProject(harness.db, { id: 'filtered' });
  const project = 'project=IS:filtered';
  for (const [name, owners] of [
    ['a-ada', [toOwner(ada)]],
    ['b-team', [{ type: 'group', id: group }]],
    ['c-both', [toOwner(ada), toOwner(ben)]],
    ['d-none', []],
  ] as const) {
    await makeFeature(harness.db, 'filtered', { name });
    await call(harness.app, 'PUT', `/api/admin/projects/filtered/features/${name}/owners`, {
      body: { owners },
    });
  }

  expect(await search(`${project}&owner=IS:user:${ada.id}`)).toEqual(['a-ada', 'c-both']);
  expect(await search(`${project}&owner=IS_ANY_OF:user:${ben.id},group:${group}`)).toEqual([
    'b-team',
    'c-both',
  ]);
  expect(await search(`${project}&owner=IS_NOT:user:${ada.id}`)).toEqual(['b-team', 'd-none']);
  expect(await search(`${project}&owner=IS:none`)).toEqual(['d-none']);
  expect(await search(`${project}&owner=IS_NOT:none`)).toEqual(['a-ada', 'b-team', 'c-both']);
  const invalidSearch = await call(harness.app, 'GET', '/api/admin/search/features?owner=IS:ada');
  expect([invalidSearch.status, invalidSearch.body.details[0].path]).toEqual([400, '/query/owner']);
});

test('reports flags without an owner only in projects where other flags have one', async () => {
  await makeProject(harness.db, { id: 'checked' });
  await makeFeature(harness.db, 'checked', { name: 'owned' });
  await makeFeature(harness.db, 'checked', { name: 'orphan' });
  const readHealth = async () =>
    (await call(harness.app, 'GET', '/api/admin/projects/checked/health?rule=IS:no-owner')).body;

  expect((await readHealth()).findings).toEqual([]);
  await call(harness.app, 'PUT', '/api/admin/projects/checked/features/owned/owners', {
    body: { owners: [toOwner(ada)] },
  });

  expect(await readHealth()).toMatchObject({
    health: 100,
    findings: [{ rule: 'no-owner', feature: 'orphan' }],
  });
});

test('lists what a user owns, and keeps a deactivated user but not a deleted user as an owner', async () => {
  const leaver = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, leaver, 'shop', 'Owner');
  const name = await makeFlag();
  await setOwners(name, [toOwner(leaver), toOwner(ada)]);
  const readOwnedResources = () => call(harness.app, 'GET', `/api/admin/user-admin/${leaver.id}/owned`);

  expect((await readOwnedResources()).body).toEqual({
    features: [{ name, project: 'shop', owners: 2 }],
    featureCount: 1,
    projects: [{ id: 'shop', name: 'Shop' }],
    projectCount: 1,
  });
  await call(harness.app, 'POST', `/api/admin/user-admin/${leaver.id}/deactivate`);
  expect((await readOwners(name)).body.owners).toContainEqual(
    expect.objectContaining({ id: leaver.id, deactivated: true }),
  );
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${leaver.id}`);

  expect((await readOwnedResources()).status).toBe(404);
  expect((await readOwners(name)).body.owners.map(({ id }: { id: number }) => id)).toEqual([ada.id]);
});

test('deleting a group removes it from the owners, and a copy of a flag has no owners', async () => {
  const name = await makeFlag();
  const { id } = (await call(harness.app, 'POST', '/api/admin/groups', { body: { name: 'brief' } })).body;
  await setOwners(name, [{ type: 'group', id }]);
  const clone = await call(harness.app, 'POST', `/api/admin/projects/shop/features/${name}/clone`, {
    body: { name: `${name}-copy` },
  });

  await call(harness.app, 'DELETE', `/api/admin/groups/${id}`);

  expect(clone.status).toBe(200);
  expect((await readOwners(`${name}-copy`)).body).toEqual({ owners: [] });
  expect((await readOwners(name)).body).toEqual({ owners: [] });
});

test('waits for a concurrent deletion of a user, and then rejects the user as an owner', async () => {
  const name = await makeFlag();
  const leaver = await makeUser(harness.db, 'Viewer');
  // A different server has deleted the user but has not committed yet.
  const transaction = await harness.db.startTransaction().execute();
  await sql`update users set deleted_at = now() where id = ${leaver.id}`.execute(transaction);

  const pendingChange = setOwners(name, [toOwner(leaver)]);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await transaction.commit().execute();

  expect((await pendingChange).status).toBe(400);
});
