import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { campaignSize, SEED } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const { Owner, Member, Reader } = PROJECT_ROLES;
const harness = useHarness();

let project: string;
let ann: TestUser;
let bob: TestUser;
let teamId: number;
let teamName: string;
let nameCount = 0;

beforeEach(async () => {
  project = (await makeProject(harness.db)).id;
  ann = await makeUser(harness.db, 'Viewer');
  bob = await makeUser(harness.db, 'Viewer');
  teamName = `Team ${++nameCount}`;
  const group = { name: teamName, users: [{ user: { id: bob.id } }] };
  teamId = (await call(harness.app, 'POST', '/api/admin/groups', { body: group })).body.id;
});

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token?: string) =>
  call(harness.app, method, `/api/admin/projects/${project}${path}`, {
    ...(body ? { body } : {}),
    ...(token ? { token } : {}),
  });
const setAccess = (roles: object[], token?: string) => send('PUT', '/access', { roles }, token);
const makeRole = async (...permissions: object[]): Promise<number> => {
  const body = { name: `Custom ${++nameCount}`, type: 'custom', permissions };
  return (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles.id;
};

/** Returns the roles of all users and groups as the API returns them. */
async function readHeldRoles(): Promise<{ users: [number, number[]][]; groups: [number, number[]][] }> {
  const { users, groups } = (await send('GET', '/access')).body;
  const toPairs = (list: { id: number; roles: number[] }[]) =>
    list.map(({ id, roles }): [number, number[]] => [id, roles]);
  return { users: toPairs(users), groups: toPairs(groups) };
}

/** Returns the events about access to the project after the given id, oldest first. */
async function readAccessEvents(afterId = 0) {
  const query = `project=IS:${project}&limit=1000`;
  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;
  return (
    events
      .filter(
        (event: { id: number; type: string }) =>
          event.id > afterId && event.type.startsWith('project-access'),
      )
      .toReversed()
      // biome-ignore lint/suspicious/noExplicitAny: a test reads the payload it expects
      .map(({ type, data, preData }: { type: string; data: any; preData: any }) => ({
        type,
        data,
        preData,
      }))
  );
}

const readNewestEventId = async (): Promise<number> =>
  (await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db)).rows[0]?.id ?? 0;

test('replaces all access and records an event for each holder whose roles change', async () => {
  await setAccess([
    { id: Owner, users: [ann.id], groups: [] },
    { id: Member, users: null, groups: [teamId] },
  ]);
  const newestEventId = await readNewestEventId();

  const response = await setAccess([
    { id: Owner, users: [bob.id] },
    { id: Member, users: [bob.id, ann.id] },
  ]);

  expect(response).toMatchObject({ status: 200, body: '' });
  expect(await readHeldRoles()).toEqual({
    users: [
      [ann.id, [Member]],
      [bob.id, [Owner, Member]],
    ],
    groups: [],
  });
  expect(await readAccessEvents(newestEventId)).toMatchObject([
    {
      type: 'project-access-added',
      data: {
        roles: [
          { roleId: Owner, groupIds: [], userIds: [bob.id] },
          { roleId: Member, groupIds: [], userIds: [bob.id] },
        ],
      },
      preData: null,
    },
    {
      type: 'project-access-group-roles-deleted',
      data: null,
      preData: { groupId: teamId, roles: [Member] },
    },
    {
      type: 'project-access-user-roles-updated',
      data: { userId: ann.id, roles: [Member] },
      preData: { userId: ann.id, roles: [Owner] },
    },
  ]);
});

test('event summaries name users, groups and custom roles', async () => {
  const customRoleId = await makeRole({ name: 'UPDATE_FEATURE' });
  const name = `Custom ${nameCount}`;
  await setAccess([{ id: customRoleId, users: [ann.id, bob.id], groups: [teamId] }]);
  await setAccess([
    { id: Owner, users: [ann.id] },
    { id: customRoleId, users: [ann.id] },
  ]);

  const query = `project=IS:${project}&limit=4`;
  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;
  const summaries = events.map(({ summary }: { summary: string }) => summary).join('\n');
  expect(summaries).toContain(`**${ann.username}**`);
  expect(summaries).toContain(`roles: **${name}**`);
  expect(summaries).toContain(`from **${name}** to **Owner** and **${name}**`);
  expect(summaries).toContain(`roles of user **${bob.username}**`);
  expect(summaries).toContain(`groups: **${teamName}**`);
  expect(summaries).toContain(`roles of group **${teamName}**`);
});

test('returns users, groups with their members, and the roles that can be granted', async () => {
  const customRoleId = await makeRole({ name: 'UPDATE_FEATURE' });
  await setAccess([{ id: customRoleId, users: [ann.id], groups: [teamId] }]);

  const { status, body } = await send('GET', '/access');

  expect(status).toBe(200);
  expect(body.roles.map((role: { id: number }) => role.id)).toEqual(
    expect.arrayContaining([Owner, Member, Reader, customRoleId]),
  );
  expect(body.roles.map((role: { type: string }) => role.type)).not.toContain('root');
  expect(body.users).toEqual([
    {
      id: ann.id,
      name: ann.username,
      username: ann.username,
      email: null,
      isAPI: false,
      roleId: customRoleId,
      roles: [customRoleId],
      addedAt: expect.any(String),
    },
  ]);
  expect(body.groups[0]).toMatchObject({
    id: teamId,
    roles: [customRoleId],
    users: [{ user: { id: bob.id } }],
  });
});

test('writes nothing for the same access in a different order', async () => {
  const roles = [
    { id: Owner, users: [ann.id] },
    { id: Reader, users: [bob.id, ann.id], groups: [teamId] },
  ];
  await setAccess(roles);
  const eventIdBefore = await readNewestEventId();

  await setAccess([...roles, ...roles].toReversed());

  expect(await readNewestEventId()).toBe(eventIdBefore);
});

test.each(['user', 'group'] as const)('grants, replaces and revokes the roles of a %s', async kind => {
  const id = kind === 'user' ? ann.id : teamId;
  const rolesPath = `/${kind}s/${id}/roles`;
  const readRoles = async () =>
    (await readHeldRoles())[`${kind}s`].find(([holderId]) => holderId === id)?.[1] ?? [];

  const states = [];
  for (const [method, path, body] of [
    ['POST', `${rolesPath}/${Reader}`],
    ['POST', `${rolesPath}/${Member}`],
    ['POST', `${rolesPath}/${Member}`],
    ['DELETE', `${rolesPath}/${Reader}`],
    ['PUT', `${rolesPath}/${Reader}`],
    ['PUT', rolesPath, { roles: [Member, Reader, Member] }],
    ['DELETE', rolesPath],
    ['DELETE', rolesPath],
  ] as ['POST' | 'PUT' | 'DELETE', string, object?][]) {
    expect((await send(method, path, body)).status).toBe(200);
    states.push(await readRoles());
  }

  expect(states).toEqual([
    [Reader],
    [Member, Reader],
    [Member, Reader],
    [Member],
    [Reader],
    [Member, Reader],
    [],
    [],
  ]);
  expect((await readAccessEvents()).map((event: { type: string }) => event.type)).toEqual([
    'project-access-added',
    ...Array(4).fill(`project-access-${kind}-roles-updated`),
    `project-access-${kind}-roles-deleted`,
  ]);
});

test('grants roles to several holders in addition to the roles they have', async () => {
  await send('POST', `/users/${ann.id}/roles/${Reader}`);

  const rolesGranted = await send('POST', '/access', { roles: [Member], users: [ann.id], groups: [teamId] });
  const roleGranted = await send('POST', `/role/${Owner}/access`, { users: [{ id: bob.id }] });

  expect([rolesGranted.status, roleGranted.status]).toEqual([200, 200]);
  expect(await readHeldRoles()).toEqual({
    users: [
      [ann.id, [Member, Reader]],
      [bob.id, [Owner]],
    ],
    groups: [[teamId, [Member]]],
  });
});

test('rejects unknown users, groups and roles, each with its path', async () => {
  const response = await setAccess([
    { id: Owner, users: [ann.id, 999_999], groups: [999_998] },
    { id: 1, users: [ann.id] },
    { id: 999_997, users: [ann.id] },
  ]);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details).toEqual([
    { message: 'user 999999 does not exist', path: '/body/roles/0/users/1' },
    { message: 'group 999998 does not exist', path: '/body/roles/0/groups/0' },
    { message: 'role 1 does not exist or is not a project role', path: '/body/roles/1/id' },
    { message: 'role 999997 does not exist or is not a project role', path: '/body/roles/2/id' },
  ]);
});

test.each([
  ['POST', (): string => `/users/999999/roles/${Reader}`, 'User 999999 does not exist.'],
  ['DELETE', (): string => '/groups/999999/roles', 'Group 999999 does not exist.'],
  ['POST', (): string => `/users/${ann.id}/roles/1`, 'Role 1 does not exist or is not a project role.'],
] as const)('%s with an unknown id in the path returns 404', async (method, path, message) => {
  expect(await send(method, path())).toMatchObject({ status: 404, body: { name: 'NotFoundError', message } });
});

test('treats a deleted user as unknown', async () => {
  await sql`update users set deleted_at = now() where id = ${ann.id}`.execute(harness.db);

  expect((await send('POST', `/users/${ann.id}/roles/${Reader}`)).status).toBe(404);
});

test('lets users who manage access grant and revoke only permissions that they have themselves', async () => {
  const managerRole = await makeRole(
    { name: 'PROJECT_USER_ACCESS_WRITE' },
    { name: 'UPDATE_FEATURE' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
  );
  const lesserRole = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' });
  const productionRole = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' });
  const unrestrictedRole = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT' });
  await setAccess([
    { id: managerRole, users: [ann.id] },
    { id: Owner, users: [bob.id] },
  ]);
  const eventIdBefore = await readNewestEventId();
  const grant = async (role: number) =>
    (await send('POST', `/groups/${teamId}/roles/${role}`, undefined, ann.token)).body.name;

  expect(await grant(Owner)).toBe('NoAccessError');
  expect(await grant(productionRole)).toBe('NoAccessError');
  expect(await grant(unrestrictedRole)).toBe('NoAccessError');
  // Nor can Ann grant these roles to herself, revoke them, or replace them with roles that she may grant.
  expect((await send('PUT', `/users/${ann.id}/roles/${Owner}`, undefined, ann.token)).status).toBe(403);
  expect((await send('DELETE', `/users/${bob.id}/roles`, undefined, ann.token)).status).toBe(403);
  expect((await setAccess([{ id: lesserRole, users: [ann.id, bob.id] }], ann.token)).status).toBe(403);
  expect(await readNewestEventId()).toBe(eventIdBefore);

  expect(await grant(lesserRole)).toBeUndefined();
  expect(await grant(Reader)).toBeUndefined();
  expect(await grant(managerRole)).toBeUndefined();
});

test('lets a member of an owner group grant roles with more permissions than Owner', async () => {
  const approverRole = await makeRole({ name: 'APPROVE_CHANGE_REQUEST' });
  await setAccess([{ id: Owner, groups: [teamId] }]);

  expect((await send('POST', `/users/${ann.id}/roles/${approverRole}`, undefined, bob.token)).status).toBe(
    200,
  );
});

test('does not treat a root role with UPDATE_PROJECT as an owner', async () => {
  const body = {
    name: `Root ${++nameCount}`,
    type: 'root-custom',
    permissions: [{ name: 'UPDATE_PROJECT' }],
  };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;
  await sql`update user_roles set role_id = ${id} where user_id = ${ann.id}`.execute(harness.db);

  expect((await send('POST', `/users/${ann.id}/roles/${Owner}`, undefined, ann.token)).status).toBe(403);
  expect((await send('POST', `/users/${ann.id}/roles/${Reader}`, undefined, ann.token)).status).toBe(200);
});

test.each([
  ['revoked alone', () => send('DELETE', `/users/${ann.id}/roles/${Owner}`)],
  ['replaced with a different role', () => send('PUT', `/users/${ann.id}/roles/${Member}`)],
  ['revoked with all others', () => send('DELETE', `/users/${ann.id}/roles`)],
  ['missing from the new access', () => setAccess([{ id: Member, users: [ann.id], groups: [teamId] }])],
  ['revoked by its holder', () => send('DELETE', `/users/${ann.id}/roles`, undefined, ann.token)],
])('keeps the last owner when the role is %s', async (_case, revoke) => {
  await setAccess([{ id: Owner, users: [ann.id] }]);
  const eventIdBefore = await readNewestEventId();

  expect(await revoke()).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await readHeldRoles()).users).toEqual([[ann.id, [Owner]]]);
  expect(await readNewestEventId()).toBe(eventIdBefore);
});

test('a group counts as an owner only if it has members', async () => {
  const emptyGroupId = (
    await call(harness.app, 'POST', '/api/admin/groups', { body: { name: `Empty ${nameCount}` } })
  ).body.id;
  await setAccess([{ id: Owner, users: [ann.id], groups: [emptyGroupId] }]);

  const rejection = await send('DELETE', `/users/${ann.id}/roles`);
  await send('POST', `/groups/${teamId}/roles/${Owner}`);
  const response = await send('DELETE', `/users/${ann.id}/roles`);

  expect([rejection.status, response.status]).toEqual([403, 200]);
});

test('transfers ownership in one request', async () => {
  await setAccess([{ id: Owner, users: [ann.id] }]);

  expect((await setAccess([{ id: Owner, users: [bob.id] }], ann.token)).status).toBe(200);
});

test('access to a project that never had an owner can be changed', async () => {
  expect((await setAccess([{ id: Member, users: [ann.id] }])).status).toBe(200);
  expect((await setAccess([])).status).toBe(200);
});

test('only one of the last two owners can leave if both try at the same time', async () => {
  await setAccess([{ id: Owner, users: [ann.id, bob.id] }]);
  // This lock prevents either request from committing before the other has begun.
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table events in exclusive mode`.execute(blocker);

  const responses = Promise.all([ann, bob].map(user => send('DELETE', `/users/${user.id}/roles`)));
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  expect((await responses).map(response => response.status).toSorted()).toEqual([200, 403]);
});

test('rejects a grant to a group that a concurrent request deletes', async () => {
  const deletion = await harness.db.startTransaction().execute();
  await sql`delete from groups where id = ${teamId}`.execute(deletion);

  const grant = send('POST', `/groups/${teamId}/roles/${Reader}`);
  await waitForLockWaiters(harness.db);
  await deletion.commit().execute();

  expect((await grant).status).toBe(404);
});

test('records the revocation once if a group is deleted during an access change', async () => {
  await setAccess([{ id: Reader, groups: [teamId] }]);
  const eventIdBefore = await readNewestEventId();
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from groups where id = ${teamId} for update`.execute(blocker);

  const requests = [call(harness.app, 'DELETE', `/api/admin/groups/${teamId}`), setAccess([])];
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  expect((await Promise.all(requests)).map(response => response.status)).toEqual([200, 200]);
  expect((await readAccessEvents(eventIdBefore)).map((event: { type: string }) => event.type)).toEqual([
    'project-access-group-roles-deleted',
  ]);
});

test(`the events alone reproduce all roles (seed ${SEED})`, async () => {
  const role = fc.constantFrom(Owner, Member, Reader);
  const steps = fc.record({
    kind: fc.constantFrom('grant', 'revoke', 'set', 'grant many', 'set all'),
    holder: fc.constantFrom(`/users/${ann.id}`, `/users/${bob.id}`, `/groups/${teamId}`),
    user: fc.constantFrom(ann.id, bob.id),
    role,
    roles: fc.uniqueArray(role),
  });
  for (const { kind, holder, user, role: roleId, roles } of fc.sample(steps, {
    numRuns: campaignSize({ usual: 25, long: 600 }),
    seed: SEED,
  })) {
    const { status } =
      kind === 'grant'
        ? await send('POST', `${holder}/roles/${roleId}`)
        : kind === 'revoke'
          ? await send('DELETE', `${holder}/roles/${roleId}`)
          : kind === 'set'
            ? await send('PUT', `${holder}/roles`, { roles })
            : kind === 'grant many'
              ? await send('POST', '/access', { roles, users: [user], groups: [teamId] })
              : await setAccess(roles.map(id => ({ id, users: [user], groups: [teamId] })));
    expect([200, 403]).toContain(status);
  }

  const state = new Map<string, number[]>();
  for (const { type, data, preData } of await readAccessEvents()) {
    for (const { roleId, userIds, groupIds } of type === 'project-access-added' ? data.roles : []) {
      const holders = [
        ...userIds.map((id: number) => `user ${id}`),
        ...groupIds.map((id: number) => `group ${id}`),
      ];
      for (const holder of holders) state.set(holder, [...(state.get(holder) ?? []), roleId]);
    }
    const { userId, groupId } = preData ?? {};
    if (preData === null) continue;
    const holder = userId === undefined ? `group ${groupId}` : `user ${userId}`;
    expect([holder, state.get(holder)]).toEqual([holder, preData.roles]);
    if (data === null) state.delete(holder);
    else state.set(holder, data.roles);
  }
  const { users: userList, groups } = await readHeldRoles();
  const rows = [
    ...userList.map(([id, list]) => [`user ${id}`, list] as const),
    ...groups.map(([id, list]) => [`group ${id}`, list] as const),
  ];
  expect(new Map(rows)).toEqual(state);
});

test('a project member can neither read nor change project access', async () => {
  await makeMember(harness.db, ann, project, 'Member');

  for (const [method, path] of [
    ['GET', '/access'],
    ['DELETE', `/users/${ann.id}/roles`],
  ] as const) {
    expect(await send(method, path, undefined, ann.token)).toMatchObject({
      status: 403,
      body: { name: 'NoAccessError' },
    });
  }
});

test('needs no more statements for many holders than for a few', async () => {
  const countStatements = async (request: () => Promise<unknown>) => {
    const statementsBefore = harness.statements.length;
    await request();
    return harness.statements.length - statementsBefore;
  };
  const expected = [
    await countStatements(() =>
      setAccess([
        { id: Owner, users: [ann.id] },
        { id: Reader, groups: [teamId] },
      ]),
    ),
    await countStatements(() => send('GET', '/access')),
  ];
  const users = await Promise.all([1, 2, 3, 4, 5].map(() => makeUser(harness.db, 'Viewer')));
  const ids = users.map(({ id }) => id);
  await setAccess([{ id: Owner, users: [ann.id] }]);

  const actual = [
    await countStatements(() =>
      setAccess([
        { id: Owner, users: [ann.id] },
        { id: Member, users: ids, groups: [teamId] },
      ]),
    ),
    await countStatements(() => send('GET', '/access')),
  ];

  expect(actual).toEqual(expected);
});
