import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PROJECT_ROLES, ROOT_ROLES } from '../../access/roles.ts';
import { makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
import { MAX_PERSONAL_TOKENS } from '../users/personal-tokens.ts';

const harness = useHarness();

const NEXT_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();
let number = 0;
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object) =>
  call(harness.app, method, `/api/admin/service-account${path}`, body ? { body } : {});
const create = async (rootRole: number = ROOT_ROLES.Viewer) =>
  (await ask('POST', '', { name: `Robot ${++number}`, username: `robot-${number}`, rootRole })).body;
const addToken = (id: number, description = 'pipeline') =>
  ask('POST', `/${id}/token`, { description, expiresAt: NEXT_YEAR });
const events = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body.events;

test('creates, lists, updates and deletes a service account, and records each change', async () => {
  const created = await ask('POST', '', { name: 'Deployer', username: 'deploy', rootRole: 3 });
  const { id } = created.body;
  const listed = (await ask('GET')).body;
  const changed = await ask('PUT', `/${id}`, { name: 'Deployments', rootRole: 2 });
  const deleted = await ask('DELETE', `/${id}`);

  expect([created.status, changed.status, deleted.status]).toEqual([201, 200, 200]);
  expect(created.body).toEqual({
    id,
    isAPI: true,
    name: 'Deployer',
    username: 'deploy',
    rootRole: 3,
    readsTokenSecrets: false,
    createdAt: expect.any(String),
    tokens: [],
  });
  expect(listed.serviceAccounts).toEqual([created.body]);
  expect(listed.rootRoles.map((role: { name: string }) => role.name)).toEqual(['Admin', 'Editor', 'Viewer']);
  const recorded = { id, name: 'Deployer', username: 'deploy', rootRole: 3, readsTokenSecrets: false };
  const now = { ...recorded, name: 'Deployments', rootRole: 2 };
  expect((await events('type=IS:service-account-created'))[0].data).toEqual(recorded);
  expect((await events('type=IS:service-account-updated'))[0]).toMatchObject({
    data: now,
    preData: recorded,
  });
  expect((await events('type=IS:service-account-deleted'))[0].preData).toEqual(now);
  expect((await ask('GET')).body.serviceAccounts).toEqual([]);
  expect((await ask('PUT', `/${id}`, {})).status).toBe(404);
});

test('creates a token that acts as the account, shows its secret once, and stores its hash', async () => {
  const { id, username } = await create(ROOT_ROLES.Editor);

  const created = await addToken(id);
  const { secret } = created.body;
  const me = await call(harness.app, 'GET', '/api/admin/user', { token: secret });
  const made = await call(harness.app, 'POST', '/api/admin/tag-types', {
    token: secret,
    body: { name: 'made-by-robot' },
  });
  const listed = await ask('GET', `/${id}/token`);

  expect(created.status).toBe(201);
  expect(secret).toMatch(/^user:hys_[0-9A-Za-z]{49}$/);
  expect(me.body.user).toMatchObject({ id, isAPI: true });
  expect(made.status).toBe(201);
  expect(listed.body.pats).toEqual(
    [{ ...created.body, secret: undefined, seenAt: expect.anything() }].map(
      ({ secret: _, ...token }) => token,
    ),
  );
  const [event] = await events('limit=1');
  expect(event).toMatchObject({
    createdBy: username,
    createdByUserId: id,
    createdByKind: 'service-account',
  });
  const all = JSON.stringify(await events('limit=1000'));
  expect(all).toContain('service-account-token-created');
  expect(all).not.toContain(secret.slice(-12));
  const { rows } = await sql<{ row: string }>`
    select personal_access_tokens::text as row from personal_access_tokens where user_id = ${id}`.execute(
    harness.db,
  );
  expect(rows[0]?.row).not.toContain(secret.slice(-12));
});

test('rejects a deleted token and the tokens of a deleted account', async () => {
  const { id } = await create();
  const [one, other] = [(await addToken(id, 'one')).body, (await addToken(id, 'other')).body];
  const ask401 = async (token: string) =>
    (await call(harness.app, 'GET', '/api/admin/user', { token })).status;

  expect((await ask('DELETE', `/${id}/token/${one.id}`)).status).toBe(200);
  expect([await ask401(one.secret), await ask401(other.secret)]).toEqual([401, 200]);
  expect((await ask('DELETE', `/${id}/token/${one.id}`)).status).toBe(404);
  expect((await events('type=IS:service-account-token-deleted'))[0].preData).toMatchObject({
    id: one.id,
    userId: id,
    description: 'one',
  });

  await ask('DELETE', `/${id}`);
  expect(await ask401(other.secret)).toBe(401);
});

test('rejects the deletion of tokens of other accounts and of users', async () => {
  const [mine, theirs] = [await create(), await create()];
  const user = await makeUser(harness.db, 'Viewer');
  const { id } = (await addToken(theirs.id)).body;

  expect((await ask('DELETE', `/${mine.id}/token/${id}`)).status).toBe(404);
  for (const [method, path] of [
    ['GET', `/${user.id}/token`],
    ['DELETE', `/${user.id}`],
    ['DELETE', `/${user.id}/token/1`],
  ] as const) {
    expect((await ask(method, path)).status).toBe(404);
  }
});

test('does not list a service account as a user, and rejects its login', async () => {
  const { id, username } = await create(ROOT_ROLES.Admin);
  const admin = (path: string) => call(harness.app, 'GET', `/api/admin/user-admin${path}`);
  const password = 'a quite long and unguessable one 4711';

  const changed = await call(harness.app, 'POST', `/api/admin/user-admin/${id}/change-password`, {
    body: { password },
  });
  const link = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', { body: { id } });
  const login = await call(harness.app, 'POST', '/auth/simple/login', {
    token: null,
    body: { username, password },
  });

  expect([changed.status, link.status, login.status]).toEqual([404, 404, 401]);
  for (const path of ['', `/search?q=${username}`, '/access', '/inactive']) {
    expect(JSON.stringify((await admin(path)).body)).not.toContain(username);
  }
  for (const path of [`/${id}`, `/${id}/permissions`]) expect((await admin(path)).status).toBe(404);
  expect((await admin('/admin-count')).body).toMatchObject({ password: 0, noPassword: 0, service: 1 });
  expect((await call(harness.app, 'DELETE', `/api/admin/user-admin/${id}`)).status).toBe(404);
  await ask('DELETE', `/${id}`);
});

test('rejects a token that a service account creates for itself', async () => {
  const { id } = await create(ROOT_ROLES.Admin);
  const { secret } = (await addToken(id)).body;

  const response = await call(harness.app, 'POST', '/api/admin/user/tokens', {
    token: secret,
    body: { description: 'another', expiresAt: NEXT_YEAR },
  });

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test.each([
  [{ username: 'x' }, '/body/rootRole'],
  [{ rootRole: 3 }, '/body/name'],
  [{ name: 'x', rootRole: 4 }, '/body/rootRole'],
  [{ name: 'x', rootRole: 999_999 }, '/body/rootRole'],
  [{ name: ' ', rootRole: 3 }, '/body/name'],
])('rejects %j', async (body, path) => {
  expect(await ask('POST', '', body)).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('keeps usernames unique among users and accounts, with the name as default', async () => {
  const user = await makeUser(harness.db, 'Viewer');

  expect(await ask('POST', '', { name: 'x', username: user.username, rootRole: 3 })).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError' },
  });
  expect((await ask('POST', '', { name: 'Just a name', rootRole: 3 })).body.username).toBe('Just a name');
});

test('does not count an account as member of a project, and records the loss of its roles and groups', async () => {
  const project = await makeProject(harness.db, { mode: 'private' });
  const account = await create();
  const { secret } = (await addToken(account.id)).body;
  const group = (
    await call(harness.app, 'POST', '/api/admin/groups', {
      body: { name: 'Robots', users: [{ user: { id: account.id } }] },
    })
  ).body;
  const url = `/api/admin/projects/${project.id}`;
  await call(harness.app, 'POST', `${url}/users/${account.id}/roles/${PROJECT_ROLES.Reader}`);

  expect((await call(harness.app, 'GET', url, { token: secret })).status).toBe(200);
  expect((await call(harness.app, 'GET', url)).body.members).toBe(0);
  expect((await call(harness.app, 'GET', `${url}/access`)).body.users).toMatchObject([
    { id: account.id, isAPI: true },
  ]);

  await ask('DELETE', `/${account.id}`);

  expect((await call(harness.app, 'GET', `${url}/access`)).body.users).toEqual([]);
  const [last] = await events('type=IS:service-account-deleted&limit=1');
  const together = await events(`groupId=IS:${last.groupId}`);
  expect(together.map((event: { type: string; project: string }) => [event.type, event.project])).toEqual([
    ['service-account-deleted', null],
    ['group-user-removed', null],
    ['project-access-user-roles-deleted', project.id],
  ]);
  expect(together[1].preData).toMatchObject({ groupId: group.id, userId: account.id });
});

test('makes an account the owner of a project that it creates', async () => {
  const { id } = await create(ROOT_ROLES.Editor);
  const { secret } = (await addToken(id)).body;

  const { body } = await call(harness.app, 'POST', '/api/admin/projects', {
    token: secret,
    body: { name: 'Made by a robot' },
  });

  const access = await call(harness.app, 'GET', `/api/admin/projects/${body.id}/access`);
  expect(access.body.users).toMatchObject([{ id, roles: [PROJECT_ROLES.Owner] }]);
});

test('applies the limit of tokens to concurrent requests', async () => {
  const { id } = await create();
  for (let made = 1; made < MAX_PERSONAL_TOKENS; made++) await addToken(id, `token ${made}`);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${id} for update`.execute(blocker);

  const both = Promise.all([addToken(id, 'a'), addToken(id, 'b')]);
  await untilWaiting(harness.db, 2);
  await blocker.rollback().execute();

  expect((await both).map(response => response.status).toSorted()).toEqual([201, 400]);
});

test('rejects a grant to an account that a concurrent request deletes', async () => {
  const project = await makeProject(harness.db);
  const { id } = await create();
  const deleting = await harness.db.startTransaction().execute();
  await sql`update users set deleted_at = now() where id = ${id}`.execute(deleting);

  const grant = call(harness.app, 'POST', `/api/admin/projects/${project.id}/users/${id}/roles/6`);
  await untilWaiting(harness.db);
  await deleting.commit().execute();

  expect((await grant).status).toBe(404);
});

test('rejects the login and the session of an account, even with a password hash', async () => {
  const person = await makePerson(harness.db);
  const browser = await logIn(harness.app, person.username);
  const me = () => browser.ask('GET', '/api/admin/user');
  const before = (await me()).status;
  // Turns a user into a service account, which no operation does.
  await sql`update users set kind = 'service-account' where id = ${person.id}`.execute(harness.db);

  const responses = [await me(), await tryLogin(harness.app, person.username)];

  expect(before).toBe(200);
  expect(responses.map(({ status }) => status)).toEqual([401, 401]);
});
