import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();
const URL = '/api/admin/environments';

const make = async (name: string, fields: object = {}) =>
  (await call(harness.app, 'POST', URL, { body: { name, type: 'test', ...fields } })).body;
const get = async (name: string) => await call(harness.app, 'GET', `${URL}/${name}`);
const remove = async (name: string) => await call(harness.app, 'DELETE', `${URL}/${name}`);

const eventsOf = async (environment: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?environment=IS:${environment}`);
  return body.events;
};
const typesOf = async (environment: string) =>
  (await eventsOf(environment)).map((event: { type: string }) => event.type);

const makeFeature = async (project: string, name: string, enabledIn?: string) => {
  await harness.db.insertInto('features').values({ name, project, type: 'release' }).execute();
  if (enabledIn === undefined) return;
  await harness.db
    .insertInto('feature_environments')
    .values({ feature_name: name, environment: enabledIn, enabled: true })
    .execute();
};

test('has development and production, in this order, after migration', async () => {
  const { status, body } = await call(harness.app, 'GET', URL);

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

  const created = await call(harness.app, 'POST', URL, { body });

  expect(created).toMatchObject({
    status: 201,
    body: { name: 'staging', type: 'preproduction', enabled: true, protected: false, projectCount: 0 },
  });
  expect(await get('staging')).toMatchObject({ status: 200, body: created.body });
  const list = (await call(harness.app, 'GET', URL)).body.environments;
  expect(list.at(-1)).toEqual(created.body);
  const { name, type, enabled, sortOrder } = created.body;
  expect(await eventsOf('staging')).toMatchObject([
    { type: 'environment-created', project: null, preData: null },
  ]);
  expect((await eventsOf('staging'))[0].data).toEqual({ name, type, enabled, protected: false, sortOrder });
});

test('lists environments with the same sort order by name', async () => {
  for (const name of ['twin-b', 'twin-a']) await make(name, { sortOrder: 50, enabled: false });

  const { environments } = (await call(harness.app, 'GET', URL)).body;

  expect(environments.slice(0, 2)).toMatchObject([
    { name: 'twin-a', enabled: false },
    { name: 'twin-b', sortOrder: 50 },
  ]);
});

test.each([
  ['neither name nor type', {}, ['/body/name', '/body/type']],
  ['a name with a slash', { name: 'a/b', type: 'test' }, ['/body/name']],
  ['a name of two dots', { name: '..', type: 'test' }, ['/body/name']],
  ['the name *, which means all environments', { name: '*', type: 'test' }, ['/body/name']],
  ['a name of 101 characters', { name: 'x'.repeat(101), type: 'test' }, ['/body/name']],
  ['an empty type', { name: 'x', type: '' }, ['/body/type']],
  [
    'a type of 101 characters, an invalid enabled and a negative sort order',
    { name: 'x', type: 'x'.repeat(101), enabled: 'yes', sortOrder: -1 },
    ['/body/enabled', '/body/sortOrder', '/body/type'],
  ],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', URL, { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('rejects a taken name with 409', async () => {
  const response = await call(harness.app, 'POST', URL, { body: { name: 'production', type: 'x' } });

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test.each([
  ['a free name', 'free-name', 200],
  ['a taken name', 'production', 409],
  ['a name with a space', 'a b', 400],
])('validates %s without creating an environment', async (_case, name, status) => {
  const response = await call(harness.app, 'POST', `${URL}/validate`, { body: { name } });

  expect(response.status).toBe(status);
  expect((await get('free-name')).status).toBe(404);
});

test('updates type and sort order separately and records the state before', async () => {
  const { sortOrder } = await make('moving');
  const put = (body: object) => call(harness.app, 'PUT', `${URL}/update/moving`, { body });

  await put({ type: 'production', enabled: false });
  const last = await put({ sortOrder: 7 });

  expect(last).toMatchObject({ status: 200, body: { type: 'production', sortOrder: 7, enabled: true } });
  expect((await eventsOf('moving')).slice(0, 2)).toMatchObject([
    {
      type: 'environment-updated',
      data: { type: 'production', sortOrder: 7 },
      preData: { type: 'production', sortOrder },
    },
    { type: 'environment-updated', data: { type: 'production' }, preData: { type: 'test' } },
  ]);
});

test('an update that changes nothing records no event', async () => {
  const { sortOrder } = await make('unchanged');

  await call(harness.app, 'PUT', `${URL}/update/unchanged`, { body: { type: 'test', sortOrder } });
  await call(harness.app, 'PUT', `${URL}/sort-order`, { body: { unchanged: sortOrder } });
  await call(harness.app, 'POST', `${URL}/unchanged/on`);

  expect(await typesOf('unchanged')).toEqual(['environment-created']);
});

test('new projects get an environment only while it is enabled', async () => {
  await make('flickering');

  const off = await call(harness.app, 'POST', `${URL}/flickering/off`);
  const meanwhile = await makeProject(harness.db);
  const on = await call(harness.app, 'POST', `${URL}/flickering/on`);
  const afterwards = await makeProject(harness.db);

  expect([off.status, on.status]).toEqual([204, 204]);
  expect(meanwhile.environments).not.toContain('flickering');
  expect(afterwards.environments).toContain('flickering');
  expect((await eventsOf('flickering')).slice(0, 2)).toMatchObject([
    { type: 'environment-updated', data: { enabled: true }, preData: { enabled: false } },
    { type: 'environment-updated', data: { enabled: false }, preData: { enabled: true } },
  ]);
});

test('sorts the named environments and records an event for each that moved', async () => {
  await make('first', { sortOrder: 1 });
  await make('second', { sortOrder: 2 });
  await make('third', { sortOrder: 3 });

  const response = await call(harness.app, 'PUT', `${URL}/sort-order`, {
    body: { first: 3, second: 2, third: 1 },
  });

  expect(response).toMatchObject({ status: 200, body: '' });
  const { environments } = (await call(harness.app, 'GET', URL)).body;
  expect(environments.slice(0, 3)).toMatchObject([{ name: 'third' }, { name: 'second' }, { name: 'first' }]);
  expect(await typesOf('second')).toEqual(['environment-created']);
  const [first] = await eventsOf('first');
  const [third] = await eventsOf('third');
  expect(first).toMatchObject({
    type: 'environment-updated',
    data: { sortOrder: 3 },
    preData: { sortOrder: 1 },
  });
  expect(third.groupId).toBe(first.groupId);
});

test('rejects a sort order with unknown environments and lists each', async () => {
  const before = (await get('production')).body.sortOrder;

  const response = await call(harness.app, 'PUT', `${URL}/sort-order`, {
    body: { production: before + 1, moon: 1, mars: 2 },
  });

  expect(response).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/moon' }, { path: '/body/mars' }] },
  });
  expect((await get('production')).body.sortOrder).toBe(before);
});

test.each([
  ['a string', { production: 'first' }],
  ['a fraction', { production: 1.5 }],
  ['more than a million', { production: 1_000_001 }],
])('rejects a sort order that is %s', async (_case, body) => {
  const response = await call(harness.app, 'PUT', `${URL}/sort-order`, { body });

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/production' }] } });
});

test.each([
  ['GET', `${URL}/moon`],
  ['PUT', `${URL}/update/moon`],
  ['DELETE', `${URL}/moon`],
  ['POST', `${URL}/moon/on`],
  ['POST', `${URL}/moon/off`],
] as const)('%s %s responds with 404', async (method, url) => {
  const response = await call(harness.app, method, url, method === 'PUT' ? { body: {} } : {});

  expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('counts the uses of an environment in projects the caller may read', async () => {
  await make('counted');
  const viewer = await makeUser(harness.db, 'Viewer');
  await makeProject(harness.db, { id: 'counted-open', environments: ['counted', 'production'] });
  await makeProject(harness.db, { id: 'counted-private', mode: 'private', environments: ['counted'] });
  await makeFeature('counted-open', 'counted-1', 'counted');
  await makeFeature('counted-private', 'counted-2', 'counted');
  await makeFeature('counted-open', 'counted-3', 'counted');
  await harness.db
    .updateTable('features')
    .set({ archived_at: '2026-01-01' })
    .where('name', '=', 'counted-3')
    .execute();
  const token = async (projects: string[]) =>
    await call(harness.app, 'POST', '/api/admin/api-tokens', {
      body: { tokenName: 't', type: 'backend', environment: 'counted', projects },
    });
  await token(['counted-private']);
  const revoked = await token(['*']);
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${encodeURIComponent(revoked.body.secret)}`);

  const seen = await Promise.all(
    [undefined, viewer.token].map(async token =>
      call(harness.app, 'GET', `${URL}/counted`, token === undefined ? {} : { token }),
    ),
  );

  expect(seen.map(response => response.body)).toMatchObject([
    { projectCount: 2, apiTokenCount: 1, enabledToggleCount: 2 },
    { projectCount: 1, apiTokenCount: 0, enabledToggleCount: 1 },
  ]);
});

test('removes a deleted environment from custom roles and records an event for each', async () => {
  await make('role-env');
  const permissions = [
    { name: 'CREATE_FEATURE' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'role-env' },
  ];
  const body = { name: 'Releaser', type: 'custom', permissions };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;

  expect((await remove('role-env')).status).toBe(200);

  const found = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:role-updated');
  const [deleted] = await eventsOf('role-env');
  expect(found.body.events).toMatchObject([
    { groupId: deleted.groupId, data: { id, name: 'Releaser' }, preData: { id, permissions } },
  ]);
  expect(found.body.events[0].data.permissions).toEqual(permissions.slice(0, 2));
  const role = await call(harness.app, 'GET', `/api/admin/roles/${id}`);
  expect(role.body.permissions).toHaveLength(2);
});

test('removes a deleted environment from a role that gets a permission in it meanwhile', async () => {
  await make('raced-env');
  const body = { name: 'Racer', type: 'custom', permissions: [{ name: 'CREATE_FEATURE' }] };
  const { id } = (await call(harness.app, 'POST', '/api/admin/roles', { body })).body.roles;
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('roles').select('id').where('id', '=', id).forUpdate().execute();
  await blocker
    .insertInto('role_permissions')
    .values({ role_id: id, permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'raced-env' })
    .execute();

  const waiting = remove('raced-env');
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(200);
  const found = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:role-updated&limit=1');
  expect(found.body.events).toMatchObject([{ data: { id, name: 'Racer' } }]);
});

test('deletes an environment from all projects and records an event for each', async () => {
  await make('doomed');
  await makeProject(harness.db, { id: 'doomed-1', environments: ['doomed', 'production'] });
  await makeFeature('doomed-1', 'doomed-feature');
  const before = (await get('doomed')).body;

  const response = await remove('doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await get('doomed')).status).toBe(404);
  expect((await call(harness.app, 'GET', '/api/admin/projects/doomed-1')).body.environments).toEqual([
    'production',
  ]);
  const [removed, deleted] = await eventsOf('doomed');
  expect(removed).toMatchObject({
    type: 'project-environment-removed',
    project: 'doomed-1',
    preData: { features: 0, strategies: 0, variants: 0, defaultStrategy: null },
  });
  expect(deleted).toMatchObject({ type: 'environment-deleted', groupId: removed.groupId, data: null });
  expect(deleted.preData).toMatchObject({ name: 'doomed', sortOrder: before.sortOrder });
});

test('rejects deleting an environment in use and lists every reason', async () => {
  await make('busy');
  await makeProject(harness.db, { id: 'busy-1', environments: ['busy'] });
  await makeFeature('busy-1', 'busy-feature', 'busy');
  await call(harness.app, 'POST', '/api/admin/api-tokens', {
    body: { tokenName: 't', type: 'backend', environment: 'busy' },
  });
  await harness.db.updateTable('environments').set({ protected: true }).where('name', '=', 'busy').execute();

  const response = await remove('busy');

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(response.body.details.map((detail: { message: string }) => detail.message)).toEqual([
    'Environment "busy" is protected.',
    'Environment "busy" is the only environment of project "busy-1".',
    'Features are enabled in environment "busy": "busy-feature". Disable them first.',
    'Environment "busy" has 1 API token. Revoke it first.',
  ]);
  expect((await get('busy')).status).toBe(200);
});

test('keeps both of two concurrent sort orders and records the state each found', async () => {
  await make('contended');
  const sort = (order: number) =>
    call(harness.app, 'PUT', `${URL}/sort-order`, { body: { contended: order, production: 200 } });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('environments')
    .select('name')
    .where('name', '=', 'contended')
    .forUpdate()
    .execute();

  const both = Promise.all([sort(11), sort(12)]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  const statuses = (await both).map(response => response.status);

  expect(statuses).toEqual([200, 200]);
  const [second, first] = await eventsOf('contended');
  expect(second.preData).toEqual(first.data);
  expect((await get('contended')).body.sortOrder).toBe(second.data.sortOrder);
});

test('only one of two concurrent transactions creates an environment with the same name', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('environments').values({ name: 'raced', type: 'x', sort_order: 1 }).execute();

  const waiting = call(harness.app, 'POST', URL, { body: { name: 'raced', type: 'test' } });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(409);
  expect(await eventsOf('raced')).toEqual([]);
});

test('rejects deleting an environment in which a feature is enabled concurrently', async () => {
  await make('toggled');
  await makeFeature('default', 'toggling', 'toggled');
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

  const waiting = remove('toggled');
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).body).toMatchObject({
    name: 'InvalidOperationError',
    details: [{ message: expect.stringContaining('toggling') }],
  });
});

test('a project keeps one of its last two environments, whether removed or deleted', async () => {
  await make('pair-a');
  await make('pair-b');
  await makeProject(harness.db, { id: 'pair', environments: ['pair-a', 'pair-b'] });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .selectFrom('project_environments')
    .select('project_id')
    .where('project_id', '=', 'pair')
    .forUpdate()
    .execute();

  const both = Promise.all([
    remove('pair-a'),
    call(harness.app, 'DELETE', '/api/admin/projects/pair/environments/pair-b'),
  ]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  const statuses = (await both).map(response => response.status);

  expect(statuses.toSorted()).toEqual([200, 403]);
  expect((await call(harness.app, 'GET', '/api/admin/projects/pair')).body.environments).toHaveLength(1);
});
