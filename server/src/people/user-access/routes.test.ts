import { expect, test } from 'vitest';
import { PROJECT_ROLES, ROOT_ROLES } from '../../access/roles.ts';
import { makeMember, makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { findDecidingRoles } from './deciding-roles.ts';

const harness = useHarness();

const readAccess = (id: number, token?: string) =>
  call(harness.app, 'GET', `/api/admin/user-admin/${id}/access`, token === undefined ? {} : { token });

const makeGroup = async (name: string, user: number, rootRole: number | null = null) =>
  (
    await call(harness.app, 'POST', '/api/admin/groups', {
      body: { name, users: [{ user: { id: user } }], rootRole },
    })
  ).body;

const grant = (project: string, group: number, role: number) =>
  call(harness.app, 'POST', `/api/admin/projects/${project}/groups/${group}/roles/${role}`);

test('returns every project with the deciding roles and the grants they come from', async () => {
  const user = await makeUser(harness.db, 'Editor', 'dora');
  const group = await makeGroup('on-call', user.id);
  const payments = await makeProject(harness.db, { name: 'A payments' });
  const openProject = await makeProject(harness.db, { name: 'B open' });
  const privateProject = await makeProject(harness.db, { name: 'C hidden', mode: 'private' });
  await makeMember(harness.db, user, payments.id, 'Member');
  await grant(payments.id, group.id, PROJECT_ROLES.Owner);

  const { body } = await readAccess(user.id);

  expect(body.rootRoles).toEqual([{ role: { id: ROOT_ROLES.Editor, name: 'Editor' } }]);
  expect(body.groups).toMatchObject([{ id: group.id, name: 'on-call', createdBy: 'admin token admin' }]);
  const findProject = (id: string) => body.projects.find((project: { id: string }) => project.id === id);
  expect(findProject(payments.id)).toMatchObject({
    readable: true,
    grants: [
      { role: { name: 'Member' } },
      { role: { name: 'Owner' }, group: { id: group.id, name: 'on-call' } },
    ],
  });
  expect(findProject(payments.id).grants[0].group).toBeUndefined();
  expect(findProject(payments.id).roles).toMatchObject([{ name: 'Owner' }]);
  expect(findProject(openProject.id)).toMatchObject({ readable: true, grants: [], rootRoles: [], roles: [] });
  // The role Editor has project permissions only in the default project.
  expect(findProject('default')).toMatchObject({
    rootRoles: [{ role: { name: 'Editor' } }],
    roles: [{ name: 'Editor' }],
  });
  expect(findProject(privateProject.id)).toMatchObject({
    mode: 'private',
    readable: false,
    grants: [],
    roles: [],
  });
});

test('returns the Admin role that a user has through a group, which lets the user read private projects', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const privateProject = await makeProject(harness.db, { mode: 'private' });
  const group = await makeGroup('admins', user.id, ROOT_ROLES.Admin);

  const { body } = await readAccess(user.id);

  expect(body.rootRoles).toEqual([
    { role: { id: ROOT_ROLES.Viewer, name: 'Viewer' } },
    { role: { id: ROOT_ROLES.Admin, name: 'Admin' }, group: { id: group.id, name: 'admins' } },
  ]);
  expect(body.projects).toContainEqual({
    id: privateProject.id,
    name: privateProject.name,
    mode: 'private',
    readable: true,
    grants: [],
    rootRoles: [{ role: { id: ROOT_ROLES.Admin, name: 'Admin' }, group: { id: group.id, name: 'admins' } }],
    roles: [{ id: ROOT_ROLES.Admin, name: 'Admin' }],
  });
});

test('omits archived projects', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const project = await makeProject(harness.db);
  await call(harness.app, 'POST', `/api/admin/projects/archive/${project.id}`);

  const { body } = await readAccess(user.id);

  expect(body.projects.map(({ id }: { id: string }) => id)).not.toContain(project.id);
});

test('returns open sessions and personal tokens, without secrets', async () => {
  const person = await makePerson(harness.db, 'Viewer');
  const browser = await logIn(harness.app, person.username);

  const token = await browser.send('POST', '/api/admin/user/tokens', {
    body: { description: 'laptop', expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
  });
  const { body } = await readAccess(person.id);

  expect(token.status).toBe(201);
  expect(body.sessions).toMatchObject([{ method: 'password' }]);
  expect(body.tokens).toMatchObject([{ description: 'laptop', seenAt: null }]);
  expect(JSON.stringify(body)).not.toContain(token.body.secret);
});

test('returns 404 for an unknown user and 403 without ADMIN', async () => {
  const editor = await makeUser(harness.db, 'Editor');

  expect((await readAccess(999_999)).status).toBe(404);
  expect(await readAccess(editor.id, editor.token)).toMatchObject({
    status: 403,
    body: { name: 'NoAccessError' },
  });
});

const permission = (name: string, project: string | null = null) => ({
  permission: name,
  environment: null,
  project,
});
const [CREATE, DELETE] = ['CREATE_FEATURE', 'DELETE_FEATURE'];
const asGrants = (ids: number[]) => ids.map(id => ({ role: { id, name: `Role ${id}` } }));

test.each<[string, Record<number, string[]>, number[], number[], number[]]>([
  ['omits a role that is included in another role', { 1: [CREATE, DELETE], 2: [CREATE] }, [2, 1], [], [1]],
  ['keeps roles that differ', { 1: [CREATE], 2: [DELETE] }, [1, 2], [], [1, 2]],
  ['keeps the first of two equal roles', { 1: [CREATE], 2: [CREATE] }, [2, 1], [], [2]],
  ['omits a role without permissions', { 1: [CREATE] }, [3, 1], [], [1]],
  ['keeps a single role without permissions', {}, [3], [], [3]],
  ['lists a role that is held twice only once', { 1: [CREATE] }, [1, 1], [], [1]],
  ['lists the root role if there is no role in the project', { 1: [CREATE] }, [], [1], [1]],
  ['prefers the role in the project', { 1: [CREATE], 2: [DELETE] }, [2], [1], [2]],
  ['lists a root role that includes the role in the project', { 1: ['ADMIN'], 2: [DELETE] }, [2], [1], [1]],
  ['ignores a root role without project permissions', { 1: ['CREATE_SEGMENT'] }, [], [1], []],
])('%s', (_, permissionsByRole, grants, rootRoles, expected) => {
  const permissions = new Map(
    Object.entries(permissionsByRole).map(([id, names]) => [Number(id), names.map(name => permission(name))]),
  );

  const { roles } = findDecidingRoles('payments', asGrants(grants), asGrants(rootRoles), permissions);

  expect(roles.map(({ id }) => id)).toEqual(expected);
});

test('a permission of a root role for one project applies only in that project', () => {
  const permissions = new Map([[1, [permission('CREATE_FEATURE', 'default')]]]);

  expect(findDecidingRoles('default', [], asGrants([1]), permissions).roles).toHaveLength(1);
  expect(findDecidingRoles('payments', [], asGrants([1]), permissions)).toEqual({ roles: [], rootRoles: [] });
});
