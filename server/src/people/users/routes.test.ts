import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, makeUserWith } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { MAX_PERSONAL_TOKENS } from './personal-tokens.ts';

const harness = useHarness();

const NEXT_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();
const create = (token: string, description: string, expiresAt = NEXT_YEAR) =>
  call(harness.app, 'POST', '/api/admin/user/tokens', { token, body: { description, expiresAt } });

test('returns the authenticated user with their permissions, projects and environments', async () => {
  const user = await makeUser(harness.db, 'Viewer', 'vera');
  const project = await makeProject(harness.db, { id: 'veras' });
  await makeMember(harness.db, user, project.id, 'Member');

  const { body } = await call(harness.app, 'GET', '/api/admin/user', { token: `Bearer ${user.token}` });

  expect(body.user).toEqual({ id: user.id, name: 'vera', username: 'vera', email: null, isAPI: false });
  expect(body.permissions).toContainEqual({ permission: 'CREATE_FEATURE', project: 'veras' });
});

test('omits a permission that is limited to a different project than the one where the user has the role', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const [grantedProject, otherProject] = [await makeProject(harness.db), await makeProject(harness.db)];
  const role = await call(harness.app, 'POST', '/api/admin/roles', {
    body: { name: 'Elsewhere', type: 'custom', permissions: [{ name: 'CREATE_FEATURE' }] },
  });
  const { id } = role.body.roles;
  await sql`insert into user_roles (user_id, role_id, project) values (${user.id}, ${id}, ${grantedProject.id})`.execute(
    harness.db,
  );
  const listPermissions = async () =>
    (await call(harness.app, 'GET', '/api/admin/user', { token: user.token })).body.permissions;
  const create = () =>
    call(harness.app, 'POST', `/api/admin/projects/${otherProject.id}/features`, {
      token: user.token,
      body: {},
    });
  expect(await listPermissions()).toContainEqual({
    permission: 'CREATE_FEATURE',
    project: grantedProject.id,
  });

  await sql`update role_permissions set project = ${otherProject.id} where role_id = ${id}`.execute(
    harness.db,
  );

  expect((await create()).status).toBe(403);
  expect(await listPermissions()).not.toContainEqual(
    expect.objectContaining({ permission: 'CREATE_FEATURE' }),
  );
});

test('describes an admin token with the ADMIN permission and without a username', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/user');

  expect(body).toEqual({
    user: { id: -42, name: 'admin token admin', username: null, email: null, isAPI: true },
    permissions: [{ permission: 'ADMIN' }],
    feedback: [],
    splash: {},
  });
});

test('creates a personal token that acts as its owner, shows its secret once and is rejected after its deletion', async () => {
  const user = await makeUser(harness.db, 'Editor');

  const creation = await create(user.token, 'laptop');
  const { id, secret } = creation.body;
  const caller = await call(harness.app, 'GET', '/api/admin/user', { token: secret });
  const list = await call(harness.app, 'GET', '/api/admin/user/tokens', { token: user.token });
  const deletion = await call(harness.app, 'DELETE', `/api/admin/user/tokens/${id}`, { token: user.token });

  expect(creation.status).toBe(201);
  expect(secret).toMatch(/^user:hyp_[0-9A-Za-z]{49}$/);
  expect(caller.body.user.id).toBe(user.id);
  expect(list.body.pats.map((pat: object) => 'secret' in pat)).toEqual([false, false]);
  expect(deletion.status).toBe(200);
  expect((await call(harness.app, 'GET', '/api/admin/user', { token: secret })).status).toBe(401);
  const events = await call(harness.app, 'GET', `/api/admin/search/events?createdBy=IS:${user.id}&limit=2`);
  expect(events.body.events.map((event: { type: string }) => event.type)).toEqual([
    'pat-deleted',
    'pat-created',
  ]);
  expect(JSON.stringify(events.body)).not.toContain(secret.slice(-12));
});

test("does not delete a different user's token", async () => {
  const [owner, otherUser] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Admin')];
  const { id } = (await create(owner.token, 'mine')).body;

  expect(
    (await call(harness.app, 'DELETE', `/api/admin/user/tokens/${id}`, { token: otherUser.token })).status,
  ).toBe(404);
});

test.each([
  ['an empty description', { description: '', expiresAt: NEXT_YEAR }, '/body/description'],
  ['no expiry', { description: 'x' }, '/body/expiresAt'],
  ['an expiry in the past', { description: 'x', expiresAt: '2020-01-01T00:00:00Z' }, '/body/expiresAt'],
])('rejects a personal token with %s', async (_case, body, path) => {
  const user = await makeUser(harness.db, 'Viewer');

  const response = await call(harness.app, 'POST', '/api/admin/user/tokens', { token: user.token, body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError', details: [{ path }] } });
});

test('rejects a second token with the same description', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  await create(user.token, 'twice');

  expect(await create(user.token, 'twice')).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('an admin token cannot list personal tokens', async () => {
  const response = await call(harness.app, 'GET', '/api/admin/user/tokens');

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('rejects an expired personal token and a token of a deleted user', async () => {
  const [expiredUser, deletedUser] = [
    await makeUser(harness.db, 'Viewer'),
    await makeUser(harness.db, 'Viewer'),
  ];
  await sql`update personal_access_tokens set expires_at = now() where user_id = ${expiredUser.id}`.execute(
    harness.db,
  );
  await sql`update users set deleted_at = now() where id = ${deletedUser.id}`.execute(harness.db);

  for (const { token } of [expiredUser, deletedUser]) {
    expect((await call(harness.app, 'GET', '/api/admin/user', { token })).status).toBe(401);
  }
});

test('applies the personal token limit to concurrent requests', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  for (let number = 2; number < MAX_PERSONAL_TOKENS; number++) await create(user.token, `token ${number}`);
  // Without the lock on the user, both requests would count nine tokens.
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${user.id} for update`.execute(blocker);

  const responses = Promise.all([create(user.token, 'a'), create(user.token, 'b')]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  expect((await responses).map(response => response.status).toSorted()).toEqual([201, 400]);
  expect((await create(user.token, 'c')).body.name).toBe('ExceedsLimitError');
});

test('keeps usernames and email addresses unique case-insensitively', async () => {
  await makeUserWith(harness.db, {
    name: 'A',
    username: 'Alice',
    email: 'a@example.com',
    rootRole: 'Viewer',
  });

  const makeSecond = (username: string, email: string) =>
    makeUserWith(harness.db, { name: 'B', username, email, rootRole: 'Viewer' });

  await expect(makeSecond('aLICE', 'b@example.com')).rejects.toMatchObject({
    constraint: 'users_username_key',
  });
  await expect(makeSecond('bob', 'A@EXAMPLE.com')).rejects.toMatchObject({ constraint: 'users_email_key' });
});
