import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { TokenScope } from '../platform/actor.ts';
import { SYSTEM } from '../platform/actor.ts';
import { change } from '../record/change.ts';
import { makeFeature, makeProject, makeScopedToken, makeUser, type TestUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { untilWaiting } from '../test/waiting.ts';

const harness = useHarness();
let admin: TestUser;

beforeAll(async () => {
  admin = await makeUser(harness.db, 'Admin', 'anna');
  for (const id of ['shop', 'bank']) {
    await makeProject(harness.db, { id });
    await makeFeature(harness.db, id, { name: `flag-of-${id}` });
  }
  await makeProject(harness.db, { id: 'vault', mode: 'private' });
});

/** A token of a new admin, or of the given owner. */
const tokenWith = async (scope: TokenScope, owner?: TestUser) =>
  makeScopedToken(harness.db, owner ?? (await makeUser(harness.db, 'Admin')), scope);

/** The status of a request with the token, and the message of a rejection. */
async function ask(token: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const response = await call(harness.app, method, `/api/admin/${path}`, { token, body });
  return { status: response.status, message: response.body?.message as string, body: response.body };
}

const newFlag = () => ({ name: `new-${Math.random().toString(36).slice(2)}` });
const createIn = (token: string, project: string) =>
  ask(token, 'POST', `projects/${project}/features`, newFlag());

test('a token for one project reads and changes only this project, even if an admin owns it', async () => {
  const token = await tokenWith({ projects: ['shop'] });

  expect((await createIn(token, 'shop')).status).toBe(201);
  expect(await createIn(token, 'bank')).toMatchObject({
    status: 403,
    message:
      'The scope of the token does not allow this: it is limited to project "shop" and does not include project "bank".',
  });
  expect((await createIn(token, 'no-such-project')).message).toBe(
    'The scope of the token does not allow this: it is limited to project "shop" and does not include project "no-such-project".',
  );
  const { projects } = (await ask(token, 'GET', 'projects')).body;
  expect(projects.map(({ id }: { id: string }) => id)).toEqual(['shop']);
  const { features } = (await ask(token, 'GET', 'search/features?limit=100')).body;
  expect(new Set(features.map(({ project }: { project: string }) => project))).toEqual(new Set(['shop']));
  expect((await ask(token, 'GET', 'features/flag-of-bank/tags')).status).toBe(404);
  const { events } = (await ask(token, 'GET', 'search/events?limit=100')).body;
  expect(new Set(events.map(({ project }: { project: string }) => project))).toEqual(new Set(['shop']));
});

test('a token for a private project reads it if its owner may', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');

  expect((await ask(await tokenWith({ projects: ['vault'] }), 'GET', 'projects/vault')).status).toBe(200);
  await expect(makeScopedToken(harness.db, viewer, { projects: ['missing'] })).rejects.toMatchObject({
    details: [{ message: 'scope.projects has unknown projects: "missing"' }],
  });
  const token = await makeScopedToken(harness.db, viewer, { projects: ['vault'] });
  expect((await ask(token, 'GET', 'projects/vault')).status).toBe(404);
});

const ON = (environment: string) => `projects/shop/features/flag-of-shop/environments/${environment}/on`;

test('a token for one environment changes only this environment, and nothing that applies to all', async () => {
  const token = await tokenWith({ environments: ['development'] });

  expect((await ask(token, 'POST', ON('development'))).status).toBe(200);
  expect(await ask(token, 'POST', ON('production'))).toMatchObject({
    status: 403,
    message:
      'The scope of the token does not allow this: it is limited to environment "development" and does not include "production".',
  });
  expect((await ask(token, 'DELETE', 'projects/shop/features/flag-of-shop')).message).toMatch(
    /does not name the permission DELETE_FEATURE, which applies to every environment\.$/,
  );
});

test('a list of permissions allows nothing else', async () => {
  const token = await tokenWith({ projects: ['shop'], permissions: ['CREATE_FEATURE', 'CREATE_SEGMENT'] });

  expect((await createIn(token, 'shop')).status).toBe(201);
  expect((await ask(token, 'POST', 'segments', { name: 'all', constraints: [] })).status).toBe(201);
  expect(await ask(token, 'POST', ON('development'))).toMatchObject({
    status: 403,
    message:
      'The scope of the token does not allow this: it does not include the permission UPDATE_FEATURE_ENVIRONMENT.',
  });
});

test('a read-only token changes nothing', async () => {
  const token = await tokenWith({ readOnly: true });

  expect((await ask(token, 'GET', 'projects/vault')).status).toBe(200);
  expect(
    (
      await ask(token, 'POST', 'playground', {
        projects: '*',
        environment: 'development',
        context: { appName: 'x' },
      })
    ).status,
  ).toBe(200);
  for (const [path, body] of [
    ['projects/shop/features', newFlag()],
    ['projects/shop/favorites', undefined],
  ] as const)
    expect(await ask(token, 'POST', path, body)).toMatchObject({
      status: 403,
      message: 'The scope of the token does not allow this: it is read-only.',
    });
});

test('no scope includes permissions with which a token could leave it', async () => {
  const token = await tokenWith({ maxChanges: 1_000 });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const attempts: [Parameters<typeof ask>[1], string, unknown?][] = [
    ['POST', 'user/tokens', { description: 'x', expiresAt }],
    ['GET', 'user/tokens'],
    ['POST', 'user/change-password', { password: 'a', confirmPassword: 'a', oldPassword: 'b' }],
    ['DELETE', 'user/sessions'],
    ['POST', 'user-admin', { name: 'x', rootRole: 1 }],
    ['PUT', `user-admin/${admin.id}`, { rootRole: 1 }],
    ['POST', 'user-admin/reset-password', { id: admin.id }],
    ['POST', 'service-account', { name: 'x', rootRole: 1 }],
    ['POST', 'api-tokens', { tokenName: 'x', type: 'client', environment: 'development' }],
    ['POST', 'projects/shop/api-tokens', { tokenName: 'x', type: 'client', environment: 'development' }],
    ['POST', 'addons', { provider: 'webhook', enabled: true, events: [], parameters: {} }],
    ['PUT', 'projects/shop/access', { roles: [], groups: [], users: [] }],
    ['POST', 'invite-link/tokens', { name: 'x', expiresAt }],
    ['GET', 'user-admin'],
  ];

  for (const [method, path, body] of attempts) {
    const { status, message } = await ask(token, method, path, body);
    expect([path, status]).toEqual([path, 403]);
    expect(message).toMatch(/^The scope of the token does not allow this: /);
  }
});

test('a token cannot move or clone a flag into a project outside its scope', async () => {
  const token = await tokenWith({ projects: ['shop'] });
  const { name } = (await createIn(token, 'shop')).body;

  const moved = await ask(token, 'POST', `projects/shop/features/${name}/changeProject`, {
    newProjectId: 'bank',
  });
  const cloned = await ask(token, 'POST', `projects/shop/features/${name}/clone`, {
    name: 'taken-out',
    project: 'bank',
  });

  expect([moved.status, cloned.status]).toEqual([403, 403]);
});

test('a token for one project creates nothing outside projects, not even by an import', async () => {
  const importing = (scope: TokenScope) => async (name: string, data: object) =>
    await ask(await tokenWith(scope), 'POST', 'features-batch/import', {
      project: 'shop',
      environment: 'development',
      data: { features: [{ name, type: 'release' }], featureStrategies: [], ...data },
    });
  const inShop = importing({ projects: ['shop'] });

  const field = await inShop('with-field', { contextFields: [{ name: 'imported-field' }] });
  const tagType = await inShop('with-tag-type', { tagTypes: [{ name: 'imported-type' }] });
  const plain = await inShop('with-tag', {
    featureTags: [{ featureName: 'with-tag', tagType: 'simple', tagValue: 'imported' }],
  });

  expect([field.status, tagType.status, plain.status]).toEqual([403, 403, 200]);
  expect(field.message).toContain('CREATE_CONTEXT_FIELD');
  const named = importing({
    projects: ['shop'],
    permissions: [
      ...['CREATE_CONTEXT_FIELD', 'CREATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT'],
    ],
  });
  expect((await named('with-field', { contextFields: [{ name: 'imported-field' }] })).status).toBe(200);
});

test('a token with a scope does not open a private project', async () => {
  const token = await tokenWith({ projects: ['vault'] });

  expect(await ask(token, 'PUT', 'projects/vault/settings', { mode: 'open' })).toMatchObject({
    status: 403,
    message:
      'The scope of the token does not allow this: a token with a scope cannot change the mode of a project, because that grants access.',
  });
  expect((await ask(token, 'PUT', 'projects/vault', { name: 'Vault', mode: 'private' })).status).toBe(200);
});

test('a token loses the permissions that its owner loses, and ends when the owner is deactivated', async () => {
  const owner = await makeUser(harness.db, 'Admin');
  const token = await tokenWith({ projects: ['shop'] }, owner);
  expect((await createIn(token, 'shop')).status).toBe(201);

  await call(harness.app, 'PUT', `/api/admin/user-admin/${owner.id}`, { body: { rootRole: 3 } });
  expect(await createIn(token, 'shop')).toMatchObject({
    status: 403,
    message: 'This operation requires the permission CREATE_FEATURE in project "shop".',
  });
  expect((await ask(token, 'GET', 'projects/shop')).status).toBe(200);

  await call(harness.app, 'POST', `/api/admin/user-admin/${owner.id}/deactivate`);
  expect((await ask(token, 'GET', 'projects/shop')).status).toBe(401);
});

test('a token ends when a new project gets the id of one that its scope names', async () => {
  await makeProject(harness.db, { id: 'kiosk' });
  const token = await tokenWith({ projects: ['shop', 'kiosk'] });
  expect((await createIn(token, 'shop')).status).toBe(201);

  expect((await ask(admin.token, 'DELETE', 'projects/kiosk')).status).toBe(200);
  expect((await createIn(token, 'shop')).status).toBe(201);
  await makeProject(harness.db, { id: 'kiosk' });

  expect(await ask(token, 'GET', 'projects/kiosk')).toMatchObject({
    status: 401,
    message: expect.stringContaining('revoked'),
  });
  expect((await createIn(token, 'shop')).status).toBe(401);
  expect((await createIn(await tokenWith({ projects: ['kiosk'] }), 'kiosk')).status).toBe(201);
});

test('a server that knows no scopes does not accept the token, because its secret does not begin with user:', async () => {
  expect(await tokenWith({ readOnly: true })).toMatch(/^scoped:hyp_/);
});

test('a token makes no more changes than its scope allows, and says how many are left', async () => {
  const token = await tokenWith({ projects: ['shop'], maxChanges: 2 });
  await createIn(token, 'shop');
  expect((await ask(token, 'GET', 'user')).body.token).toMatchObject({
    changesLeft: 1,
    scope: { maxChanges: 2 },
  });
  await createIn(token, 'shop');

  expect(await createIn(token, 'shop')).toMatchObject({
    status: 403,
    message:
      'The scope of the token does not allow this: it allows 2 changes, 0 of them are left, and this needs 1.',
  });
  expect((await ask(token, 'GET', 'projects/shop')).status).toBe(200);
});

test('two concurrent changes cannot both use the last change that is left', async () => {
  const token = await tokenWith({ projects: ['shop'], maxChanges: 1 });
  const { body: me } = await ask(token, 'GET', 'user');

  const responses = await harness.db.transaction().execute(async tx => {
    await sql`select from personal_access_tokens where id = ${me.token.id} for update`.execute(tx);
    const both = Promise.all([createIn(token, 'shop'), createIn(token, 'shop')]);
    await untilWaiting(harness.db, 2);
    return { both };
  });

  expect((await responses.both).map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect((await ask(token, 'GET', 'user')).body.token.changesLeft).toBe(0);
});

test('a change that fails does not count', async () => {
  const token = await tokenWith({ projects: ['shop'], maxChanges: 1 });
  expect((await ask(token, 'POST', 'projects/shop/features', { name: 'flag-of-bank' })).status).toBe(409);
  expect((await createIn(token, 'shop')).status).toBe(201);
});

test('a change that records several events counts as several changes', async () => {
  const token = await tokenWith({ projects: ['shop'], maxChanges: 1 });
  const names = ['bulk-one', 'bulk-two'];
  for (const name of names) await makeFeature(harness.db, 'shop', { name });

  expect((await ask(token, 'POST', 'projects/shop/archive', { features: names })).message).toMatch(
    /1 of them are left, and this needs 2\.$/,
  );
});

test('the permissions of the caller are those that the token has', async () => {
  const scope = {
    projects: ['shop'],
    environments: ['development'],
    permissions: ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE'],
  };
  const { permissions } = (await ask(await tokenWith(scope), 'GET', 'user')).body;

  expect(permissions).toEqual([
    { permission: 'CREATE_FEATURE', project: 'shop' },
    { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'shop', environment: 'development' },
  ]);
});

test('an agent token requires limits', async () => {
  const session = await makeUser(harness.db, 'Editor');
  const create = (body: object) =>
    call(harness.app, 'POST', '/api/admin/user/tokens', {
      token: session.token,
      body: { description: 'agent', kind: 'agent', ...body },
    });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  const { body } = await create({ expiresAt: inDays(40) });
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/expiresAt',
    '/body/scope/projects',
    '/body/scope/maxChanges',
  ]);
  const scope = { projects: ['default'], maxChanges: 5 };
  const created = await create({ expiresAt: inDays(20), scope });
  expect(created).toMatchObject({ status: 201, body: { kind: 'agent', scope, changesLeft: 5 } });
  const name = newFlag().name;
  await call(harness.app, 'POST', '/api/admin/projects/default/features', {
    token: created.body.secret,
    body: { name },
    headers: { 'user-agent': 'claude-code/2.1 (linux)' },
  });
  const { events } = (
    await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}&createdByKind=IS:agent`)
  ).body;
  expect(events).toMatchObject([
    {
      createdBy: session.username,
      createdByUserId: session.id,
      createdByKind: 'agent',
      createdByToken: { id: created.body.id, name: 'agent' },
      createdByClient: 'claude-code/2.1',
      summary: expect.stringMatching(/^Agent \*\*agent\*\* for \*\*Editor/),
    },
  ]);
});

test.each([
  [{}, 'scope must set at least one limit'],
  [{ readOnly: false }, 'scope must set at least one limit'],
  [{ permissions: ['ADMIN'] }, 'permissions'],
  [{ environments: ['nowhere'] }, 'scope.environments has unknown environments'],
  [{ maxChanges: 0 }, 'maxChanges'],
  [{ maxProductionRollout: 101 }, 'maxProductionRollout'],
  [{ unknown: 1 }, 'unknown'],
])('rejects the scope %j', async (scope, message) => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const response = await call(harness.app, 'POST', '/api/admin/user/tokens', {
    token: admin.token,
    body: { description: 'x', expiresAt, scope },
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(response.body.details)).toContain(message);
});

test('a service account can have tokens with scopes', async () => {
  const { body: account } = await call(harness.app, 'POST', '/api/admin/service-account', {
    body: { name: 'deployer', rootRole: 1 },
  });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { body } = await call(harness.app, 'POST', `/api/admin/service-account/${account.id}/token`, {
    body: { description: 'ci', expiresAt, scope: { projects: ['shop'] } },
  });

  expect(body).toMatchObject({ kind: 'service', scope: { projects: ['shop'] }, changesLeft: null });
  expect((await createIn(body.secret, 'shop')).status).toBe(201);
  expect((await createIn(body.secret, 'bank')).status).toBe(403);
});

test('a change outside the scope is rejected even if the guard accepted the request', async () => {
  const scope = { projects: ['shop'], ownerIsAdmin: true };
  const actor = {
    ...SYSTEM,
    kind: 'user' as const,
    userId: admin.id,
    name: 'anna',
    isAdmin: false,
    scope,
    token: { id: 1, name: 'x', isAgent: false },
  };
  const leave = (event: object) =>
    change(harness.db, actor, async ({ record }) => {
      record({ type: 'feature-metadata-updated', ...event });
    });

  await expect(leave({ project: 'bank' })).rejects.toMatchObject({ name: 'NoAccessError' });
  await expect(leave({})).rejects.toMatchObject({
    message: expect.stringMatching(
      /limited to project "shop", and this changes something outside projects\.$/,
    ),
  });
  await expect(leave({ project: 'shop' })).resolves.toBeUndefined();
});
