import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ROOT_ROLES } from '../../access/roles.ts';
import { makeMember, makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { waitingForLock } from '../../test/waiting.ts';

const harness = useHarness();

const USERS = '/api/admin/user-admin';
const deactivate = (id: number) => call(harness.app, 'POST', `${USERS}/${id}/deactivate`);
const reactivate = (id: number) => call(harness.app, 'POST', `${USERS}/${id}/reactivate`);
const get = async (path: string) => (await call(harness.app, 'GET', `${USERS}${path}`)).body;
const status = async (token: string, app = harness.app) =>
  (await call(app, 'GET', '/api/admin/user', { token })).status;
const idsOf = (users: { id: number }[]) => users.map(({ id }) => id);
const eventsOf = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}`)).body.events;

/** Removes all admins, so that a test creates the only ones. */
const demoteAll = () => sql`delete from user_roles where role_id = ${ROOT_ROLES.Admin}`.execute(harness.db);

test('ends tokens and sessions on every server, and records how many', async () => {
  const user = await makeUser(harness.db, 'Editor', 'dora');
  const person = await makePerson(harness.db);
  const browser = await logIn(harness.app, person.username);
  const other = await harness.secondServer();
  expect([await status(user.token), await status(user.token, other)]).toEqual([200, 200]);

  const response = await deactivate(user.id);
  const ofPerson = await deactivate(person.id);

  expect(response).toMatchObject({
    status: 200,
    body: { id: user.id, rootRole: 2, deactivatedAt: expect.any(String) },
  });
  expect([await status(user.token), await status(user.token, other)]).toEqual([401, 401]);
  expect(ofPerson.status).toBe(200);
  expect((await browser.ask('GET', '/api/admin/user')).status).toBe(401);
  expect(await eventsOf('user-deactivated')).toMatchObject([
    { data: { id: person.id, sessions: 1, tokens: 0 } },
    {
      data: { id: user.id, username: 'dora', sessions: 0, tokens: 1 },
      summary: expect.stringContaining('deactivated user **dora**'),
    },
  ]);
});

test('a deactivated user cannot log in, and learns why only with the correct password', async () => {
  const { id, username } = await makePerson(harness.db);
  await deactivate(id);

  const right = await tryLogin(harness.app, username);
  const wrong = await tryLogin(harness.app, username, 'not the password');

  expect([right.status, right.body.message]).toEqual([403, expect.stringContaining('deactivated')]);
  expect([wrong.status, wrong.body.message]).toEqual([401, expect.not.stringContaining('deactivated')]);
});

test('deactivating a user deletes their password link, and no new one can be created', async () => {
  const created = await call(harness.app, 'POST', USERS, { body: { username: 'newbie', rootRole: 3 } });
  const token = new URL(created.body.inviteLink).searchParams.get('token');
  await deactivate(created.body.id);

  const link = await call(harness.app, 'GET', `/auth/reset/validate?token=${token}`, { token: null });
  const reset = await call(harness.app, 'POST', `${USERS}/reset-password`, { body: { id: created.body.id } });

  expect(link.status).toBe(401);
  expect(reset).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError', message: expect.stringContaining('Reactivate') },
  });
});

test('lists deactivated users with a filter, and does not offer them in access pickers', async () => {
  const user = await makeUser(harness.db, 'Viewer', 'leaver');
  const { id: project } = await makeProject(harness.db);
  await makeMember(harness.db, user, project, 'Member');
  const membersOf = async () =>
    (await call(harness.app, 'GET', `/api/admin/projects/${project}`)).body.members;
  expect(await membersOf()).toBe(1);
  await deactivate(user.id);

  expect(idsOf((await get('')).users)).toContain(user.id);
  expect(idsOf((await get('?deactivated=true')).users)).toContain(user.id);
  expect(idsOf((await get('?deactivated=false')).users)).not.toContain(user.id);
  expect(idsOf(await get('/search?q=leaver'))).toEqual([]);
  expect(idsOf((await get('/access')).users)).not.toContain(user.id);
  expect(await membersOf()).toBe(0);
  const { body: creators } = await call(harness.app, 'GET', '/api/admin/event-creators');
  expect(creators).toContainEqual(expect.objectContaining({ id: user.id, name: 'leaver' }));
});

test('keeps roles and groups, which a reactivation restores; tokens are not restored', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const { id: project } = await makeProject(harness.db);
  await makeMember(harness.db, user, project, 'Owner');
  const access = async () => (await call(harness.app, 'GET', `${USERS}/${user.id}/permissions`)).body;
  const before = await access();
  await deactivate(user.id);

  const response = await reactivate(user.id);

  expect(response).toMatchObject({ status: 200, body: { deactivatedAt: null, rootRole: 2 } });
  expect(await access()).toEqual(before);
  expect(await status(user.token)).toBe(401);
  expect((await eventsOf('user-reactivated'))[0]).toMatchObject({ data: { id: user.id } });
});

test('changes and records nothing the second time', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const first = await deactivate(user.id);
  const count = (await eventsOf('user-deactivated')).length;

  expect((await deactivate(user.id)).body).toEqual(first.body);
  expect((await eventsOf('user-deactivated')).length).toBe(count);
  await reactivate(user.id);
  const active = (await eventsOf('user-reactivated')).length;
  expect((await reactivate(user.id)).status).toBe(200);
  expect((await eventsOf('user-reactivated')).length).toBe(active);
});

test('rejects the last active admin, and does not count deactivated ones', async () => {
  await demoteAll();
  const [one, other] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  expect((await deactivate(one.id)).status).toBe(200);

  const rejected = [await deactivate(other.id), await call(harness.app, 'DELETE', `${USERS}/${other.id}`)];

  for (const response of rejected)
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await status(other.token)).toBe(200);
  expect((await get('/admin-count')).noPassword).toBe(1);
  await reactivate(one.id);
  expect((await deactivate(other.id)).status).toBe(200);
});

test('keeps one of two admins who are deactivated at the same time', async () => {
  await demoteAll();
  const [one, other] = [await makeUser(harness.db, 'Admin'), await makeUser(harness.db, 'Admin')];
  // Another server has deactivated the first admin and has not committed yet.
  const open = await harness.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(open);
  await sql`update users set deactivated_at = now() where id = ${one.id}`.execute(open);

  const second = deactivate(other.id);
  await expect.poll(() => waitingForLock(harness.db)).toBe(1);
  await open.commit().execute();

  expect((await second).status).toBe(403);
});

test('a token that is created during the deactivation does not survive it', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  // Another server has deactivated the user and has not committed yet.
  const open = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${user.id} for update`.execute(open);
  await sql`delete from personal_access_tokens where user_id = ${user.id}`.execute(open);
  await sql`update users set deactivated_at = now() where id = ${user.id}`.execute(open);

  const creation = call(harness.app, 'POST', '/api/admin/user/tokens', {
    token: user.token,
    body: { description: 'late', expiresAt },
  });
  await expect.poll(() => waitingForLock(harness.db)).toBe(1);
  await open.commit().execute();

  expect((await creation).status).toBe(401);
});

test('a user who does not exist returns 404', async () => {
  expect([(await deactivate(999_999)).status, (await reactivate(999_999)).status]).toEqual([404, 404]);
});

test('an explanation of access says that the user is deactivated', async () => {
  const user = await makeUser(harness.db, 'Admin');
  await makeUser(harness.db, 'Admin');
  await deactivate(user.id);

  const { body } = await call(harness.app, 'GET', `/api/admin/access/explain?user=${user.id}`);

  expect(body).toMatchObject({ allowed: false, reason: 'deactivated', changes: [] });
});
