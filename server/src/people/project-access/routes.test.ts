import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { SEED, sized } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const { Owner, Member, Reader } = PROJECT_ROLES;
const harness = useHarness();

let project: string;
let ann: TestUser;
let bob: TestUser;
let team: number;
let number = 0;

beforeEach(async () => {
  project = (await makeProject(harness.db)).id;
  ann = await makeUser(harness.db, 'Viewer');
  bob = await makeUser(harness.db, 'Viewer');
  const group = { name: `Team ${++number}`, users: [{ user: { id: bob.id } }] };
  team = (await call(harness.app, 'POST', '/api/admin/groups', { body: group })).body.id;
});

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token?: string) =>
  call(harness.app, method, `/api/admin/projects/${project}${path}`, {
    ...(body ? { body } : {}),
    ...(token ? { token } : {}),
  });
const set = (roles: object[], token?: string) => ask('PUT', '/access', { roles }, token);
const makeRole = async (...permissions: object[]): Promise<number> => {
  const body = { name: `Custom ${++number}`, type: 'custom', permissions };
  return (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles.id;
};

/** The roles of all users and groups, as the API returns them. */
async function held(): Promise<{ users: [number, number[]][]; groups: [number, number[]][] }> {
  const { users, groups } = (await ask('GET', '/access')).body;
  const pairs = (list: { id: number; roles: number[] }[]) =>
    list.map(({ id, roles }): [number, number[]] => [id, roles]);
  return { users: pairs(users), groups: pairs(groups) };
}

/** The events about access to the project after the given id, oldest first. */
async function accessEvents(after = 0) {
  const query = `project=IS:${project}&limit=1000`;
  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;
  return (
    events
      .filter(
        (event: { id: number; type: string }) => event.id > after && event.type.startsWith('project-access'),
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

const lastEvent = async (): Promise<number> =>
  (await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db)).rows[0]?.id ?? 0;

test('replaces all access, with an event for each holder whose roles change', async () => {
  await set([
    { id: Owner, users: [ann.id], groups: [] },
    { id: Member, users: null, groups: [team] },
  ]);
  const first = await lastEvent();

  const response = await set([
    { id: Owner, users: [bob.id] },
    { id: Member, users: [bob.id, ann.id] },
  ]);

  expect(response).toMatchObject({ status: 200, body: '' });
  expect(await held()).toEqual({
    users: [
      [ann.id, [Member]],
      [bob.id, [Owner, Member]],
    ],
    groups: [],
  });
  expect(await accessEvents(first)).toMatchObject([
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
      preData: { groupId: team, roles: [Member] },
    },
    {
      type: 'project-access-user-roles-updated',
      data: { userId: ann.id, roles: [Member] },
      preData: { userId: ann.id, roles: [Owner] },
    },
  ]);
});

test('events name users, groups and custom roles', async () => {
  const custom = await makeRole({ name: 'UPDATE_FEATURE' });
  const name = `Custom ${number}`;
  await set([{ id: custom, users: [ann.id, bob.id], groups: [team] }]);
  await set([
    { id: Owner, users: [ann.id] },
    { id: custom, users: [ann.id] },
  ]);

  const query = `project=IS:${project}&limit=4`;
  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body;
  const summaries = events.map(({ summary }: { summary: string }) => summary).join('\n');
  expect(summaries).toContain(`**${ann.username}**`);
  expect(summaries).toContain(`roles: **${name}**`);
  expect(summaries).toContain(`from **${name}** to **Owner** and **${name}**`);
  expect(summaries).toContain(`roles of user **${bob.username}**`);
});

test('returns users, groups with their members, and the roles that can be granted', async () => {
  const custom = await makeRole({ name: 'UPDATE_FEATURE' });
  await set([{ id: custom, users: [ann.id], groups: [team] }]);

  const { status, body } = await ask('GET', '/access');

  expect(status).toBe(200);
  expect(body.roles.map((role: { id: number }) => role.id)).toEqual(
    expect.arrayContaining([Owner, Member, Reader, custom]),
  );
  expect(body.roles.map((role: { type: string }) => role.type)).not.toContain('root');
  expect(body.users).toEqual([
    {
      id: ann.id,
      name: ann.username,
      username: ann.username,
      email: null,
      isAPI: false,
      roleId: custom,
      roles: [custom],
      addedAt: expect.any(String),
    },
  ]);
  expect(body.groups[0]).toMatchObject({ id: team, roles: [custom], users: [{ user: { id: bob.id } }] });
});

test('writes nothing for the same access in a different order', async () => {
  const roles = [
    { id: Owner, users: [ann.id] },
    { id: Reader, users: [bob.id, ann.id], groups: [team] },
  ];
  await set(roles);
  const before = await lastEvent();

  await set([...roles, ...roles].toReversed());

  expect(await lastEvent()).toBe(before);
});

test.each(['user', 'group'] as const)('grants, replaces and revokes the roles of a %s', async kind => {
  const id = kind === 'user' ? ann.id : team;
  const at = `/${kind}s/${id}/roles`;
  const now = async () => (await held())[`${kind}s`].find(([who]) => who === id)?.[1] ?? [];

  const states = [];
  for (const [method, path, body] of [
    ['POST', `${at}/${Reader}`],
    ['POST', `${at}/${Member}`],
    ['POST', `${at}/${Member}`],
    ['DELETE', `${at}/${Reader}`],
    ['PUT', `${at}/${Reader}`],
    ['PUT', at, { roles: [Member, Reader, Member] }],
    ['DELETE', at],
    ['DELETE', at],
  ] as ['POST' | 'PUT' | 'DELETE', string, object?][]) {
    expect((await ask(method, path, body)).status).toBe(200);
    states.push(await now());
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
  expect((await accessEvents()).map((event: { type: string }) => event.type)).toEqual([
    'project-access-added',
    ...Array(4).fill(`project-access-${kind}-roles-updated`),
    `project-access-${kind}-roles-deleted`,
  ]);
});

test('grants roles to several holders in addition to their roles', async () => {
  await ask('POST', `/users/${ann.id}/roles/${Reader}`);

  const several = await ask('POST', '/access', { roles: [Member], users: [ann.id], groups: [team] });
  const one = await ask('POST', `/role/${Owner}/access`, { users: [{ id: bob.id }] });

  expect([several.status, one.status]).toEqual([200, 200]);
  expect(await held()).toEqual({
    users: [
      [ann.id, [Member, Reader]],
      [bob.id, [Owner]],
    ],
    groups: [[team, [Member]]],
  });
});

test('rejects unknown users, groups and roles, each with its path', async () => {
  const response = await set([
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
  expect(await ask(method, path())).toMatchObject({ status: 404, body: { name: 'NotFoundError', message } });
});

test('treats a deleted user as unknown', async () => {
  await sql`update users set deleted_at = now() where id = ${ann.id}`.execute(harness.db);

  expect((await ask('POST', `/users/${ann.id}/roles/${Reader}`)).status).toBe(404);
});

test('lets a manager of access grant and revoke only permissions that they have', async () => {
  const manager = await makeRole(
    { name: 'PROJECT_USER_ACCESS_WRITE' },
    { name: 'UPDATE_FEATURE' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
  );
  const less = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' });
  const elsewhere = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' });
  const everywhere = await makeRole({ name: 'UPDATE_FEATURE_ENVIRONMENT' });
  await set([
    { id: manager, users: [ann.id] },
    { id: Owner, users: [bob.id] },
  ]);
  const before = await lastEvent();
  const give = async (role: number) =>
    (await ask('POST', `/groups/${team}/roles/${role}`, undefined, ann.token)).body.name;

  expect(await give(Owner)).toBe('NoAccessError');
  expect(await give(elsewhere)).toBe('NoAccessError');
  expect(await give(everywhere)).toBe('NoAccessError');
  // They can do so neither for themselves, nor by revoking, nor together with allowed roles.
  expect((await ask('PUT', `/users/${ann.id}/roles/${Owner}`, undefined, ann.token)).status).toBe(403);
  expect((await ask('DELETE', `/users/${bob.id}/roles`, undefined, ann.token)).status).toBe(403);
  expect((await set([{ id: less, users: [ann.id, bob.id] }], ann.token)).status).toBe(403);
  expect(await lastEvent()).toBe(before);

  expect(await give(less)).toBeUndefined();
  expect(await give(Reader)).toBeUndefined();
  expect(await give(manager)).toBeUndefined();
});

test('lets an owner grant roles with more permissions than Owner, even an owner through a group', async () => {
  const approver = await makeRole({ name: 'APPROVE_CHANGE_REQUEST' });
  await set([{ id: Owner, groups: [team] }]);

  expect((await ask('POST', `/users/${ann.id}/roles/${approver}`, undefined, bob.token)).status).toBe(200);
});

test('does not treat a root role with UPDATE_PROJECT as owner', async () => {
  const body = { name: `Root ${++number}`, type: 'root-custom', permissions: [{ name: 'UPDATE_PROJECT' }] };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;
  await sql`update user_roles set role_id = ${id} where user_id = ${ann.id}`.execute(harness.db);

  expect((await ask('POST', `/users/${ann.id}/roles/${Owner}`, undefined, ann.token)).status).toBe(403);
  expect((await ask('POST', `/users/${ann.id}/roles/${Reader}`, undefined, ann.token)).status).toBe(200);
});

test.each([
  ['revoked alone', () => ask('DELETE', `/users/${ann.id}/roles/${Owner}`)],
  ['replaced by another', () => ask('PUT', `/users/${ann.id}/roles/${Member}`)],
  ['revoked with all others', () => ask('DELETE', `/users/${ann.id}/roles`)],
  ['missing in the new access', () => set([{ id: Member, users: [ann.id], groups: [team] }])],
  ['revoked by its holder', () => ask('DELETE', `/users/${ann.id}/roles`, undefined, ann.token)],
])('keeps the last owner when the role is %s', async (_case, revoke) => {
  await set([{ id: Owner, users: [ann.id] }]);
  const before = await lastEvent();

  expect(await revoke()).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await held()).users).toEqual([[ann.id, [Owner]]]);
  expect(await lastEvent()).toBe(before);
});

test('a group counts as an owner only if it has members', async () => {
  const empty = (await call(harness.app, 'POST', '/api/admin/groups', { body: { name: `Empty ${number}` } }))
    .body.id;
  await set([{ id: Owner, users: [ann.id], groups: [empty] }]);

  const rejected = await ask('DELETE', `/users/${ann.id}/roles`);
  await ask('POST', `/groups/${team}/roles/${Owner}`);
  const allowed = await ask('DELETE', `/users/${ann.id}/roles`);

  expect([rejected.status, allowed.status]).toEqual([403, 200]);
});

test('transfers ownership in one request', async () => {
  await set([{ id: Owner, users: [ann.id] }]);

  expect((await set([{ id: Owner, users: [bob.id] }], ann.token)).status).toBe(200);
});

test('accepts a project that never had an owner', async () => {
  expect((await set([{ id: Member, users: [ann.id] }])).status).toBe(200);
  expect((await set([])).status).toBe(200);
});

test('keeps one of two owners who leave at the same time', async () => {
  await set([{ id: Owner, users: [ann.id, bob.id] }]);
  // Both wait before they write their events, unless the second waits for the first.
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table events in exclusive mode`.execute(blocker);

  const both = Promise.all([ann, bob].map(user => ask('DELETE', `/users/${user.id}/roles`)));
  await untilWaiting(harness.db, 2);
  await blocker.rollback().execute();

  expect((await both).map(response => response.status).toSorted()).toEqual([200, 403]);
});

test('rejects a grant to a group that a concurrent request deletes', async () => {
  const deleting = await harness.db.startTransaction().execute();
  await sql`delete from groups where id = ${team}`.execute(deleting);

  const grant = ask('POST', `/groups/${team}/roles/${Reader}`);
  await untilWaiting(harness.db);
  await deleting.commit().execute();

  expect((await grant).status).toBe(404);
});

test('records the revocation once when a group is deleted during a change of access', async () => {
  await set([{ id: Reader, groups: [team] }]);
  const before = await lastEvent();
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from groups where id = ${team} for update`.execute(blocker);

  const both = [call(harness.app, 'DELETE', `/api/admin/groups/${team}`), set([])];
  await untilWaiting(harness.db, 2);
  await blocker.rollback().execute();

  expect((await Promise.all(both)).map(response => response.status)).toEqual([200, 200]);
  expect((await accessEvents(before)).map((event: { type: string }) => event.type)).toEqual([
    'project-access-group-roles-deleted',
  ]);
});

test(`the events alone reproduce all roles (seed ${SEED})`, async () => {
  const role = fc.constantFrom(Owner, Member, Reader);
  const steps = fc.record({
    kind: fc.constantFrom('give', 'take', 'set', 'give many', 'set all'),
    holder: fc.constantFrom(`/users/${ann.id}`, `/users/${bob.id}`, `/groups/${team}`),
    user: fc.constantFrom(ann.id, bob.id),
    role,
    roles: fc.uniqueArray(role),
  });
  for (const { kind, holder, user, role: one, roles } of fc.sample(steps, {
    numRuns: sized({ usual: 25, long: 600 }),
    seed: SEED,
  })) {
    const { status } =
      kind === 'give'
        ? await ask('POST', `${holder}/roles/${one}`)
        : kind === 'take'
          ? await ask('DELETE', `${holder}/roles/${one}`)
          : kind === 'set'
            ? await ask('PUT', `${holder}/roles`, { roles })
            : kind === 'give many'
              ? await ask('POST', '/access', { roles, users: [user], groups: [team] })
              : await set(roles.map(id => ({ id, users: [user], groups: [team] })));
    expect([200, 403]).toContain(status);
  }

  const state = new Map<string, number[]>();
  for (const { type, data, preData } of await accessEvents()) {
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
  const { users, groups } = await held();
  const rows = [
    ...users.map(([id, list]) => [`user ${id}`, list] as const),
    ...groups.map(([id, list]) => [`group ${id}`, list] as const),
  ];
  expect(new Map(rows)).toEqual(state);
});

test('does not show the access to callers who can only read the project', async () => {
  await makeMember(harness.db, ann, project, 'Member');

  for (const [method, path] of [
    ['GET', '/access'],
    ['DELETE', `/users/${ann.id}/roles`],
  ] as const) {
    expect(await ask(method, path, undefined, ann.token)).toMatchObject({
      status: 403,
      body: { name: 'NoAccessError' },
    });
  }
});

test('uses the same number of statements for many holders', async () => {
  const count = async (work: () => Promise<unknown>) => {
    const before = harness.statements.length;
    await work();
    return harness.statements.length - before;
  };
  const few = [
    await count(() =>
      set([
        { id: Owner, users: [ann.id] },
        { id: Reader, groups: [team] },
      ]),
    ),
    await count(() => ask('GET', '/access')),
  ];
  const users = await Promise.all([1, 2, 3, 4, 5].map(() => makeUser(harness.db, 'Viewer')));
  const ids = users.map(({ id }) => id);
  await set([{ id: Owner, users: [ann.id] }]);

  const many = [
    await count(() =>
      set([
        { id: Owner, users: [ann.id] },
        { id: Member, users: ids, groups: [team] },
      ]),
    ),
    await count(() => ask('GET', '/access')),
  ];

  expect(many).toEqual(few);
});
