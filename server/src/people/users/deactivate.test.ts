import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ROOT_ROLES } from '../../access/roles.ts';
import { makeMember, makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const USERS = '/api/admin/user-admin';
const deactivate = (id: number) => call(harness.app, 'POST', `${USERS}/${id}/deactivate`);
const reactivate = (id: number) => call(harness.app, 'POST', `${USERS}/${id}/reactivate`);
const get = async (path: string) => (await call(harness.app, 'GET', `${USERS}${path}`)).body;
const readStatus = async (token: string, app = harness.app) =>
  (await call(app, 'GET', '/api/admin/user', { token })).status;
const getIds = (users: { id: number }[]) => users.map(({ id }) => id);
const readEvents = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}`)).body.events;

/** Revokes the Admin role from all users, so that a test creates the only admins. */
const demoteAll = () => sql`delete from user_roles where role_id = ${ROOT_ROLES.Admin}`.execute(harness.db);

test('deletes tokens on every server, ends sessions, and records how many of each', async () => {
  const user = await makeUser(harness.db, 'Editor', 'dora');
  const person = await makePerson(harness.db);
  const browser = await logIn(harness.app, person.username);
  const otherServer = await harness.secondServer();
  expect([await readStatus(user.token), await readStatus(user.token, otherServer)]).toEqual([200, 200]);

  const response = await deactivate(user.id);
  const personResponse = await deactivate(person.id);

  expect(response).toMatchObject({
    status: 200,
    body: { id: user.id, rootRole: 2, deactivatedAt: expect.any(String) },
  });
  expect([await readStatus(user.token), await readStatus(user.token, otherServer)]).toEqual([401, 401]);
  expect(personResponse.status).toBe(200);
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(401);
  expect(await readEvents('user-deactivated')).toMatchObject([
    { data: { id: person.id, sessions: 1, tokens: 0 } },
    {
      data: { id: user.id, username: 'dora', sessions: 0, tokens: 1 },
      summary: expect.stringContaining('deactivated user **dora**'),
    },
  ]);
});

test('a deactivated user cannot log in and learns the reason only after entering the correct password', async () => {
  const { id, username } = await makePerson(harness.db);
  await deactivate(id);

  const correctLogin = await tryLogin(harness.app, username);
  const wrongLogin = await tryLogin(harness.app, username, 'not the password');

  expect([correctLogin.status, correctLogin.body.message]).toEqual([
    403,
    expect.stringContaining('deactivated'),
  ]);
  expect([wrongLogin.status, wrongLogin.body.message]).toEqual([
    401,
    expect.not.stringContaining('deactivated'),
  ]);
});

test('deactivating a user deletes their password link and prevents a new link', async () => {
  const creation = await call(harness.app, 'POST', USERS, { body: { username: 'newbie', rootRole: 3 } });
  const token = new URL(creation.body.inviteLink).searchParams.get('token');
  await deactivate(creation.body.id);

  const link = await call(harness.app, 'GET', `/auth/reset/validate?token=${token}`, { token: null });
  const reset = await call(harness.app, 'POST', `${USERS}/reset-password`, {
    body: { id: creation.body.id },
  });

  expect(link.status).toBe(401);
  expect(reset).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError', message: expect.stringContaining('Reactivate') },
  });
});

test('lists deactivated users unless a filter excludes them, and does not offer them in access pickers', async () => {
  const user = await makeUser(harness.db, 'Viewer', 'leaver');
  const { id: project } = await makeProject(harness.db);
  await makeMember(harness.db, user, project, 'Member');
  const readMemberCount = async () =>
    (await call(harness.app, 'GET', `/api/admin/projects/${project}`)).body.members;
  expect(await readMemberCount()).toBe(1);
  await deactivate(user.id);

  expect(getIds((await get('')).users)).toContain(user.id);
  expect(getIds((await get('?deactivated=true')).users)).toContain(user.id);
  expect(getIds((await get('?deactivated=false')).users)).not.toContain(user.id);
  expect(getIds(await get('/search?q=leaver'))).toEqual([]);
  expect(getIds((await get('/access')).users)).not.toContain(user.id);
  expect(await readMemberCount()).toBe(0);
  const { body: creators } = await call(harness.app, 'GET', '/api/admin/event-creators');
  expect(creators).toContainEqual(expect.objectContaining({ id: user.id, name: 'leaver' }));
});

test('a reactivated user has the same roles as before, but the deleted tokens stay deleted', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const { id: project } = await makeProject(harness.db);
  await makeMember(harness.db, user, project, 'Owner');
  const readAccess = async () => (await call(harness.app, 'GET', `${USERS}/${user.id}/permissions`)).body;
  const accessBefore = await readAccess();
  await deactivate(user.id);

  const response = await reactivate(user.id);

  expect(response).toMatchObject({ status: 200, body: { deactivatedAt: null, rootRole: 2 } });
  expect(await readAccess()).toEqual(accessBefore);
  expect(await readStatus(user.token)).toBe(401);
  expect((await readEvents('user-reactivated'))[0]).toMatchObject({ data: { id: user.id } });
});

test('a repeated deactivation or reactivation changes and records nothing', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const firstResponse = await deactivate(user.id);
  const deactivationCount = (await readEvents('user-deactivated')).length;

  expect((await deactivate(user.id)).body).toEqual(firstResponse.body);
  expect((await readEvents('user-deactivated')).length).toBe(deactivationCount);
  await reactivate(user.id);
  const reactivationCount = (await readEvents('user-reactivated')).length;
  expect((await reactivate(user.id)).status).toBe(200);
  expect((await readEvents('user-reactivated')).length).toBe(reactivationCount);
});

test('rejects the deactivation of the last active admin, not counting deactivated admins', async () => {
  await demoteAll();
  const [first, second] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  expect((await deactivate(first.id)).status).toBe(200);

  const rejections = [
    await deactivate(second.id),
    await call(harness.app, 'DELETE', `${USERS}/${second.id}`),
  ];

  for (const response of rejections)
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await readStatus(second.token)).toBe(200);
  expect((await get('/admin-count')).noPassword).toBe(1);
  await reactivate(first.id);
  expect((await deactivate(second.id)).status).toBe(200);
});

test('accepts only one of two simultaneous deactivations of the last two admins', async () => {
  await demoteAll();
  const [first, second] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  // A different server has deactivated the first admin but has not committed yet.
  const otherTransaction = await harness.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(otherTransaction);
  await sql`update users set deactivated_at = now() where id = ${first.id}`.execute(otherTransaction);

  const secondDeactivation = deactivate(second.id);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await otherTransaction.commit().execute();

  expect((await secondDeactivation).status).toBe(403);
});

test('a user cannot create a token while being deactivated', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  // A different server has deactivated the user but has not committed yet.
  const otherTransaction = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${user.id} for update`.execute(otherTransaction);
  await sql`delete from personal_access_tokens where user_id = ${user.id}`.execute(otherTransaction);
  await sql`update users set deactivated_at = now() where id = ${user.id}`.execute(otherTransaction);

  const creation = call(harness.app, 'POST', '/api/admin/user/tokens', {
    token: user.token,
    body: { description: 'late', expiresAt },
  });
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await otherTransaction.commit().execute();

  expect((await creation).status).toBe(401);
});

test('returns 404 for a user who does not exist', async () => {
  expect([(await deactivate(999_999)).status, (await reactivate(999_999)).status]).toEqual([404, 404]);
});

test('an access explanation says that the user is deactivated', async () => {
  const user = await makeUser(harness.db, 'Admin');
  await makeUser(harness.db, 'Admin');
  await deactivate(user.id);

  const { body } = await call(harness.app, 'GET', `/api/admin/access/explain?user=${user.id}`);

  expect(body).toMatchObject({ allowed: false, reason: 'deactivated', changes: [] });
});
