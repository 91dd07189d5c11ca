import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const ENVIRONMENTS_PATH = '/api/admin/environments';

const createEnvironment = async (name: string, fields: object = {}) =>
  (await call(harness.app, 'POST', ENVIRONMENTS_PATH, { body: { name, type: 'test', ...fields } })).body;
const getEnvironment = async (name: string) => await call(harness.app, 'GET', `${ENVIRONMENTS_PATH}/${name}`);
const deleteEnvironment = async (name: string) =>
  await call(harness.app, 'DELETE', `${ENVIRONMENTS_PATH}/${name}`);

const readEvents = async (environment: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?environment=IS:${environment}`);
  return body.events;
};
const readEventTypes = async (environment: string) =>
  (await readEvents(environment)).map((event: { type: string }) => event.type);

const insertFeature = async (project: string, name: string, enabledIn?: string) => {
  await harness.db.insertInto('features').values({ name, project, type: 'release' }).execute();
  if (enabledIn === undefined) return;
  await harness.db
    .insertInto('feature_environments')
    .values({ feature_name: name, environment: enabledIn, enabled: true })
    .execute();
};

test('a migrated database has development and production, in this order', async () => {
  const { status, body } = await call(harness.app, 'GET', ENVIRONMENTS_PATH);

  expect(status).toBe(200);
  expect(body).toEqual({
    version: 1,
    environments: [
      {
        name: 'development',
        type: 'development',
        enabled: true,
        protected: false,
        sortOrder: 100,
        projectCount: 1,
        apiTokenCount: 0,
        enabledToggleCount: 0,
      },
      expect.objectContaining({ name: 'production', type: 'production', sortOrder: 200 }),
    ],
  });
});

test('creates an environment, lists it last and records an event', async () => {
  const body = { name: 'staging', type: 'preproduction', unknown: 1 };

  const response = await call(harness.app, 'POST', ENVIRONMENTS_PATH, { body });

  expect(response).toMatchObject({
    status: 201,
    body: { name: 'staging', type: 'preproduction', enabled: true, protected: false, projectCount: 0 },
  });
  expect(await getEnvironment('staging')).toMatchObject({ status: 200, body: response.body });
  const list = (await call(harness.app, 'GET', ENVIRONMENTS_PATH)).body.environments;
  expect(list.at(-1)).toEqual(response.body);
  const { name, type, enabled, sortOrder } = response.body;
  expect(await readEvents('staging')).toMatchObject([
    { type: 'environment-created', project: null, preData: null },
  ]);
  expect((await readEvents('staging'))[0].data).toEqual({ name, type, enabled, protected: false, sortOrder });
});

test('lists environments with the same sort order by name', async () => {
  for (const name of ['twin-b', 'twin-a']) await createEnvironment(name, { sortOrder: 50, enabled: false });

  const { environments } = (await call(harness.app, 'GET', ENVIRONMENTS_PATH)).body;

  expect(environments.slice(0, 2)).toMatchObject([
    { name: 'twin-a', enabled: false },
    { name: 'twin-b', sortOrder: 50 },
  ]);
});

test.each([
  ['neither name nor type', {}, ['/body/name', '/body/type']],
  ['a name with a slash', { name: 'a/b', type: 'test' }, ['/body/name']],
  ['a name that is two dots', { name: '..', type: 'test' }, ['/body/name']],
  ['the name *, which means all environments', { name: '*', type: 'test' }, ['/body/name']],
  ['a name with 101 characters', { name: 'x'.repeat(101), type: 'test' }, ['/body/name']],
  ['an empty type', { name: 'x', type: '' }, ['/body/type']],
  ['a type with a control character', { name: 'x', type: 'test\u0007' }, ['/body/type']],
  ['a type with a percent sign', { name: 'x', type: '%s%n' }, ['/body/type']],
  ['a type that begins with a space', { name: 'x', type: ' test' }, ['/body/type']],
  ['a type that ends with a hyphen', { name: 'x', type: 'test-' }, ['/body/type']],
  [
    'a type with 101 characters, an invalid `enabled` and a negative sort order',
    { name: 'x', type: 'x'.repeat(101), enabled: 'yes', sortOrder: -1 },
    ['/body/enabled', '/body/sortOrder', '/body/type'],
  ],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', ENVIRONMENTS_PATH, { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('rejects a taken name with 409', async () => {
  const response = await call(harness.app, 'POST', ENVIRONMENTS_PATH, {
    body: { name: 'production', type: 'x' },
  });

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test.each([
  ['a free name', 'free-name', 200],
  ['a taken name', 'production', 409],
  ['a name with a space', 'a b', 400],
])('validates %s without creating an environment', async (_case, name, status) => {
  const response = await call(harness.app, 'POST', `${ENVIRONMENTS_PATH}/validate`, { body: { name } });

  expect(response.status).toBe(status);
  expect((await getEnvironment('free-name')).status).toBe(404);
});

test('updates the type and the sort order independently, and records the previous state', async () => {
  const { sortOrder } = await createEnvironment('moving');
  const put = (body: object) => call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/update/moving`, { body });

  await put({ type: 'production', enabled: false });
  const lastResponse = await put({ sortOrder: 7 });

  expect(lastResponse).toMatchObject({
    status: 200,
    body: { type: 'production', sortOrder: 7, enabled: true },
  });
  expect((await readEvents('moving')).slice(0, 2)).toMatchObject([
    {
      type: 'environment-updated',
      data: { type: 'production', sortOrder: 7 },
      preData: { type: 'production', sortOrder },
    },
    { type: 'environment-updated', data: { type: 'production' }, preData: { type: 'test' } },
  ]);
});

test('accepts a type with several words in any script, and describes the rule for types', async () => {
  const put = (type: string) =>
    call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/update/development`, { body: { type } });

  expect(await put('Vorproduktion für Prüfer 2.1')).toMatchObject({ status: 200 });
  expect(await put('हिन्दी')).toMatchObject({ status: 200 });
  expect((await put('%s%n')).body.details).toMatchObject([
    {
      message: expect.stringContaining(
        'type must contain only letters, digits, spaces and - _ . and must begin and end with a letter or a digit',
      ),
      path: '/body/type',
    },
  ]);
  expect(await put('development')).toMatchObject({ status: 200 });
});

test('shows an environment whose stored type breaks the rule for types, and changes its sort order', async () => {
  await createEnvironment('imported');
  await harness.db
    .updateTable('environments')
    .set({ type: 'test/eu' })
    .where('name', '=', 'imported')
    .execute();

  const response = await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/update/imported`, {
    body: { sortOrder: 9 },
  });

  expect(response).toMatchObject({ status: 200, body: { type: 'test/eu', sortOrder: 9 } });
  expect(await getEnvironment('imported')).toMatchObject({ status: 200, body: { type: 'test/eu' } });
});

test('an update that changes nothing records no event', async () => {
  const { sortOrder } = await createEnvironment('unchanged');

  await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/update/unchanged`, {
    body: { type: 'test', sortOrder },
  });
  await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/sort-order`, { body: { unchanged: sortOrder } });
  await call(harness.app, 'POST', `${ENVIRONMENTS_PATH}/unchanged/on`);

  expect(await readEventTypes('unchanged')).toEqual(['environment-created']);
});

test('new projects get an environment only while it is enabled', async () => {
  await createEnvironment('flickering');

  const disabling = await call(harness.app, 'POST', `${ENVIRONMENTS_PATH}/flickering/off`);
  const projectWhileDisabled = await makeProject(harness.db);
  const enabling = await call(harness.app, 'POST', `${ENVIRONMENTS_PATH}/flickering/on`);
  const projectWhileEnabled = await makeProject(harness.db);

  expect([disabling.status, enabling.status]).toEqual([204, 204]);
  expect(projectWhileDisabled.environments).not.toContain('flickering');
  expect(projectWhileEnabled.environments).toContain('flickering');
  expect((await readEvents('flickering')).slice(0, 2)).toMatchObject([
    { type: 'environment-updated', data: { enabled: true }, preData: { enabled: false } },
    { type: 'environment-updated', data: { enabled: false }, preData: { enabled: true } },
  ]);
});

test('sorts the given environments and records an event for each environment that moved', async () => {
  await createEnvironment('first', { sortOrder: 1 });
  await createEnvironment('second', { sortOrder: 2 });
  await createEnvironment('third', { sortOrder: 3 });

  const response = await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/sort-order`, {
    body: { first: 3, second: 2, third: 1 },
  });

  expect(response).toMatchObject({ status: 200, body: '' });
  const { environments } = (await call(harness.app, 'GET', ENVIRONMENTS_PATH)).body;
  expect(environments.slice(0, 3)).toMatchObject([{ name: 'third' }, { name: 'second' }, { name: 'first' }]);
  expect(await readEventTypes('second')).toEqual(['environment-created']);
  const [firstEvent] = await readEvents('first');
  const [thirdEvent] = await readEvents('third');
  expect(firstEvent).toMatchObject({
    type: 'environment-updated',
    data: { sortOrder: 3 },
    preData: { sortOrder: 1 },
  });
  expect(thirdEvent.groupId).toBe(firstEvent.groupId);
});

test('rejects sort orders of unknown environments, and lists all of these environments', async () => {
  const orderBefore = (await getEnvironment('production')).body.sortOrder;

  const response = await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/sort-order`, {
    body: { production: orderBefore + 1, moon: 1, mars: 2 },
  });

  expect(response).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/moon' }, { path: '/body/mars' }] },
  });
  expect((await getEnvironment('production')).body.sortOrder).toBe(orderBefore);
});

test.each([
  ['a string', { production: 'first' }],
  ['a fraction', { production: 1.5 }],
  ['more than a million', { production: 1_000_001 }],
])('rejects a sort order that is %s', async (_case, body) => {
  const response = await call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/sort-order`, { body });

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/production' }] } });
});

test.each([
  ['GET', `${ENVIRONMENTS_PATH}/moon`],
  ['PUT', `${ENVIRONMENTS_PATH}/update/moon`],
  ['DELETE', `${ENVIRONMENTS_PATH}/moon`],
  ['POST', `${ENVIRONMENTS_PATH}/moon/on`],
  ['POST', `${ENVIRONMENTS_PATH}/moon/off`],
] as const)('%s %s responds with 404', async (method, url) => {
  const response = await call(harness.app, method, url, method === 'PUT' ? { body: {} } : {});

  expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('counts how often an environment is used in projects that the caller may read', async () => {
  await createEnvironment('counted');
  const viewer = await makeUser(harness.db, 'Viewer');
  await makeProject(harness.db, { id: 'counted-open', environments: ['counted', 'production'] });
  await makeProject(harness.db, { id: 'counted-private', mode: 'private', environments: ['counted'] });
  await insertFeature('counted-open', 'counted-1', 'counted');
  await insertFeature('counted-private', 'counted-2', 'counted');
  await insertFeature('counted-open', 'counted-3', 'counted');
  await harness.db
    .updateTable('features')
    .set({ archived_at: '2026-01-01' })
    .where('name', '=', 'counted-3')
    .execute();
  const createToken = async (projects: string[]) =>
    await call(harness.app, 'POST', '/api/admin/api-tokens', {
      body: { tokenName: 't', type: 'backend', environment: 'counted', projects },
    });
  await createToken(['counted-private']);
  const revoked = await createToken(['*']);
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${encodeURIComponent(revoked.body.secret)}`);

  const responses = await Promise.all(
    [undefined, viewer.token].map(async token =>
      call(harness.app, 'GET', `${ENVIRONMENTS_PATH}/counted`, token === undefined ? {} : { token }),
    ),
  );

  expect(responses.map(response => response.body)).toMatchObject([
    { projectCount: 2, apiTokenCount: 1, enabledToggleCount: 2 },
    { projectCount: 1, apiTokenCount: 0, enabledToggleCount: 1 },
  ]);
});

test('removes a deleted environment from custom roles and records an event for each role', async () => {
  await createEnvironment('role-env');
  const permissions = [
    { name: 'CREATE_FEATURE' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'role-env' },
  ];
  const body = { name: 'Releaser', type: 'custom', permissions };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;

  expect((await deleteEnvironment('role-env')).status).toBe(200);

  const roleEvents = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:role-updated');
  const [deletionEvent] = await readEvents('role-env');
  expect(roleEvents.body.events).toMatchObject([
    { groupId: deletionEvent.groupId, data: { id, name: 'Releaser' }, preData: { id, permissions } },
  ]);
  expect(roleEvents.body.events[0].data.permissions).toEqual(permissions.slice(0, 2));
  const role = await call(harness.app, 'GET', `/api/admin/roles/${id}`);
  expect(role.body.permissions).toHaveLength(2);
});

test('deleting an environment also removes it from a role that is concurrently granted a permission in it', async () => {
  await createEnvironment('raced-env');
  const body = { name: 'Racer', type: 'custom', permissions: [{ name: 'CREATE_FEATURE' }] };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('roles').select('id').where('id', '=', id).forUpdate().execute();
  await blocker
    .insertInto('role_permissions')
    .values({ role_id: id, permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'raced-env' })
    .execute();

  const pendingRemoval = deleteEnvironment('raced-env');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRemoval).status).toBe(200);
  const roleEvents = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:role-updated&limit=1');
  expect(roleEvents.body.events).toMatchObject([{ data: { id, name: 'Racer' } }]);
});

test('deletes an environment from all projects and records an event for each project', async () => {
  await createEnvironment('doomed');
  await makeProject(harness.db, { id: 'doomed-1', environments: ['doomed', 'production'] });
  await insertFeature('doomed-1', 'doomed-feature');
  const environmentBefore = (await getEnvironment('doomed')).body;

  const response = await deleteEnvironment('doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await getEnvironment('doomed')).status).toBe(404);
  expect((await call(harness.app, 'GET', '/api/admin/projects/doomed-1')).body.environments).toEqual([
    'production',
  ]);
  const [removalEvent, deletionEvent] = await readEvents('doomed');
  expect(removalEvent).toMatchObject({
    type: 'project-environment-removed',
    project: 'doomed-1',
    preData: { features: 0, strategies: 0, variants: 0, defaultStrategy: null },
  });
  expect(deletionEvent).toMatchObject({
    type: 'environment-deleted',
    groupId: removalEvent.groupId,
    data: null,
  });
  expect(deletionEvent.preData).toMatchObject({ name: 'doomed', sortOrder: environmentBefore.sortOrder });
});

test('rejects deleting an environment in use and lists every reason', async () => {
  await createEnvironment('busy');
  await makeProject(harness.db, { id: 'busy-1', environments: ['busy'] });
  await insertFeature('busy-1', 'busy-feature', 'busy');
  await call(harness.app, 'POST', '/api/admin/api-tokens', {
    body: { tokenName: 't', type: 'backend', environment: 'busy' },
  });
  await harness.db.updateTable('environments').set({ protected: true }).where('name', '=', 'busy').execute();

  const response = await deleteEnvironment('busy');

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(response.body.details.map((detail: { message: string }) => detail.message)).toEqual([
    'Environment "busy" is protected.',
    'Environment "busy" is the only environment of project "busy-1".',
    'Features are enabled in environment "busy": "busy-feature". Disable them first.',
    'Environment "busy" has 1 API token. Revoke it first.',
  ]);
  expect((await getEnvironment('busy')).status).toBe(200);
});

test('applies concurrent sort orders one after the other, and each event records the state that it replaced', async () => {
  await createEnvironment('contended');
  const sort = (order: number) =>
    call(harness.app, 'PUT', `${ENVIRONMENTS_PATH}/sort-order`, {
      body: { contended: order, production: 200 },
    });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('environments')
    .select('name')
    .where('name', '=', 'contended')
    .forUpdate()
    .execute();

  const requests = Promise.all([sort(11), sort(12)]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  const statuses = (await requests).map(response => response.status);

  expect(statuses).toEqual([200, 200]);
  const [secondEvent, firstEvent] = await readEvents('contended');
  expect(secondEvent.preData).toEqual(firstEvent.data);
  expect((await getEnvironment('contended')).body.sortOrder).toBe(secondEvent.data.sortOrder);
});

test('rejects creating an environment that is created concurrently', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('environments').values({ name: 'raced', type: 'x', sort_order: 1 }).execute();

  const pendingRequest = call(harness.app, 'POST', ENVIRONMENTS_PATH, {
    body: { name: 'raced', type: 'test' },
  });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRequest).status).toBe(409);
  expect(await readEvents('raced')).toEqual([]);
});

test('rejects deleting an environment if a feature is concurrently enabled in it', async () => {
  await createEnvironment('toggled');
  await insertFeature('default', 'toggling', 'toggled');
  await harness.db
    .updateTable('feature_environments')
    .set({ enabled: false })
    .where('environment', '=', 'toggled')
    .execute();
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('features').select('name').where('name', '=', 'toggling').forUpdate().execute();
  await blocker
    .updateTable('feature_environments')
    .set({ enabled: true })
    .where('environment', '=', 'toggled')
    .execute();

  const pendingRemoval = deleteEnvironment('toggled');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRemoval).body).toMatchObject({
    name: 'InvalidOperationError',
    details: [{ message: expect.stringContaining('toggling') }],
  });
});

test('a project keeps one of its last two environments when one is removed while the other is deleted', async () => {
  await createEnvironment('pair-a');
  await createEnvironment('pair-b');
  await makeProject(harness.db, { id: 'pair', environments: ['pair-a', 'pair-b'] });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('project_environments')
    .select('project_id')
    .where('project_id', '=', 'pair')
    .forUpdate()
    .execute();

  const requests = Promise.all([
    deleteEnvironment('pair-a'),
    call(harness.app, 'DELETE', '/api/admin/projects/pair/environments/pair-b'),
  ]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  const statuses = (await requests).map(response => response.status);

  expect(statuses.toSorted()).toEqual([200, 403]);
  expect((await call(harness.app, 'GET', '/api/admin/projects/pair')).body.environments).toHaveLength(1);
});
