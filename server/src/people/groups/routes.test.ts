import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ROOT_ROLES } from '../../access/roles.ts';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

let groupCount = 0;
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object) =>
  call(harness.app, method, `/api/admin/groups${path}`, body ? { body } : {});
const create = async (fields: object = {}) =>
  (await send('POST', '', { name: `Group ${++groupCount}`, ...fields })).body;
const toMembers = (...ids: number[]) => ids.map(id => ({ user: { id } }));
const readEvents = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body.events;

test('creates, reads, updates and deletes a group, and records each change with its members', async () => {
  const [ann, bob] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const input = { name: 'Team', description: 'A team', mappingsSSO: ['sso-team'], rootRole: 2 };

  const created = await send('POST', '', { ...input, users: toMembers(ann.id, ann.id) });
  const { id } = created.body;
  const group = await send('GET', `/${id}`);
  const updated = await send('PUT', `/${id}`, { name: 'Crew', rootRole: null, users: toMembers(bob.id) });
  const list = await send('GET');
  const deletion = await send('DELETE', `/${id}`);

  expect([created.status, group.status, updated.status, deletion.status]).toEqual([201, 200, 200, 200]);
  expect(group.body).toEqual(created.body);
  expect(group.body).toMatchObject({
    id,
    ...input,
    createdBy: 'admin token admin',
    userCount: 1,
    users: [{ createdBy: 'admin token admin', user: { id: ann.id, username: ann.username, isAPI: false } }],
    projects: [],
  });
  expect(updated.body).toMatchObject({ name: 'Crew', description: 'A team', rootRole: null, userCount: 1 });
  expect(list.body.groups).toEqual([updated.body]);
  const createdData = { id, ...input };
  const updatedData = { ...createdData, name: 'Crew', rootRole: null };
  const [createdEvent] = await readEvents('type=IS:group-created&limit=1');
  expect(createdEvent.data).toEqual({ ...createdData, users: [ann.id] });
  const [updateEvent] = await readEvents('type=IS:group-updated&limit=1');
  expect(updateEvent).toMatchObject({ data: updatedData, preData: createdData });
  const groupedEvents = await readEvents(`groupId=IS:${updateEvent.groupId}`);
  expect(groupedEvents.map((event: { type: string }) => event.type)).toEqual([
    'group-user-removed',
    'group-user-added',
    'group-updated',
  ]);
  const toNames = (user: { id: number; username: string }) => ({ users: { [user.id]: user.username } });
  expect(groupedEvents[0].preData).toEqual({
    groupId: id,
    groupName: 'Crew',
    userId: ann.id,
    names: toNames(ann),
  });
  expect(groupedEvents[1].data).toEqual({
    groupId: id,
    groupName: 'Crew',
    userId: bob.id,
    names: toNames(bob),
  });
  expect(groupedEvents[1].summary).toContain(`added user **${bob.username}** to group **Crew**`);
  const [deletionEvent] = await readEvents('type=IS:group-deleted&limit=1');
  expect(deletionEvent.preData).toEqual({ ...updatedData, users: [bob.id] });
  expect((await send('GET', `/${id}`)).status).toBe(404);
});

test('records nothing if nothing changes', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const { id, name } = await create({ users: toMembers(user.id) });
  const [newestEvent] = await readEvents('limit=1');

  expect((await send('PUT', `/${id}`, { name, users: toMembers(user.id) })).status).toBe(200);
  expect((await readEvents('limit=1'))[0].id).toBe(newestEvent.id);
});

test('rejects unknown users and roles as well as project roles, each with its path', async () => {
  const user = await makeUser(harness.db, 'Viewer');

  const response = await send('POST', '', {
    name: 'x',
    rootRole: 4,
    users: toMembers(999_999, user.id, 999_998),
  });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path)).toEqual([
    '/body/users/0/user/id',
    '/body/users/2/user/id',
    '/body/rootRole',
  ]);
});

test('rejects a taken name case-insensitively', async () => {
  const { name } = await create();

  expect(await send('POST', '', { name: name.toUpperCase() })).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError' },
  });
});

test('grants members the root role of the group in addition to their own, until the group is deleted', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const tryWrite = async () =>
    (await call(harness.app, 'POST', '/api/admin/tag-types', { token: user.token, body: {} })).status;
  const statusBefore = await tryWrite();

  const { id } = await create({ rootRole: ROOT_ROLES.Editor, users: toMembers(user.id) });
  const statusAsMember = await tryWrite();
  await send('DELETE', `/${id}`);

  expect([statusBefore, statusAsMember, await tryWrite()]).toEqual([403, 400, 403]);
});

test('lists the projects of a group with its roles', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const project = await makeProject(harness.db, { name: 'Payments' });
  const { id } = (await send('POST', '', { name: 'Granted' })).body;
  const emptyList = await send('GET', `/${id}/projects`);
  for (const role of [5, 4])
    await call(harness.app, 'POST', `/api/admin/projects/${project.id}/groups/${id}/roles/${role}`);

  const { body } = await send('GET', `/${id}/projects`);

  expect(emptyList.body).toEqual({ projects: [] });
  expect(body.projects).toMatchObject([
    {
      id: project.id,
      name: 'Payments',
      roles: [
        { id: 4, name: 'Owner' },
        { id: 5, name: 'Member' },
      ],
    },
  ]);
  expect((await send('GET', '/999999/projects')).status).toBe(404);
  const rejection = await call(harness.app, 'GET', `/api/admin/groups/${id}/projects`, { token: user.token });
  expect(rejection.status).toBe(403);
});

test('removes a deleted user from groups and projects, and records an event for each removal', async () => {
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  const { id } = await create({ users: toMembers(user.id) });
  await call(harness.app, 'POST', `/api/admin/projects/${project.id}/users/${user.id}/roles/5`);

  await call(harness.app, 'DELETE', `/api/admin/user-admin/${user.id}`);

  expect((await send('GET', `/${id}`)).body.users).toEqual([]);
  const [deletionEvent] = await readEvents('type=IS:user-deleted&limit=1');
  const groupedEvents = await readEvents(`groupId=IS:${deletionEvent.groupId}`);
  expect(
    groupedEvents.map((event: { type: string; project: string }) => [event.type, event.project]),
  ).toEqual([
    ['user-deleted', null],
    ['group-user-removed', null],
    ['project-access-user-roles-deleted', project.id],
  ]);
  expect(groupedEvents[2].preData).toMatchObject({
    userId: user.id,
    roles: [5],
    names: { roles: { 5: 'Member' } },
  });
});

test("shows the roles from groups together with the user's own roles", async () => {
  const project = await makeProject(harness.db, { mode: 'private' });
  const user = await makeUser(harness.db, 'Viewer');
  const { id, name } = await create({ rootRole: ROOT_ROLES.Editor, users: toMembers(user.id) });
  await call(harness.app, 'POST', `/api/admin/projects/${project.id}/groups/${id}/roles/5`);
  const readMine = async (path: string) =>
    (await call(harness.app, 'GET', `/api/admin/user${path}`, { token: user.token })).body;

  expect(
    (await readMine('/roles')).roles.map((role: { name: string; project?: string }) => role.name),
  ).toEqual(['Viewer', 'Editor', 'Member']);
  expect(await readMine('/profile')).toMatchObject({ rootRole: { name: 'Viewer' }, projects: [project.id] });
  expect((await readMine('')).permissions).toContainEqual({
    permission: 'CREATE_FEATURE',
    project: project.id,
  });
  const overview = await call(
    harness.app,
    'GET',
    `/api/admin/user-admin/${user.id}/permissions?project=${project.id}`,
  );
  expect(overview.body.overview.project).toContainEqual(
    expect.objectContaining({ name: 'CREATE_FEATURE', type: 'project', hasPermission: true }),
  );
  const { groups } = (await call(harness.app, 'GET', '/api/admin/user-admin/access')).body;
  expect(groups).toContainEqual(expect.objectContaining({ id, name }));
});

test('counts each member of a project once, and revokes the project roles of a deleted group', async () => {
  const project = await makeProject(harness.db, { mode: 'private' });
  const [ann, bob] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const { id } = await create({ users: toMembers(ann.id, bob.id) });
  await call(harness.app, 'PUT', `/api/admin/projects/${project.id}/access`, {
    body: {
      roles: [
        { id: 4, users: [ann.id] },
        { id: 6, groups: [id] },
      ],
    },
  });
  const read = async (token?: string) =>
    await call(harness.app, 'GET', `/api/admin/projects/${project.id}`, token ? { token } : {});

  expect((await read()).body.members).toBe(2);
  expect((await read(bob.token)).status).toBe(200);
  expect((await send('GET', `/${id}`)).body.projects).toEqual([project.id]);

  await send('DELETE', `/${id}`);

  expect((await read()).body.members).toBe(1);
  expect((await read(bob.token)).status).toBe(404);
  const [revocationEvent] = await readEvents(`project=IS:${project.id}&limit=1`);
  expect(revocationEvent).toMatchObject({
    type: 'project-access-group-roles-deleted',
    preData: { groupId: id, roles: [6] },
  });
});

test('rejects removing the last admin, even if the role comes from a group', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const { id, name } = await create({ rootRole: ROOT_ROLES.Admin, users: toMembers(user.id) });
  const rejections = [
    await send('DELETE', `/${id}`),
    await send('PUT', `/${id}`, { name, users: [] }),
    await send('PUT', `/${id}`, { name, rootRole: ROOT_ROLES.Viewer }),
  ];

  for (const response of rejections) {
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  }
  await makeUser(harness.db, 'Admin', 'another-admin');
  expect((await send('DELETE', `/${id}`)).status).toBe(200);
  await sql`update users set deleted_at = now() where username = 'another-admin'`.execute(harness.db);
});

test('deletes only one of the last two admin groups if both are deleted at the same time', async () => {
  const [ann, bob] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const first = await create({ rootRole: ROOT_ROLES.Admin, users: toMembers(ann.id) });
  const second = await create({ rootRole: ROOT_ROLES.Admin, users: toMembers(bob.id) });
  // This lock prevents either request from committing before the other has begun.
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table events in exclusive mode`.execute(blocker);

  const responses = Promise.all([send('DELETE', `/${first.id}`), send('DELETE', `/${second.id}`)]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  expect((await responses).map(response => response.status).toSorted()).toEqual([200, 403]);
});

test('serializes two updates of one group, so that each event shows the correct previous state', async () => {
  const { id, name } = await create();
  const users = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from groups where id = ${id} for update`.execute(blocker);

  const updates = Promise.all(users.map(user => send('PUT', `/${id}`, { name, users: toMembers(user.id) })));
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();
  await updates;

  const eventTypes = (await readEvents('type=IS_ANY_OF:group-user-added,group-user-removed&limit=3')).map(
    (event: { type: string }) => event.type,
  );
  expect(eventTypes.toSorted()).toEqual(['group-user-added', 'group-user-added', 'group-user-removed']);
  expect((await send('GET', `/${id}`)).body.userCount).toBe(1);
});

test('needs no more statements for many groups and members than for a few', async () => {
  const countStatements = async () => {
    const statementsBefore = harness.statements.length;
    await send('GET');
    return harness.statements.length - statementsBefore;
  };
  const expected = await countStatements();
  const users = await Promise.all([1, 2, 3, 4].map(() => makeUser(harness.db, 'Viewer')));
  for (const user of users) await create({ users: toMembers(user.id) });

  expect(await countStatements()).toBe(expected);
});
