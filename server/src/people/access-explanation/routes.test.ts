import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let dora: TestUser;
let emil: TestUser;
let ada: TestUser;
let ben: TestUser;
let roleId: number;
let groupId: number;

const explain = async (query: Record<string, string | number>, token = ADMIN_TOKEN) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return await call(harness.app, 'GET', `/api/admin/access/explain?${search}`, { token });
};

beforeAll(async () => {
  const { app, db } = harness;
  await makeProject(db, { id: 'payments', name: 'Payments' });
  [ada, ben, dora, emil] = [
    await makeUser(db, 'Admin', 'ada'),
    await makeUser(db, 'Viewer', 'ben'),
    await makeUser(db, 'Viewer', 'dora'),
    await makeUser(db, 'Editor', 'emil'),
  ];
  await makeMember(db, ben, 'payments', 'Owner');
  const post = async (path: string, body: object, token = ada.token) =>
    await call(app, 'POST', `/api/admin/${path}`, { body, token });
  const permissions = [
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    { name: 'CREATE_FEATURE' },
  ];
  roleId = (await post('roles', { name: 'Release manager', type: 'custom', permissions })).body.roles.id;
  groupId = (await post('groups', { name: 'on-call', users: [{ user: { id: dora.id } }] })).body.id;
  await post('projects/payments/access', { roles: [roleId], users: [], groups: [groupId] }, ben.token);
  const testerPermissions = [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }];
  const testerRoleId = (
    await post('roles', { name: 'Tester', type: 'custom', permissions: testerPermissions })
  ).body.roles.id;
  await post('projects/payments/access', { roles: [testerRoleId], users: [emil.id], groups: [] }, ben.token);
});

const QUERY = { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'payments', environment: 'production' };

describe('allowed', () => {
  test('names the group and the role, who granted them and when', async () => {
    const { status, body } = await explain({ ...QUERY, user: dora.id });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: { id: dora.id, name: 'dora', kind: 'user' },
      project: { id: 'payments', name: 'Payments', mode: 'open' },
      allowed: true,
      reason: 'role',
      summary:
        '"dora" has UPDATE_FEATURE_ENVIRONMENT in environment "production" of project "payments", through the role "Release manager" of the group "on-call".',
      paths: [
        {
          role: { id: roleId, name: 'Release manager', type: 'custom' },
          project: 'payments',
          group: { id: groupId, name: 'on-call', addedBy: 'ada', joinedAt: expect.any(String) },
          grantedBy: 'ben',
          grantedAt: expect.any(String),
          permission: 'UPDATE_FEATURE_ENVIRONMENT',
        },
      ],
      otherRoles: [{ role: { name: 'Viewer' }, why: 'lacks-permission', environments: [] }],
      roles: [],
      changes: [],
      grantors: [],
    });
  });

  test('returns the same explanation when users ask about themselves', async () => {
    const adminExplanation = await explain({ ...QUERY, user: dora.id });
    const ownExplanation = await explain(QUERY, dora.token);

    expect(ownExplanation.body).toEqual(adminExplanation.body);
  });

  test('ADMIN includes every permission', async () => {
    const { body } = await explain({ ...QUERY, user: ada.id });

    expect(body).toMatchObject({ allowed: true, reason: 'admin', paths: [{ permission: 'ADMIN' }] });
  });

  test('an admin token has every permission and no role', async () => {
    const { body } = await explain({ permission: 'CREATE_PROJECT' });

    expect(body).toMatchObject({
      subject: { id: -42, kind: 'admin-token' },
      allowed: true,
      reason: 'admin-token',
      paths: [],
    });
  });

  test('everyone can read an open project', async () => {
    const { body } = await explain({ user: emil.id, project: 'payments' });

    expect(body).toMatchObject({ allowed: true, reason: 'everyone', permission: null, paths: [] });
  });

  test('names who set the root role and when', async () => {
    const explanationBefore = await explain({ user: ben.id, permission: 'CREATE_PROJECT' });
    await call(harness.app, 'PUT', `/api/admin/user-admin/${ben.id}`, {
      body: { rootRole: 2 },
      token: ada.token,
    });
    const explanationAfter = await explain({ user: ben.id, permission: 'CREATE_PROJECT' });

    expect(explanationBefore.body.otherRoles[0]).toMatchObject({
      role: { name: 'Viewer' },
      grantedBy: 'system',
    });
    expect(explanationAfter.body.paths[0]).toMatchObject({
      role: { name: 'Editor' },
      grantedBy: 'ada',
      project: null,
    });
    expect(explanationAfter.body.paths[0].grantedAt > explanationBefore.body.otherRoles[0].grantedAt).toBe(
      true,
    );
  });
});

describe('not allowed', () => {
  test("lists the user's roles, the changes that would allow the request, and who can make them", async () => {
    const { body } = await explain({ ...QUERY, user: emil.id });

    expect(body).toMatchObject({
      allowed: false,
      reason: 'lacks-permission',
      summary: '"emil" lacks UPDATE_FEATURE_ENVIRONMENT in environment "production" of project "payments".',
      paths: [],
    });
    expect(body.otherRoles).toMatchObject([
      { role: { name: 'Editor' }, project: null, why: 'other-projects' },
      {
        role: { name: 'Tester' },
        grantedBy: 'ben',
        why: 'other-environments',
        environments: ['development'],
      },
    ]);
    expect(body.roles.map(({ name }: { name: string }) => name)).toEqual([
      'Release manager',
      'Member',
      'Owner',
      'Admin',
    ]);
    expect(body.changes.slice(0, 2)).toEqual([
      {
        kind: 'join-group',
        role: { id: roleId, name: 'Release manager', type: 'custom' },
        group: { id: groupId, name: 'on-call' },
        alsoGrants: [{ permission: 'CREATE_FEATURE' }],
        otherProjects: 0,
        replaces: null,
        loses: [],
      },
      expect.objectContaining({
        kind: 'grant-project-role',
        role: { id: roleId, name: 'Release manager', type: 'custom' },
        alsoGrants: [{ permission: 'CREATE_FEATURE' }],
      }),
    ]);
    expect(body.changes.at(-1)).toMatchObject({
      kind: 'set-root-role',
      role: { name: 'Admin' },
      replaces: { name: 'Editor' },
      loses: [],
    });
    expect(body.grantors).toEqual([
      { id: ada.id, name: 'ada', because: 'admin' },
      { id: ben.id, name: 'ben', because: 'owner' },
    ]);
  });

  test('only admins can grant an instance permission, and are listed by name', async () => {
    await sql`update users set name = 'Ada Lovelace' where id = ${ada.id}`.execute(harness.db);
    const { body } = await explain({ user: dora.id, permission: 'CREATE_TAG_TYPE' });

    expect(body.changes).toMatchObject([
      { kind: 'set-root-role', role: { name: 'Editor' }, replaces: { name: 'Viewer' } },
      { kind: 'set-root-role', role: { name: 'Admin' } },
    ]);
    expect(body.grantors).toEqual([{ id: ada.id, name: 'Ada Lovelace', because: 'admin' }]);
  });

  test('lists the permissions that a new root role lacks', async () => {
    const permissions = [{ name: 'UPDATE_CORS' }];
    await call(harness.app, 'POST', '/api/admin/roles', {
      body: { name: 'Origins', type: 'root-custom', permissions },
    });

    const { body } = await explain({ user: emil.id, permission: 'UPDATE_CORS' });

    expect(body.changes[0]).toMatchObject({ role: { name: 'Origins' }, replaces: { name: 'Editor' } });
    expect(body.changes[0].loses).toContain('CREATE_PROJECT');
  });

  test("a private project requires a role in it, regardless of the root role's permissions", async () => {
    await makeProject(harness.db, { id: 'secret', mode: 'private' });

    const { body } = await explain({ user: emil.id, project: 'secret' });

    expect(body).toMatchObject({ allowed: false, reason: 'cannot-read-project' });
    expect(body.changes[0]).toMatchObject({ kind: 'grant-project-role', role: { name: 'Reader' } });
    expect(body.changes.map(({ role: { name } }: { role: { name: string } }) => name)).not.toContain(
      'Editor',
    );
  });
});

describe('rejections', () => {
  test('only admins can ask about others, whether or not the user exists', async () => {
    for (const user of [emil.id, 999_999]) {
      const { status, body } = await explain({ user }, dora.token);
      expect([status, body.name]).toEqual([403, 'NoAccessError']);
    }
  });

  test('returns 404 for a user that does not exist', async () => {
    expect((await explain({ user: 999_999 })).status).toBe(404);
  });

  test('returns 404 for an environment that does not exist', async () => {
    const { status, body } = await explain({ project: 'payments', environment: 'nowhere' });
    expect([status, body.message]).toEqual([
      404,
      'Environment "nowhere" does not exist. GET /api/admin/environments lists the environments.',
    ]);
  });

  test('returns 400 for an environment without a project, and for an unknown permission', async () => {
    expect((await explain({ environment: 'production' })).body.details).toEqual([
      { message: 'environment requires project', path: '/query/environment' },
    ]);
    expect((await explain({ permission: 'FLY' })).status).toBe(400);
  });
});
