import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PROJECT_ROLES, ROOT_ROLES } from '../../access/roles.ts';
import { makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { MAX_PERSONAL_TOKENS } from '../users/personal-tokens.ts';

const harness = useHarness();

const NEXT_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();
let accountCount = 0;
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object) =>
  call(harness.app, method, `/api/admin/service-account${path}`, body ? { body } : {});
const create = async (rootRole: number = ROOT_ROLES.Viewer) =>
  (await send('POST', '', { name: `Robot ${++accountCount}`, username: `robot-${accountCount}`, rootRole }))
    .body;
const addToken = (id: number, description = 'pipeline') =>
  send('POST', `/${id}/token`, { description, expiresAt: NEXT_YEAR });
const readEvents = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body.events;

test('creates, lists, updates and deletes a service account, and records each change', async () => {
  const creation = await send('POST', '', { name: 'Deployer', username: 'deploy', rootRole: 3 });
  const { id } = creation.body;
  const list = (await send('GET')).body;
  const update = await send('PUT', `/${id}`, { name: 'Deployments', rootRole: 2 });
  const deletion = await send('DELETE', `/${id}`);

  expect([creation.status, update.status, deletion.status]).toEqual([201, 200, 200]);
  expect(creation.body).toEqual({
    id,
    isAPI: true,
    name: 'Deployer',
    username: 'deploy',
    rootRole: 3,
    readsTokenSecrets: false,
    createdAt: expect.any(String),
    tokens: [],
  });
  expect(list.serviceAccounts).toEqual([creation.body]);
  expect(list.rootRoles.map((role: { name: string }) => role.name)).toEqual(['Admin', 'Editor', 'Viewer']);
  const createdData = { id, name: 'Deployer', username: 'deploy', rootRole: 3, readsTokenSecrets: false };
  const updatedData = { ...createdData, name: 'Deployments', rootRole: 2 };
  expect((await readEvents('type=IS:service-account-created'))[0].data).toEqual(createdData);
  expect((await readEvents('type=IS:service-account-updated'))[0]).toMatchObject({
    data: updatedData,
    preData: createdData,
  });
  expect((await readEvents('type=IS:service-account-deleted'))[0].preData).toEqual(updatedData);
  expect((await send('GET')).body.serviceAccounts).toEqual([]);
  expect((await send('PUT', `/${id}`, {})).status).toBe(404);
});

test('creates a token that acts as the account, shows its secret once and stores only its hash', async () => {
  const { id, username } = await create(ROOT_ROLES.Editor);

  const tokenResponse = await addToken(id);
  const { secret } = tokenResponse.body;
  const me = await call(harness.app, 'GET', '/api/admin/user', { token: secret });
  const write = await call(harness.app, 'POST', '/api/admin/tag-types', {
    token: secret,
    body: { name: 'made-by-robot' },
  });
  const tokenList = await send('GET', `/${id}/token`);

  expect(tokenResponse.status).toBe(201);
  expect(secret).toMatch(/^user:hys_[0-9A-Za-z]{49}$/);
  expect(me.body.user).toMatchObject({ id, isAPI: true });
  expect(write.status).toBe(201);
  expect(tokenList.body.pats).toEqual(
    [{ ...tokenResponse.body, secret: undefined, seenAt: expect.anything() }].map(
      ({ secret: _, ...token }) => token,
    ),
  );
  const [event] = await readEvents('limit=1');
  expect(event).toMatchObject({
    createdBy: username,
    createdByUserId: id,
    createdByKind: 'service-account',
  });
  const eventsText = JSON.stringify(await readEvents('limit=1000'));
  expect(eventsText).toContain('service-account-token-created');
  expect(eventsText).not.toContain(secret.slice(-12));
  const { rows } = await sql<{ row: string }>`
    select personal_access_tokens::text as row from personal_access_tokens where user_id = ${id}`.execute(
    harness.db,
  );
  expect(rows[0]?.row).not.toContain(secret.slice(-12));
});

test('rejects a deleted token and the tokens of a deleted account', async () => {
  const { id } = await create();
  const [first, second] = [(await addToken(id, 'one')).body, (await addToken(id, 'other')).body];
  const readStatus = async (token: string) =>
    (await call(harness.app, 'GET', '/api/admin/user', { token })).status;

  expect((await send('DELETE', `/${id}/token/${first.id}`)).status).toBe(200);
  expect([await readStatus(first.secret), await readStatus(second.secret)]).toEqual([401, 200]);
  expect((await send('DELETE', `/${id}/token/${first.id}`)).status).toBe(404);
  expect((await readEvents('type=IS:service-account-token-deleted'))[0].preData).toMatchObject({
    id: first.id,
    userId: id,
    description: 'one',
  });

  await send('DELETE', `/${id}`);
  expect(await readStatus(second.secret)).toBe(401);
});

test('changes when a token expires, and records only a change', async () => {
  const { id, username } = await create();
  const { secret, ...token } = (await addToken(id)).body;
  await sql`update personal_access_tokens set expires_at = now() where id = ${token.id}`.execute(harness.db);
  const readStatus = async () =>
    (await call(harness.app, 'GET', '/api/admin/user', { token: secret })).status;
  const statusBefore = await readStatus();

  const update = () => send('PUT', `/${id}/token/${token.id}`, { expiresAt: '2100-01-01T00:00:00.000Z' });
  const responses = [await update(), await update()];

  const updatedToken = { ...token, expiresAt: '2100-01-01T00:00:00.000Z' };
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [200, updatedToken],
    [200, updatedToken],
  ]);
  expect([statusBefore, await readStatus()]).toEqual([401, 200]);
  const events = await readEvents('type=IS:service-account-token-updated');
  const data = { id: token.id, description: 'pipeline', userId: id, username };
  expect(events).toMatchObject([
    {
      data: { ...data, expiresAt: updatedToken.expiresAt },
      preData: { ...data, expiresAt: expect.any(String) },
    },
  ]);
  expect(events[0].preData.expiresAt).not.toBe(updatedToken.expiresAt);
});

test.each([
  [{ expiresAt: '2020-01-01T00:00:00.000Z' }, '/body/expiresAt'],
  [{ expiresAt: null }, '/body/expiresAt'],
  [{ expiresAt: 'tomorrow' }, '/body/expiresAt'],
  [{}, '/body/expiresAt'],
])('rejects the token update %j', async (body, path) => {
  const { id } = await create();
  const token = (await addToken(id)).body;

  expect(await send('PUT', `/${id}/token/${token.id}`, body)).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
  expect((await send('GET', `/${id}/token`)).body.pats[0].expiresAt).toBe(NEXT_YEAR);
});

test('does not change or delete tokens of other accounts or of users', async () => {
  const [ownAccount, otherAccount] = [await create(), await create()];
  const user = await makeUser(harness.db, 'Viewer');
  const { id } = (await addToken(otherAccount.id)).body;
  const body = { expiresAt: NEXT_YEAR };

  expect((await send('DELETE', `/${ownAccount.id}/token/${id}`)).status).toBe(404);
  expect((await send('PUT', `/${ownAccount.id}/token/${id}`, body)).status).toBe(404);
  expect((await send('PUT', `/${user.id}/token/${id}`, body)).status).toBe(404);
  for (const [method, path] of [
    ['GET', `/${user.id}/token`],
    ['DELETE', `/${user.id}`],
    ['DELETE', `/${user.id}/token/1`],
  ] as const) {
    expect((await send(method, path)).status).toBe(404);
  }
});

test('does not list a service account as a user and rejects its login', async () => {
  const { id, username } = await create(ROOT_ROLES.Admin);
  const readAdmin = (path: string) => call(harness.app, 'GET', `/api/admin/user-admin${path}`);
  const password = 'a quite long and unguessable one 4711';

  const passwordChange = await call(harness.app, 'POST', `/api/admin/user-admin/${id}/change-password`, {
    body: { password },
  });
  const link = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', { body: { id } });
  const login = await call(harness.app, 'POST', '/auth/simple/login', {
    token: null,
    body: { username, password },
  });

  expect([passwordChange.status, link.status, login.status]).toEqual([404, 404, 401]);
  for (const path of ['', `/search?q=${username}`, '/access', '/inactive']) {
    expect(JSON.stringify((await readAdmin(path)).body)).not.toContain(username);
  }
  for (const path of [`/${id}`, `/${id}/permissions`]) expect((await readAdmin(path)).status).toBe(404);
  expect((await readAdmin('/admin-count')).body).toMatchObject({ password: 0, noPassword: 0, service: 1 });
  expect((await call(harness.app, 'DELETE', `/api/admin/user-admin/${id}`)).status).toBe(404);
  await send('DELETE', `/${id}`);
});

test('does not let a service account create a token for itself', async () => {
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
  expect(await send('POST', '', body)).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('rejects the username of a user, and uses the name as the username by default', async () => {
  const user = await makeUser(harness.db, 'Viewer');

  expect(await send('POST', '', { name: 'x', username: user.username, rootRole: 3 })).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError' },
  });
  expect((await send('POST', '', { name: 'Just a name', rootRole: 3 })).body.username).toBe('Just a name');
});

test('does not count an account as a member of a project, and records the loss of its roles and groups', async () => {
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

  await send('DELETE', `/${account.id}`);

  expect((await call(harness.app, 'GET', `${url}/access`)).body.users).toEqual([]);
  const [deletionEvent] = await readEvents('type=IS:service-account-deleted&limit=1');
  const groupedEvents = await readEvents(`groupId=IS:${deletionEvent.groupId}`);
  expect(
    groupedEvents.map((event: { type: string; project: string }) => [event.type, event.project]),
  ).toEqual([
    ['service-account-deleted', null],
    ['group-user-removed', null],
    ['project-access-user-roles-deleted', project.id],
  ]);
  expect(groupedEvents[1].preData).toMatchObject({ groupId: group.id, userId: account.id });
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

test('applies the token limit to concurrent requests', async () => {
  const { id } = await create();
  for (let tokens = 1; tokens < MAX_PERSONAL_TOKENS; tokens++) await addToken(id, `token ${tokens}`);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${id} for update`.execute(blocker);

  const responses = Promise.all([addToken(id, 'a'), addToken(id, 'b')]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  expect((await responses).map(response => response.status).toSorted()).toEqual([201, 400]);
});

test('rejects a grant to an account that a concurrent request deletes', async () => {
  const project = await makeProject(harness.db);
  const { id } = await create();
  const deletion = await harness.db.startTransaction().execute();
  await sql`update users set deleted_at = now() where id = ${id}`.execute(deletion);

  const grant = call(harness.app, 'POST', `/api/admin/projects/${project.id}/users/${id}/roles/6`);
  await waitForLockWaiters(harness.db);
  await deletion.commit().execute();

  expect((await grant).status).toBe(404);
});

test('rejects the login and the session of an account, even with a password hash', async () => {
  const person = await makePerson(harness.db);
  const browser = await logIn(harness.app, person.username);
  const readMe = () => browser.send('GET', '/api/admin/user');
  const statusBefore = (await readMe()).status;
  // The user becomes a service account in the database, because no operation can do this.
  await sql`update users set kind = 'service-account' where id = ${person.id}`.execute(harness.db);

  const responses = [await readMe(), await tryLogin(harness.app, person.username)];

  expect(statusBefore).toBe(200);
  expect(responses.map(({ status }) => status)).toEqual([401, 401]);
});
