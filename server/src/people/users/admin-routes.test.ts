import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ROOT_ROLES } from '../../access/roles.ts';
import { makeMember, makePerson, makeProject, makeUser, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';
import { INACTIVE_DAYS } from './remove.ts';

const harness = useHarness();

const USERS = '/api/admin/user-admin';
const create = (body: unknown, token?: string) =>
  call(harness.app, 'POST', USERS, { body, ...(token === undefined ? {} : { token }) });
const get = (path: string, token?: string) =>
  call(harness.app, 'GET', `${USERS}${path}`, token === undefined ? {} : { token });
const update = (id: number, body: unknown) => call(harness.app, 'PUT', `${USERS}/${id}`, { body });
const remove = (id: number) => call(harness.app, 'DELETE', `${USERS}/${id}`);

const getErrorPaths = (response: ApiResponse) =>
  response.body.details.map((detail: { path: string }) => detail.path).toSorted();

const readLastEvent = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}&limit=1`)).body.events[0];

const makeGroup = async (name: string, users: number[], rootRole?: number) =>
  (
    await call(harness.app, 'POST', '/api/admin/groups', {
      body: {
        name,
        users: users.map(id => ({ user: { id } })),
        ...(rootRole === undefined ? {} : { rootRole }),
      },
    })
  ).body;

/** Revokes the Admin role from all users, so that a test creates the only admin. */
const demoteAll = () => sql`delete from user_roles where role_id = ${ROOT_ROLES.Admin}`.execute(harness.db);

test('creates a user with a password, who can log in, and shows no password in lists and events', async () => {
  const fields = { username: 'alice', email: 'alice@example.com', name: 'Alice Moreau' };

  const creation = await create({
    ...fields,
    password: PASSWORD,
    rootRole: 2,
    sendEmail: true,
    imageUrl: null,
  });

  const { id } = creation.body;
  expect(creation).toMatchObject({
    status: 201,
    body: { ...fields, rootRole: 2, isAPI: false, emailSent: false },
  });
  expect(creation.body.inviteLink).toBeUndefined();
  expect(JSON.stringify(creation.body)).not.toContain(PASSWORD);
  const { createdAt, imageUrl } = creation.body;
  const user = {
    ...fields,
    id,
    rootRole: 2,
    isAPI: false,
    accountType: 'User',
    imageUrl,
    seenAt: null,
    deactivatedAt: null,
    createdAt,
  };
  expect((await get(`/${id}`)).body).toEqual(user);
  const list = (await get('')).body;
  expect(list.users).toContainEqual({
    ...user,
    hasPassword: true,
    hasSingleSignOn: false,
    invitedUntil: null,
    groups: [],
  });
  expect(list.rootRoles.map((role: { name: string }) => role.name)).toEqual(['Admin', 'Editor', 'Viewer']);
  const event = await readLastEvent('user-created');
  expect(event).toMatchObject({ data: { id, ...fields, rootRole: 2 }, preData: null });
  expect(event.summary).toBe('**admin token admin** created user **alice**');
  expect((await tryLogin(harness.app, 'alice@example.com')).body.id).toBe(id);
  expect((await get(`/${id}`)).body.seenAt).not.toBeNull();
});

test('lists groups and how users log in', async () => {
  const { id } = (await create({ email: 'invited@example.com', rootRole: 'Viewer' })).body;
  await makeGroup('Zoo', [id]);
  await makeGroup('Ant hill', [id]);
  const readListed = async () => (await get('')).body.users.find((user: { id: number }) => user.id === id);

  const invitedUser = await readListed();
  await sql`update password_links set expires_at = now() where user_id = ${id}`.execute(harness.db);
  const expiredUser = await readListed();
  await sql`
    insert into sso_identities (issuer, client_id, subject, user_id)
    values ('https://id.example.com', 'halyard', 'invited', ${id})`.execute(harness.db);
  const linkedUser = await readListed();

  expect(invitedUser).toMatchObject({
    hasPassword: false,
    hasSingleSignOn: false,
    groups: ['Ant hill', 'Zoo'],
  });
  expect(Date.parse(invitedUser.invitedUntil)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  expect(expiredUser.invitedUntil).toBeNull();
  expect(linkedUser.hasSingleSignOn).toBe(true);
});

test('creates a user without a password and returns a link that sets a password', async () => {
  const { body } = await create({ email: 'nora@example.com', rootRole: 'Viewer' });

  const link = new URL(body.inviteLink);
  const token = link.searchParams.get('token') ?? '';
  const passwordSet = await call(harness.app, 'POST', '/auth/reset/password', {
    token: null,
    body: { token, password: PASSWORD },
  });

  expect(body).toMatchObject({ rootRole: 3, name: null, username: null });
  expect(link.origin + link.pathname).toBe('http://localhost:4242/new-user');
  expect(token).toMatch(/^hyl_\w{49}$/);
  expect(passwordSet.status).toBe(200);
  expect((await tryLogin(harness.app, 'nora@example.com')).body).toMatchObject({ name: 'nora@example.com' });
  const { rows } = await sql`select from events where data::text like ${`%${token.slice(4, 20)}%`}`.execute(
    harness.db,
  );
  expect(rows).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['neither username nor email', { rootRole: 3 }, ['/body/username']],
  [
    'an empty username and an empty email address',
    { username: '', email: '', rootRole: 3 },
    ['/body/username'],
  ],
  ['no root role', { username: 'x' }, ['/body/rootRole']],
  ['a root role that does not exist', { username: 'x', rootRole: 9_999 }, ['/body/rootRole']],
  ['a project role', { username: 'x', rootRole: 'Owner' }, ['/body/rootRole']],
  ['an invalid email address', { email: 'x', rootRole: 3 }, ['/body/email']],
  ['a username with whitespace around it', { username: ' x', rootRole: 3 }, ['/body/username']],
  [
    "a username that is somebody else's email address",
    { username: 'y@example.com', email: 'x@example.com', rootRole: 3 },
    ['/body/username'],
  ],
  [
    'a weak password with the name in it, and no valid username',
    { username: 'a@b', email: 'x@example.com', password: 'short', rootRole: 3 },
    ['/body/password', '/body/username'],
  ],
  ['a common password', { username: 'x', password: 'Password1234!', rootRole: 3 }, ['/body/password']],
  [
    'the username as password',
    { username: 'sherlockholmes', password: 'SherlockHolmes-221b', rootRole: 3 },
    ['/body/password'],
  ],
])('rejects %s', async (_case, body, paths) => {
  const response = await create(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(getErrorPaths(response)).toEqual(paths);
});

test('rejects a taken username or email address until its user is deleted', async () => {
  const firstUser = await create({ username: 'Mara', email: 'mara@example.com', rootRole: 3 });

  expect(await create({ username: 'mARA', rootRole: 3 })).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError' },
  });
  expect((await create({ email: 'MARA@example.com', rootRole: 3 })).status).toBe(409);
  await remove(firstUser.body.id);
  const secondUser = await create({ username: 'mara', email: 'mara@example.com', rootRole: 3 });

  expect(secondUser.status).toBe(201);
  expect(secondUser.body.id).not.toBe(firstUser.body.id);
});

test('the image of a user without a username is derived from the email address', async () => {
  const { id, imageUrl } = (await create({ email: 'image-1@example.com', rootRole: 3 })).body;

  const updated = (await update(id, { email: 'image-2@example.com' })).body;

  expect(imageUrl).toMatch(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?/);
  expect(updated.imageUrl).not.toBe(imageUrl);
  expect((await get(`/${id}`)).body.imageUrl).toBe(updated.imageUrl);
});

test('updates only the given fields and records the state before and after', async () => {
  const { id } = (await create({ username: 'petra', email: 'p@example.com', name: 'P', rootRole: 3 })).body;

  const response = await update(id, { name: 'Petra', rootRole: 'Editor' });

  expect(response).toMatchObject({
    status: 200,
    body: { name: 'Petra', email: 'p@example.com', rootRole: 2 },
  });
  expect(await readLastEvent('user-updated')).toMatchObject({
    data: { id, name: 'Petra', username: 'petra', email: 'p@example.com', rootRole: 2 },
    preData: { id, name: 'P', username: 'petra', email: 'p@example.com', rootRole: 3 },
  });
});

test('records nothing for an update without a change', async () => {
  const { id } = (await create({ username: 'same', name: 'Same', rootRole: 3 })).body;
  const newestEventId = (await readLastEvent('user-updated')).id;

  expect((await update(id, { name: 'Same', email: '', rootRole: '3' })).status).toBe(200);
  expect((await update(id, {})).status).toBe(200);

  expect((await readLastEvent('user-updated')).id).toBe(newestEventId);
});

test('rejects an update with invalid fields, with a taken email address or of an unknown user', async () => {
  const { id } = (await create({ email: 'only@example.com', rootRole: 3 })).body;
  await create({ email: 'taken@example.com', rootRole: 3 });

  expect(getErrorPaths(await update(id, { email: null }))).toEqual(['/body/email']);
  expect((await update(id, { email: 'TAKEN@example.com' })).status).toBe(409);
  expect(getErrorPaths(await update(id, { rootRole: 77 }))).toEqual(['/body/rootRole']);
  expect((await update(999_999, { name: 'x' })).status).toBe(404);
  expect((await get('/999999')).status).toBe(404);
  expect((await remove(999_999)).status).toBe(404);
});

test('revoking a role takes effect on a second server immediately', async () => {
  const secondServer = await harness.secondServer();
  await makeUser(harness.db, 'Admin');
  const admin = await makeUser(harness.db, 'Admin');
  const list = () => call(secondServer, 'GET', USERS, { token: admin.token });
  expect((await list()).status).toBe(200);

  await update(admin.id, { rootRole: 'Viewer' });

  expect((await list()).status).toBe(403);
});

test('removes a deleted user everywhere except in events', async () => {
  const user = await makeUser(harness.db, 'Editor', 'quentin');
  const project = await makeProject(harness.db);
  await makeMember(harness.db, user, project.id, 'Member');
  await call(harness.app, 'POST', '/api/admin/tag-types', { token: user.token, body: { name: 'quentins' } });

  expect((await remove(user.id)).status).toBe(200);

  expect((await call(harness.app, 'GET', '/api/admin/user', { token: user.token })).status).toBe(401);
  expect((await get(`/${user.id}`)).status).toBe(404);
  expect((await remove(user.id)).status).toBe(404);
  expect((await get('/search?q=quentin')).body).toEqual([]);
  expect((await call(harness.app, 'GET', `/api/admin/projects/${project.id}`)).body.members).toBe(0);
  expect(await readLastEvent('tag-type-created')).toMatchObject({
    createdBy: 'quentin',
    createdByUserId: user.id,
  });
  expect(await readLastEvent('user-deleted')).toMatchObject({
    data: null,
    preData: { id: user.id, username: 'quentin', rootRole: 2 },
  });
  const creators = await call(harness.app, 'GET', '/api/admin/event-creators');
  expect(creators.body).toContainEqual(expect.objectContaining({ id: user.id, name: 'quentin' }));
});

test('rejects deleting or demoting the last admin, but no other user', async () => {
  await demoteAll();
  const viewer = await makeUser(harness.db, 'Viewer');
  expect((await remove(viewer.id)).status).toBe(200);
  const lastAdmin = await makeUser(harness.db, 'Admin');

  const rejections = [await remove(lastAdmin.id), await update(lastAdmin.id, { rootRole: 3 })];

  for (const response of rejections) {
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  }
  expect((await update(lastAdmin.id, { name: 'Still here' })).status).toBe(200);
  const otherAdmin = await makeUser(harness.db, 'Admin');
  expect((await remove(lastAdmin.id)).status).toBe(200);
  expect((await remove(otherAdmin.id)).status).toBe(403);
});

test('keeps one of the last two admins if both are removed at the same time', async () => {
  await demoteAll();
  const [first, second] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  // Both requests wait for this lock. If they did not take it, both would count two admins.
  const blocker = await harness.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(blocker);

  const responses = Promise.all([remove(first.id), update(second.id, { rootRole: 'Viewer' })]);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(2);
  await blocker.rollback().execute();

  expect((await responses).map(({ status }) => status).toSorted()).toEqual([200, 403]);
});

test('a deletion waits for a concurrent role change, and then keeps the last admin', async () => {
  await demoteAll();
  const [demoted, removed] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  // A different server has demoted one of the admins but has not committed yet.
  const otherTransaction = await harness.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(otherTransaction);
  await sql`update user_roles set role_id = 3 where user_id = ${demoted.id}`.execute(otherTransaction);

  const removal = remove(removed.id);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await otherTransaction.commit().execute();

  expect((await removal).status).toBe(403);
});

test('searches for substrings of names, case-insensitively and without wildcards, exact matches first', async () => {
  await create({ username: 'zoe-the-first', rootRole: 3 });
  await create({ username: 'zoe', email: 'z%_@example.com', name: 'Zoé', rootRole: 3 });
  const viewer = await makeUser(harness.db, 'Viewer');
  const search = async (q: string) =>
    (await get(`/search?q=${encodeURIComponent(q)}`, viewer.token)).body.map((user: Person) => user.username);
  type Person = { username: string };

  expect(await search('ZOE')).toEqual(['zoe', 'zoe-the-first']);
  expect(await search('%_@')).toEqual(['zoe']);
  expect(await search('%')).toEqual(['zoe']);
  expect((await get('/search', viewer.token)).body).toEqual([]);
  expect((await get('/search?q=', viewer.token)).body).toEqual([]);
});

test('shows the access candidates to everyone', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const group = await makeGroup('Choosable', [viewer.id]);

  const { status, body } = await get('/access', viewer.token);

  expect(status).toBe(200);
  expect(body.groups).toContainEqual({ id: group.id, name: 'Choosable', description: null, userCount: 1 });
  expect(body.users).toContainEqual({
    id: viewer.id,
    name: viewer.username,
    username: viewer.username,
    email: null,
  });
});

test('counts admins with and without a password', async () => {
  await demoteAll();
  await makeUser(harness.db, 'Admin');
  await makePerson(harness.db, 'Admin');
  await makePerson(harness.db, 'Editor');

  expect((await get('/admin-count')).body).toEqual({ password: 1, noPassword: 1, service: 0 });
});

test('shows the permissions of a user on the instance, in a project and in an environment', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const project = await makeProject(harness.db);
  await makeMember(harness.db, user, project.id, 'Member');

  const { body } = await get(`/${user.id}/permissions?project=${project.id}&environment=production`);

  const hasPermission = (scope: 'root' | 'project' | 'environment', name: string) =>
    body.overview[scope].find((item: { name: string }) => item.name === name).hasPermission;
  expect([hasPermission('root', 'CREATE_PROJECT'), hasPermission('root', 'ADMIN')]).toEqual([true, false]);
  expect([hasPermission('project', 'CREATE_FEATURE'), hasPermission('project', 'DELETE_PROJECT')]).toEqual([
    true,
    false,
  ]);
  expect(hasPermission('environment', 'UPDATE_FEATURE_ENVIRONMENT')).toBe(true);
  expect(body.rootRole.name).toBe('Editor');
  expect(body.projectRoles).toMatchObject([{ name: 'Member', project: project.id }]);
  expect(body.user.id).toBe(user.id);
  const otherProject = (await get(`/${user.id}/permissions?project=other`)).body;
  expect(otherProject.overview.project.some((item: { hasPermission: boolean }) => item.hasPermission)).toBe(
    false,
  );
  expect(otherProject.projectRoles).toEqual([]);
});

test('ends the sessions of a user whose password an admin sets', async () => {
  const { id, username } = await makePerson(harness.db);
  const browser = await logIn(harness.app, username);
  const password = 'another staple battery horse';

  const response = await call(harness.app, 'POST', `${USERS}/${id}/change-password`, { body: { password } });

  expect(response.status).toBe(200);
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(401);
  expect((await tryLogin(harness.app, username)).status).toBe(401);
  expect((await tryLogin(harness.app, username, password)).status).toBe(200);
  const event = await readLastEvent('user-password-changed');
  expect(event).toMatchObject({ createdBy: 'admin token admin', data: { id, username }, preData: null });
  expect(Object.keys(event.data)).toEqual(['id', 'name', 'email', 'username']);
});

test.each([
  ['a weak password', { password: 'secret' }, '/body/password'],
  ['a confirmation that differs', { password: PASSWORD, confirmPassword: 'x' }, '/body/confirmPassword'],
])('rejects a new password with %s', async (_case, body, path) => {
  const { id } = await makeUser(harness.db, 'Viewer');

  expect(getErrorPaths(await call(harness.app, 'POST', `${USERS}/${id}/change-password`, { body }))).toEqual([
    path,
  ]);
  expect(
    (await call(harness.app, 'POST', `${USERS}/999999/change-password`, { body: { password: PASSWORD } }))
      .status,
  ).toBe(404);
});

test('lists users who have not used a session or token for 180 days as inactive, and deletes no other users', async () => {
  const [freshUser, oldUser, unseenUser, activeUser] = [
    await makeUser(harness.db, 'Viewer'),
    await makeUser(harness.db, 'Viewer'),
    await makeUser(harness.db, 'Viewer'),
    await makeUser(harness.db, 'Viewer'),
  ];
  await sql`update users set created_at = now() - interval '1 year' where id = any(${[oldUser.id, unseenUser.id, activeUser.id]})`.execute(
    harness.db,
  );
  await sql`update users set seen_at = now() - make_interval(days => ${INACTIVE_DAYS}, mins => 1) where id = ${oldUser.id}`.execute(
    harness.db,
  );
  // The use of a personal token keeps its owner active.
  await call(harness.app, 'GET', '/api/admin/user', { token: activeUser.token });
  await expect.poll(async () => (await get(`/${activeUser.id}`)).body.seenAt).not.toBeNull();

  const { body } = await get('/inactive');

  expect(body.version).toBe(1);
  expect(body.inactiveUsers.map((user: { id: number }) => user.id)).toEqual([unseenUser.id, oldUser.id]);
  const rejection = await call(harness.app, 'POST', `${USERS}/inactive/delete`, {
    body: { ids: [oldUser.id, freshUser.id, 999_999] },
  });
  expect(rejection.status).toBe(400);
  expect(rejection.body.details).toHaveLength(2);
  expect((await get(`/${oldUser.id}`)).status).toBe(200);
  const deletion = await call(harness.app, 'POST', `${USERS}/inactive/delete`, {
    body: { ids: [oldUser.id, unseenUser.id, oldUser.id] },
  });
  expect(deletion.status).toBe(200);
  expect((await get('/inactive')).body.inactiveUsers).toEqual([]);
  expect((await readLastEvent('user-deleted')).preData.id).toBe(unseenUser.id);
});

test('does not delete an inactive user who logs in during the deletion', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  await sql`update users set created_at = now() - interval '1 year' where id = ${user.id}`.execute(
    harness.db,
  );
  const otherTransaction = await harness.db.startTransaction().execute();
  await sql`update users set seen_at = now() where id = ${user.id}`.execute(otherTransaction);

  const removal = call(harness.app, 'POST', `${USERS}/inactive/delete`, { body: { ids: [user.id] } });
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await otherTransaction.commit().execute();

  expect((await removal).status).toBe(400);
});

test('does not delete inactive users if no admin would remain', async () => {
  await demoteAll();
  const [first, second] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  await sql`update users set created_at = now() - interval '1 year' where id = any(${[first.id, second.id]})`.execute(
    harness.db,
  );

  expect(
    (await call(harness.app, 'POST', `${USERS}/inactive/delete`, { body: { ids: [first.id, second.id] } }))
      .status,
  ).toBe(403);
  expect(
    (await call(harness.app, 'POST', `${USERS}/inactive/delete`, { body: { ids: [first.id] } })).status,
  ).toBe(200);
});

test('needs no more statements for many users than for a few', async () => {
  const countStatements = async () => {
    const statementsBefore = harness.statements.length;
    await get('');
    return harness.statements.length - statementsBefore;
  };
  const expected = await countStatements();
  for (let number = 0; number < 20; number++) await makeUser(harness.db, 'Viewer');

  expect(await countStatements()).toBe(expected);
});

test('shows the profile and roles of the authenticated user and rejects an admin token', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const project = await makeProject(harness.db, { mode: 'private' });
  await makeMember(harness.db, user, project.id, 'Owner');
  const readMine = (path: string) =>
    call(harness.app, 'GET', `/api/admin/user/${path}`, { token: user.token });

  await call(harness.app, 'POST', '/api/admin/groups', {
    body: { name: 'Profiled', users: [{ user: { id: user.id } }] },
  });
  expect((await readMine('profile')).body).toEqual({
    rootRole: { id: ROOT_ROLES.Viewer, name: 'Viewer', type: 'root', description: expect.any(String) },
    groups: ['Profiled'],
    projects: [project.id],
    features: [],
    subscriptions: [],
    canChangePassword: false,
  });
  expect((await readMine('roles')).body.roles).toMatchObject([
    { name: 'Viewer', type: 'root' },
    { name: 'Owner', type: 'project', project: project.id },
  ]);
  expect((await readMine('roles?projectId=other')).body.roles).toMatchObject([{ name: 'Viewer' }]);
  expect(await call(harness.app, 'GET', '/api/admin/user/profile')).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError' },
  });
});

test('does not list, find, count, update or delete a service account as a user', async () => {
  await demoteAll();
  const { body: account } = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'Robot', username: 'robot', rootRole: ROOT_ROLES.Admin },
  });
  await sql`update users set created_at = now() - interval '1 year' where id = ${account.id}`.execute(
    harness.db,
  );
  const getIds = (body: { id: number }[]) => body.map(({ id }) => id);

  const lists = [
    (await get('')).body.users,
    (await get('/search?q=robot')).body,
    (await get('/access')).body.users,
    (await get('/inactive')).body.inactiveUsers,
  ];
  const responses = [
    await get(`/${account.id}`),
    await get(`/${account.id}/permissions`),
    await update(account.id, { name: 'Person' }),
    await remove(account.id),
    await call(harness.app, 'POST', `${USERS}/${account.id}/change-password`, {
      body: { password: PASSWORD },
    }),
    await call(harness.app, 'POST', `${USERS}/reset-password`, { body: { id: account.id } }),
    await call(harness.app, 'DELETE', `${USERS}/${account.id}/sessions`),
  ];
  const deletion = await call(harness.app, 'POST', `${USERS}/inactive/delete`, {
    body: { ids: [account.id] },
  });

  for (const list of lists) expect(getIds(list)).not.toContain(account.id);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
  expect(deletion.status).toBe(400);
  expect((await get('/admin-count')).body).toEqual({ password: 0, noPassword: 0, service: 1 });
});

test('treats a user who has ADMIN through a group as an admin, including as the last admin', async () => {
  await demoteAll();
  const user = await makeUser(harness.db, 'Viewer');
  const group = await makeGroup('Admins', [user.id], ROOT_ROLES.Admin);

  const adminCount = (await get('/admin-count')).body;
  const removal = await remove(user.id);
  const roleUpdate = await update(user.id, { rootRole: 'Editor' });
  await makeUser(harness.db, 'Admin');
  const laterRemoval = await remove(user.id);

  expect(adminCount).toEqual({ password: 0, noPassword: 1, service: 0 });
  expect(removal).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect([roleUpdate.status, laterRemoval.status]).toEqual([200, 200]);
  expect((await call(harness.app, 'GET', `/api/admin/groups/${group.id}`)).body.users).toEqual([]);
});

test('keeps one admin if an admin is deleted and a group of admins is emptied at the same time', async () => {
  await demoteAll();
  const [directAdmin, groupAdmin] = [
    await makeUser(harness.db, 'Admin'),
    await makeUser(harness.db, 'Viewer'),
  ];
  const group = await makeGroup('More admins', [groupAdmin.id], ROOT_ROLES.Admin);
  const emptyGroup = () =>
    call(harness.app, 'PUT', `/api/admin/groups/${group.id}`, { body: { name: group.name, users: [] } });
  // Both requests wait for this lock. If they did not take it, both would count two admins.
  const blocker = await harness.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(blocker);

  const responses = Promise.all([remove(directAdmin.id), emptyGroup()]);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(2);
  await blocker.rollback().execute();

  expect((await responses).map(({ status }) => status).toSorted()).toEqual([200, 403]);
});

test('removes deleted users from groups and projects, with an event for each, in a constant number of statements', async () => {
  const project = await makeProject(harness.db);
  const users = await Promise.all([1, 2, 3, 4].map(() => makeUser(harness.db, 'Viewer')));
  const [firstId, ...otherIds] = users.map(({ id }) => id).toSorted((a, b) => a - b);
  for (const user of users) await makeMember(harness.db, user, project.id, 'Member');
  const group = await makeGroup('Leavers', [firstId, ...otherIds].map(Number));
  await sql`update users set created_at = now() - interval '1 year', seen_at = null
    where id = any(${[firstId, ...otherIds]})`.execute(harness.db);
  const removeInactive = async (ids: (number | undefined)[]) => {
    const statementsBefore = harness.statements.length;
    const { status } = await call(harness.app, 'POST', `${USERS}/inactive/delete`, { body: { ids } });
    return { status, statements: harness.statements.length - statementsBefore };
  };

  const single = await removeInactive([firstId]);
  const several = await removeInactive(otherIds);

  expect(single).toMatchObject({ status: 200 });
  expect(several).toEqual(single);
  const { events } = (await call(harness.app, 'GET', '/api/admin/search/events?limit=9')).body;
  expect(events.map(({ type }: { type: string }) => type).toReversed()).toEqual([
    ...otherIds.map(() => 'project-access-user-roles-deleted'),
    ...otherIds.map(() => 'group-user-removed'),
    ...otherIds.map(() => 'user-deleted'),
  ]);
  expect(events.at(-1)).toMatchObject({ project: project.id, preData: { userId: otherIds[0], roles: [5] } });
  expect(events[3]).toMatchObject({
    preData: { groupId: group.id, groupName: 'Leavers', userId: otherIds.at(-1) },
  });
  expect((await call(harness.app, 'GET', `/api/admin/groups/${group.id}`)).body.userCount).toBe(0);
  expect((await call(harness.app, 'GET', `/api/admin/projects/${project.id}`)).body.members).toBe(0);
});

test('grants a custom root role by id or name, with its project permissions in every project', async () => {
  const name = 'Caretaker';
  const { roles: role } = (
    await call(harness.app, 'POST', '/api/admin/roles', {
      body: {
        name,
        type: 'root-custom',
        permissions: [
          { name: 'UPDATE_PROJECT' },
          { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
        ],
      },
    })
  ).body;
  const project = await makeProject(harness.db);

  const { body: user } = await create({ username: 'caretaker', rootRole: name });
  const { body: otherUser } = await create({ username: 'caretaker-2', rootRole: role.id });
  const hasPermission = async (query: string, permission: string) => {
    const { overview } = (await get(`/${user.id}/permissions${query}`)).body;
    return [...overview.project, ...overview.environment].find(
      (item: { name: string }) => item.name === permission,
    ).hasPermission;
  };

  expect([user.rootRole, otherUser.rootRole]).toEqual([role.id, role.id]);
  expect(await hasPermission(`?project=${project.id}`, 'UPDATE_PROJECT')).toBe(true);
  expect(await hasPermission(`?project=${project.id}`, 'DELETE_PROJECT')).toBe(false);
  const environmentQuery = `?project=${project.id}&environment=`;
  expect(await hasPermission(`${environmentQuery}production`, 'UPDATE_FEATURE_ENVIRONMENT')).toBe(true);
  expect(await hasPermission(`${environmentQuery}development`, 'UPDATE_FEATURE_ENVIRONMENT')).toBe(false);
});

test("lists the roles from groups after the user's own roles", async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const project = await makeProject(harness.db);
  const group = await makeGroup('Editors of one project', [user.id], ROOT_ROLES.Editor);
  await call(harness.app, 'POST', `/api/admin/projects/${project.id}/access`, {
    body: { roles: [6], users: [], groups: [group.id] },
  });
  const readMine = async (path: string) =>
    (await call(harness.app, 'GET', `/api/admin/user${path}`, { token: user.token })).body;

  expect((await readMine('/roles')).roles).toMatchObject([
    { name: 'Viewer' },
    { name: 'Editor' },
    { name: 'Reader', project: project.id },
  ]);
  expect(await readMine('/profile')).toMatchObject({ rootRole: { name: 'Viewer' }, projects: [project.id] });
});
