import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { TokenScope } from '../platform/actor.ts';
import { SYSTEM } from '../platform/actor.ts';
import { change } from '../record/change.ts';
import { makeFeature, makeProject, makeScopedToken, makeUser, type TestUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { waitForLockWaiters } from '../test/waiting.ts';

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

/** Creates a token for the owner or, without one, for a new admin. */
const makeToken = async (scope: TokenScope, owner?: TestUser) =>
  makeScopedToken(harness.db, owner ?? (await makeUser(harness.db, 'Admin')), scope);

/** Sends a request with the token. Returns its status, and the message of a rejection. */
async function send(token: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const response = await call(harness.app, method, `/api/admin/${path}`, { token, body });
  return { status: response.status, message: response.body?.message as string, body: response.body };
}

const newFlag = () => ({ name: `new-${Math.random().toString(36).slice(2)}` });
const createFlag = (token: string, project: string) =>
  send(token, 'POST', `projects/${project}/features`, newFlag());

test('a token for one project can read and change only that project, even if its owner is an admin', async () => {
  const token = await makeToken({ projects: ['shop'] });

  expect((await createFlag(token, 'shop')).status).toBe(201);
  expect(await createFlag(token, 'bank')).toMatchObject({
    status: 403,
    message:
      'The token\'s scope does not allow this: it is limited to project "shop" and does not include project "bank".',
  });
  expect((await createFlag(token, 'no-such-project')).message).toBe(
    'The token\'s scope does not allow this: it is limited to project "shop" and does not include project "no-such-project".',
  );
  const { projects } = (await send(token, 'GET', 'projects')).body;
  expect(projects.map(({ id }: { id: string }) => id)).toEqual(['shop']);
  const { features } = (await send(token, 'GET', 'search/features?limit=100')).body;
  expect(new Set(features.map(({ project }: { project: string }) => project))).toEqual(new Set(['shop']));
  expect((await send(token, 'GET', 'features/flag-of-bank/tags')).status).toBe(404);
  const { events } = (await send(token, 'GET', 'search/events?limit=100')).body;
  expect(new Set(events.map(({ project }: { project: string }) => project))).toEqual(new Set(['shop']));
});

test("a token for a private project can read it if the token's owner can", async () => {
  const viewer = await makeUser(harness.db, 'Viewer');

  expect((await send(await makeToken({ projects: ['vault'] }), 'GET', 'projects/vault')).status).toBe(200);
  await expect(makeScopedToken(harness.db, viewer, { projects: ['missing'] })).rejects.toMatchObject({
    details: [{ message: 'scope.projects has unknown projects: "missing"' }],
  });
  const token = await makeScopedToken(harness.db, viewer, { projects: ['vault'] });
  expect((await send(token, 'GET', 'projects/vault')).status).toBe(404);
});

const enablePath = (environment: string) =>
  `projects/shop/features/flag-of-shop/environments/${environment}/on`;

test('a token for one environment can change that environment, but nothing that applies to all environments', async () => {
  const token = await makeToken({ environments: ['development'] });

  expect((await send(token, 'POST', enablePath('development'))).status).toBe(200);
  expect(await send(token, 'POST', enablePath('production'))).toMatchObject({
    status: 403,
    message:
      'The token\'s scope does not allow this: it is limited to environment "development" and does not include "production".',
  });
  expect((await send(token, 'DELETE', 'projects/shop/features/flag-of-shop')).message).toMatch(
    /does not name the permission DELETE_FEATURE, which applies to every environment\.$/,
  );
});

test('a scope with a list of permissions allows only those', async () => {
  const token = await makeToken({ projects: ['shop'], permissions: ['CREATE_FEATURE', 'CREATE_SEGMENT'] });

  expect((await createFlag(token, 'shop')).status).toBe(201);
  expect((await send(token, 'POST', 'segments', { name: 'all', constraints: [] })).status).toBe(201);
  expect(await send(token, 'POST', enablePath('development'))).toMatchObject({
    status: 403,
    message:
      "The token's scope does not allow this: it does not include the permission UPDATE_FEATURE_ENVIRONMENT.",
  });
});

test('a read-only token cannot change anything', async () => {
  const token = await makeToken({ readOnly: true });

  expect((await send(token, 'GET', 'projects/vault')).status).toBe(200);
  expect(
    (
      await send(token, 'POST', 'playground', {
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
    expect(await send(token, 'POST', path, body)).toMatchObject({
      status: 403,
      message: "The token's scope does not allow this: it is read-only.",
    });
});

test("a token with a scope cannot create credentials, grant access or use its owner's account", async () => {
  const token = await makeToken({ maxChanges: 1_000 });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const attempts: [Parameters<typeof send>[1], string, unknown?][] = [
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
    const { status, message } = await send(token, method, path, body);
    expect([path, status]).toEqual([path, 403]);
    expect(message).toMatch(/^The token's scope does not allow this: /);
  }
});

test('a token cannot move or clone a flag into a project outside its scope', async () => {
  const token = await makeToken({ projects: ['shop'] });
  const { name } = (await createFlag(token, 'shop')).body;

  const moveResponse = await send(token, 'POST', `projects/shop/features/${name}/changeProject`, {
    newProjectId: 'bank',
  });
  const cloneResponse = await send(token, 'POST', `projects/shop/features/${name}/clone`, {
    name: 'outside',
    project: 'bank',
  });

  expect([moveResponse.status, cloneResponse.status]).toEqual([403, 403]);
});

test('a token for one project cannot create anything outside its project, even through an import', async () => {
  const importWith = (scope: TokenScope) => async (name: string, data: object) =>
    await send(await makeToken(scope), 'POST', 'features-batch/import', {
      project: 'shop',
      environment: 'development',
      data: { features: [{ name, type: 'release' }], featureStrategies: [], ...data },
    });
  const importIntoShop = importWith({ projects: ['shop'] });

  const field = await importIntoShop('with-field', { contextFields: [{ name: 'imported-field' }] });
  const tagType = await importIntoShop('with-tag-type', { tagTypes: [{ name: 'imported-type' }] });
  const plainImport = await importIntoShop('with-tag', {
    featureTags: [{ featureName: 'with-tag', tagType: 'simple', tagValue: 'imported' }],
  });

  expect([field.status, tagType.status, plainImport.status]).toEqual([403, 403, 200]);
  expect(field.message).toContain('CREATE_CONTEXT_FIELD');
  const namedImport = importWith({
    projects: ['shop'],
    permissions: [
      ...['CREATE_CONTEXT_FIELD', 'CREATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT'],
    ],
  });
  expect((await namedImport('with-field', { contextFields: [{ name: 'imported-field' }] })).status).toBe(200);
});

test('a token with a scope cannot make a private project open', async () => {
  const token = await makeToken({ projects: ['vault'] });

  expect(await send(token, 'PUT', 'projects/vault/settings', { mode: 'open' })).toMatchObject({
    status: 403,
    message:
      "The token's scope does not allow this: a token with a scope cannot change the mode of a project, because that grants access.",
  });
  expect((await send(token, 'PUT', 'projects/vault', { name: 'Vault', mode: 'private' })).status).toBe(200);
});

test('a token loses the permissions that its owner loses, and becomes invalid when the owner is deactivated', async () => {
  const owner = await makeUser(harness.db, 'Admin');
  const token = await makeToken({ projects: ['shop'] }, owner);
  expect((await createFlag(token, 'shop')).status).toBe(201);

  await call(harness.app, 'PUT', `/api/admin/user-admin/${owner.id}`, { body: { rootRole: 3 } });
  expect(await createFlag(token, 'shop')).toMatchObject({
    status: 403,
    message: 'This operation requires the permission CREATE_FEATURE in project "shop".',
  });
  expect((await send(token, 'GET', 'projects/shop')).status).toBe(200);

  await call(harness.app, 'POST', `/api/admin/user-admin/${owner.id}/deactivate`);
  expect((await send(token, 'GET', 'projects/shop')).status).toBe(401);
});

test('a token becomes invalid when a project in its scope is deleted and a new project gets the same id', async () => {
  await makeProject(harness.db, { id: 'kiosk' });
  const token = await makeToken({ projects: ['shop', 'kiosk'] });
  expect((await createFlag(token, 'shop')).status).toBe(201);

  expect((await send(admin.token, 'DELETE', 'projects/kiosk')).status).toBe(200);
  expect((await createFlag(token, 'shop')).status).toBe(201);
  await makeProject(harness.db, { id: 'kiosk' });

  expect(await send(token, 'GET', 'projects/kiosk')).toMatchObject({
    status: 401,
    message: expect.stringContaining('revoked'),
  });
  expect((await createFlag(token, 'shop')).status).toBe(401);
  expect((await createFlag(await makeToken({ projects: ['kiosk'] }), 'kiosk')).status).toBe(201);
});

test('the secret of a token with a scope starts with scoped:, so that servers without scopes reject it', async () => {
  expect(await makeToken({ readOnly: true })).toMatch(/^scoped:hyp_/);
});

test('a token can make no more changes than its scope allows, and can read how many are left', async () => {
  const token = await makeToken({ projects: ['shop'], maxChanges: 2 });
  await createFlag(token, 'shop');
  expect((await send(token, 'GET', 'user')).body.token).toMatchObject({
    changesLeft: 1,
    scope: { maxChanges: 2 },
  });
  await createFlag(token, 'shop');

  expect(await createFlag(token, 'shop')).toMatchObject({
    status: 403,
    message: "The token's scope does not allow this: it allows 2 changes, 0 are left, and this needs 1.",
  });
  expect((await send(token, 'GET', 'projects/shop')).status).toBe(200);
});

test('two concurrent changes cannot both use the last remaining change', async () => {
  const token = await makeToken({ projects: ['shop'], maxChanges: 1 });
  const { body: me } = await send(token, 'GET', 'user');

  const pending = await harness.db.transaction().execute(async tx => {
    await sql`select from personal_access_tokens where id = ${me.token.id} for update`.execute(tx);
    const bothCreations = Promise.all([createFlag(token, 'shop'), createFlag(token, 'shop')]);
    await waitForLockWaiters(harness.db, 2);
    return { creations: bothCreations };
  });

  expect((await pending.creations).map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect((await send(token, 'GET', 'user')).body.token.changesLeft).toBe(0);
});

test('a change that fails does not count towards the maximum', async () => {
  const token = await makeToken({ projects: ['shop'], maxChanges: 1 });
  expect((await send(token, 'POST', 'projects/shop/features', { name: 'flag-of-bank' })).status).toBe(409);
  expect((await createFlag(token, 'shop')).status).toBe(201);
});

test('a change that records several events counts as several changes', async () => {
  const token = await makeToken({ projects: ['shop'], maxChanges: 1 });
  const names = ['bulk-one', 'bulk-two'];
  for (const name of names) await makeFeature(harness.db, 'shop', { name });

  expect((await send(token, 'POST', 'projects/shop/archive', { features: names })).message).toMatch(
    /1 is left, and this needs 2\.$/,
  );
});

test("lists only the permissions within the token's scope", async () => {
  const scope = {
    projects: ['shop'],
    environments: ['development'],
    permissions: ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE'],
  };
  const { permissions } = (await send(await makeToken(scope), 'GET', 'user')).body;

  expect(permissions).toEqual([
    { permission: 'CREATE_FEATURE', project: 'shop' },
    { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'shop', environment: 'development' },
  ]);
});

test('an agent token requires limits, and events name the agent and its client', async () => {
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
  const creation = await create({ expiresAt: inDays(20), scope });
  expect(creation).toMatchObject({ status: 201, body: { kind: 'agent', scope, changesLeft: 5 } });
  const name = newFlag().name;
  await call(harness.app, 'POST', '/api/admin/projects/default/features', {
    token: creation.body.secret,
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
      createdByToken: { id: creation.body.id, name: 'agent' },
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
  expect((await createFlag(body.secret, 'shop')).status).toBe(201);
  expect((await createFlag(body.secret, 'bank')).status).toBe(403);
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
  const recordEvent = (event: object) =>
    change(harness.db, actor, async ({ record }) => {
      record({ type: 'feature-metadata-updated', ...event });
    });

  await expect(recordEvent({ project: 'bank' })).rejects.toMatchObject({ name: 'NoAccessError' });
  await expect(recordEvent({})).rejects.toMatchObject({
    message: expect.stringMatching(/limited to project "shop", and this change is outside any project\.$/),
  });
  await expect(recordEvent({ project: 'shop' })).resolves.toBeUndefined();
});
