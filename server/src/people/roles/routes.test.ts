import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

let roleCount = 0;
const newRole = () => ({
  name: `Role ${++roleCount}`,
  description: 'For a test',
  type: 'custom',
  permissions: [
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    { name: 'CREATE_FEATURE', environment: null },
  ],
});
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object, token?: string) =>
  call(harness.app, method, `/api/admin/roles${path}`, {
    ...(body ? { body } : {}),
    ...(token ? { token } : {}),
  });
const create = async (fields: object = {}) =>
  (await send('POST', '', { ...newRole(), ...fields })).body.roles;
const readEvents = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}`)).body.events;

test('creates, reads, updates and deletes a role, and records the whole role in each event', async () => {
  const input = newRole();
  const creation = await send('POST', '', input);
  const { id } = creation.body.roles;
  const role = await send('GET', `/${id}`);
  const update = await send('PUT', `/${id}`, { name: 'Renamed', permissions: [{ name: 'DELETE_FEATURE' }] });
  const deletion = await send('DELETE', `/${id}`);

  expect([creation.status, role.status, update.status, deletion.status]).toEqual([200, 200, 200, 200]);
  expect(role.body).toEqual(creation.body.roles);
  expect(role.body).toMatchObject({
    id,
    type: 'custom',
    name: input.name,
    description: 'For a test',
    permissions: [
      { name: 'CREATE_FEATURE', displayName: 'Create feature', type: 'project' },
      { name: 'UPDATE_FEATURE_ENVIRONMENT', type: 'environment', environment: 'production' },
    ],
  });
  expect('environment' in role.body.permissions[0]).toBe(false);
  const createdData = {
    id,
    type: 'custom',
    name: input.name,
    description: 'For a test',
    permissions: [
      { name: 'CREATE_FEATURE' },
      { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    ],
  };
  const updatedData = { ...createdData, name: 'Renamed', permissions: [{ name: 'DELETE_FEATURE' }] };
  expect((await readEvents('role-created'))[0]).toMatchObject({
    project: null,
    data: createdData,
    preData: null,
  });
  expect((await readEvents('role-updated'))[0]).toMatchObject({ data: updatedData, preData: createdData });
  expect((await readEvents('role-deleted'))[0]).toMatchObject({ data: null, preData: updatedData });
  expect((await send('GET', `/${id}`)).status).toBe(404);
});

test('records nothing for the same permissions in a different order', async () => {
  const { id, name } = await create();
  const { permissions } = newRole();
  const eventsBefore = (await readEvents('role-updated')).length;

  const response = await send('PUT', `/${id}`, {
    name,
    permissions: [...permissions, ...permissions].toReversed(),
  });

  expect(response.status).toBe(200);
  expect((await readEvents('role-updated')).length).toBe(eventsBefore);
});

test('lists built-in and custom roles, and all permissions that a role can have', async () => {
  const { id } = await create({ type: 'root-custom', permissions: [{ name: 'CREATE_PROJECT' }] });

  const { body } = await send('GET');
  const { permissions } = (await call(harness.app, 'GET', '/api/admin/permissions')).body;

  expect(
    body.roles.slice(0, 6).map((role: { name: string; type: string }) => [role.name, role.type]),
  ).toEqual([
    ['Admin', 'root'],
    ['Editor', 'root'],
    ['Viewer', 'root'],
    ['Owner', 'project'],
    ['Member', 'project'],
    ['Reader', 'project'],
  ]);
  expect(body.roles.at(-1)).toMatchObject({ id, type: 'root-custom' });
  const getNames = (list: { name: string }[]) => list.map(item => item.name);
  expect(getNames(permissions.root)).toContain('CREATE_PROJECT');
  expect(getNames(permissions.root)).not.toContain('ADMIN');
  expect(getNames(permissions.project)).toContain('UPDATE_PROJECT');
  expect(getNames(permissions.environments)).toEqual(['development', 'production']);
  expect(permissions.environments[1].permissions[0]).toEqual({
    id: 2001,
    name: 'CREATE_FEATURE_STRATEGY',
    displayName: 'Create feature strategy',
    type: 'environment',
    environment: 'production',
  });
  const ids = [...permissions.root, ...permissions.project, ...permissions.environments[0].permissions].map(
    (permission: { id: number }) => permission.id,
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('lists every permission of the built-in roles', async () => {
  for (const id of [1, 2, 3, 4, 5, 6]) {
    const { rows } = await sql<{ held: number }>`
      select count(*) as held from role_permissions where role_id = ${id}`.execute(harness.db);
    expect((await send('GET', `/${id}`)).body.permissions).toHaveLength(rows[0]?.held ?? -1);
  }
});

test('lists every validation error of a role with its path', async () => {
  const response = await send('POST', '', {
    ...newRole(),
    permissions: [
      { name: 'FLY' },
      { name: 'CREATE_FEATURE', environment: 'production' },
      { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'moon' },
      { name: 'CREATE_PROJECT' },
      { name: 'ADMIN' },
      { name: 'UPDATE_FEATURE' },
    ],
  });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path)).toEqual([
    '/body/permissions/0/name',
    '/body/permissions/1/environment',
    '/body/permissions/2/environment',
    '/body/permissions/3/name',
    '/body/permissions/4/name',
  ]);
});

test('accepts project permissions in a root role, but not ADMIN', async () => {
  const permissions = [{ name: 'CREATE_PROJECT' }, { name: 'UPDATE_PROJECT' }];

  expect((await send('POST', '', { ...newRole(), type: 'root-custom', permissions })).status).toBe(200);
  expect(
    await send('POST', '', { ...newRole(), type: 'root-custom', permissions: [{ name: 'ADMIN' }] }),
  ).toMatchObject({ status: 400, body: { details: [{ path: '/body/permissions/0/name' }] } });
});

test.each([
  [{ type: 'root' }, '/body/type'],
  [{ name: '  ' }, '/body/name'],
  [{ name: undefined }, '/body/name'],
  [{ permissions: [{}] }, '/body/permissions/0/name'],
])('rejects %j', async (fields, path) => {
  expect(await send('POST', '', { ...newRole(), ...fields })).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('rejects the name of an existing role case-insensitively, including built-in roles', async () => {
  const { name, id } = await create();

  for (const takenName of [name.toUpperCase(), 'owner']) {
    const body = { ...newRole(), name: takenName, type: 'root-custom', permissions: [] };
    expect(await send('POST', '', body)).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
    expect((await send('POST', '/validate', body)).status).toBe(409);
  }
  expect((await send('PUT', `/${id}`, { name: name.toUpperCase() })).status).toBe(200);
  expect((await send('POST', '/validate', newRole())).status).toBe(200);
  expect((await send('POST', '/validate', { ...newRole(), permissions: [{ name: 'FLY' }] })).status).toBe(
    400,
  );
});

test.each([1, 2, 3, 4, 5, 6])('rejects an update or deletion of the built-in role %i', async id => {
  for (const response of [await send('PUT', `/${id}`, newRole()), await send('DELETE', `/${id}`)]) {
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  }
});

test('rejects a change of the role type', async () => {
  const { id, name } = await create();

  expect(await send('PUT', `/${id}`, { name, type: 'root-custom' })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/type' }] },
  });
});

test('lists who has a role and where, groups first', async () => {
  const role = await create();
  const user = await makeUser(harness.db, 'Viewer', 'holder-of-role');
  const project = await makeProject(harness.db, { name: 'Held in' });
  const group = await call(harness.app, 'POST', '/api/admin/groups', {
    body: { name: 'Zebra crew', users: [{ user: { id: user.id } }] },
  });
  const emptyList = await send('GET', `/${role.id}/holders`);
  for (const holder of [`users/${user.id}`, `groups/${group.body.id}`])
    await call(harness.app, 'POST', `/api/admin/projects/${project.id}/${holder}/roles/${role.id}`);

  const list = await send('GET', `/${role.id}/holders`);

  const grantedProject = { project: { id: project.id, name: 'Held in' } };
  expect(emptyList.body).toEqual({ holders: [], total: 0 });
  expect(list.body).toEqual({
    holders: [
      { kind: 'group', id: group.body.id, name: 'Zebra crew', members: 1, ...grantedProject },
      { kind: 'user', id: user.id, name: 'holder-of-role', ...grantedProject },
    ],
    total: 2,
  });
  expect((await send('GET', '/999999/holders')).status).toBe(404);
  expect((await send('GET', `/${role.id}/holders`, undefined, user.token)).status).toBe(403);
});

test('lists groups and new users of single sign-on as the holders of a root role', async () => {
  const role = await create({ type: 'root-custom', permissions: [] });
  await call(harness.app, 'POST', '/api/admin/groups', { body: { name: 'Rooted', rootRole: role.id } });
  await sql`
    insert into auth_settings (name, content, default_role_id) values ('oidc', '{}', ${role.id})
    on conflict (name) do update set default_role_id = ${role.id}`.execute(harness.db);

  const { body } = await send('GET', `/${role.id}/holders`);

  await sql`delete from auth_settings`.execute(harness.db);
  expect(body.holders).toMatchObject([
    { kind: 'group', name: 'Rooted', members: 0, project: null },
    { kind: 'single-sign-on', id: null, project: null },
  ]);
});

test('rejects the deletion of a role in use and names the holders', async () => {
  const role = await create();
  const rootRole = await create({ type: 'root-custom', permissions: [] });
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer', 'holder');
  const group = (
    await call(harness.app, 'POST', '/api/admin/groups', { body: { name: 'Holders', rootRole: rootRole.id } })
  ).body;
  await call(harness.app, 'POST', `/api/admin/projects/${project.id}/access`, {
    body: { roles: [role.id], users: [user.id], groups: [group.id] },
  });

  const rejection = await send('DELETE', `/${role.id}`);

  expect(rejection).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(rejection.body.message).toContain(`user holder in project ${project.id}`);
  expect(rejection.body.message).toContain(`group Holders in project ${project.id}`);
  expect((await send('DELETE', `/${rootRole.id}`)).body.message).toContain('group Holders.');
});

test('does not delete a role that a concurrent request grants', async () => {
  const role = await create();
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  const grant = await harness.db.startTransaction().execute();
  await sql`insert into user_roles (user_id, role_id, project) values (${user.id}, ${role.id}, ${project.id})`.execute(
    grant,
  );

  const deletion = send('DELETE', `/${role.id}`);
  await waitForLockWaiters(harness.db);
  await grant.commit().execute();

  expect((await deletion).status).toBe(409);
});

test('applies new permissions to all holders of the role immediately', async () => {
  const role = await create({ permissions: [] });
  const project = await makeProject(harness.db);
  const user = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'POST', `/api/admin/projects/${project.id}/access`, {
    body: { roles: [role.id], users: [user.id], groups: [] },
  });
  const features = `/api/admin/projects/${project.id}/features`;
  const tryWrite = async () =>
    (await call(harness.app, 'POST', features, { token: user.token, body: {} })).status;

  const statusBefore = await tryWrite();
  await send('PUT', `/${role.id}`, { name: role.name, permissions: [{ name: 'CREATE_FEATURE' }] });

  expect([statusBefore, await tryWrite()]).toEqual([403, 400]);
});

test('requires READ_ROLE to read roles and ADMIN to create roles', async () => {
  const readingRole = await create({ type: 'root-custom', permissions: [{ name: 'READ_ROLE' }] });
  const user = await makeUser(harness.db, 'Viewer');
  await sql`update user_roles set role_id = ${readingRole.id} where user_id = ${user.id}`.execute(harness.db);

  expect((await send('GET', '', undefined, user.token)).status).toBe(200);
  expect((await send('POST', '', newRole(), user.token)).status).toBe(403);
});

test('does not remove ADMIN from the role of the last admin', async () => {
  const role = await create({ type: 'root-custom', permissions: [] });
  const user = await makeUser(harness.db, 'Viewer');
  // No request can add ADMIN to a custom role, but a row that was written directly can have it.
  await sql`insert into role_permissions (role_id, permission) values (${role.id}, 'ADMIN')`.execute(
    harness.db,
  );
  await sql`update user_roles set role_id = ${role.id} where user_id = ${user.id}`.execute(harness.db);
  const removeAdmin = () => send('PUT', `/${role.id}`, { name: role.name, permissions: [] });
  await sql`delete from user_roles where role_id = 1`.execute(harness.db);

  const rejection = await removeAdmin();
  await makeUser(harness.db, 'Admin');

  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await removeAdmin()).status).toBe(200);
});
