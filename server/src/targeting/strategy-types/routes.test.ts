import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();
const URL = '/api/admin/strategies';

const make = async (name: string, fields: object = {}) =>
  await call(harness.app, 'POST', URL, { body: { name, ...fields } });
const get = async (name: string) => await call(harness.app, 'GET', `${URL}/${name}`);
const put = async (name: string, body: object) => await call(harness.app, 'PUT', `${URL}/${name}`, { body });
const remove = async (name: string) => await call(harness.app, 'DELETE', `${URL}/${name}`);

/** Events about the strategy type. Each test uses different names. */
const eventsOf = async (name: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?query=${name}`);
  return body.events.filter(({ type }: { type: string }) => type.startsWith('strategy-'));
};
const typesOf = async (name: string) => (await eventsOf(name)).map((event: { type: string }) => event.type);

/** Inserts a feature in an environment. Its strategies are inserted directly, so that a test can keep the transaction open. */
const insertFeature = async (feature: string) => {
  await harness.db
    .insertInto('features')
    .values({ name: feature, project: 'default', type: 'release' })
    .execute();
  await harness.db
    .insertInto('feature_environments')
    .values({ feature_name: feature, environment: 'production' })
    .execute();
};
const strategyOf = (feature: string, strategy: string) => ({
  feature_name: feature,
  environment: 'production',
  strategy_name: strategy,
  sort_order: 0,
});

test('lists the built-in strategy types in order', async () => {
  const { status, body } = await call(harness.app, 'GET', URL);

  expect(status).toBe(200);
  expect(body.version).toBe(1);
  expect(body.strategies.map((strategy: { name: string }) => strategy.name)).toEqual([
    'flexibleRollout',
    'default',
    'remoteAddress',
    'applicationHostname',
  ]);
  expect(body.strategies[2]).toEqual({
    name: 'remoteAddress',
    displayName: 'IP addresses',
    description: 'On for the listed addresses',
    editable: false,
    deprecated: false,
    parameters: [
      {
        name: 'IPs',
        type: 'list',
        description: 'Addresses or ranges, separated by commas',
        required: true,
      },
    ],
  });
});

test('creates a strategy type, lists it after the built-in types and records an event', async () => {
  const parameters = [{ name: 'countries', type: 'list', required: true, unknown: 1 }];

  const created = await make('byCountry', { description: 'By country', parameters, editable: false });

  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    name: 'byCountry',
    displayName: null,
    description: 'By country',
    editable: true,
    deprecated: false,
    parameters: [{ name: 'countries', type: 'list', description: '', required: true }],
  });
  expect(await get('byCountry')).toMatchObject({ status: 200, body: created.body });
  expect((await call(harness.app, 'GET', URL)).body.strategies.at(-1)).toEqual(created.body);
  const { editable: _, ...data } = created.body;
  expect(await eventsOf('byCountry')).toMatchObject([{ type: 'strategy-created', data, preData: null }]);
});

test.each([
  ['no name', {}, ['/body/name']],
  ['a name with a slash', { name: 'a/b' }, ['/body/name']],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ['/body/name']],
  [
    'parameters of an unknown type, without a name',
    { name: 'x', parameters: [{ type: 'date' }] },
    ['/body/parameters/0/name', '/body/parameters/0/type'],
  ],
  [
    'a duplicate parameter',
    {
      name: 'x',
      parameters: [
        { name: 'a', type: 'string' },
        { name: 'a', type: 'list' },
      ],
    },
    ['/body/parameters/1/name'],
  ],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', URL, { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('rejects a taken name with 409', async () => {
  expect(await make('default')).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('updates description and parameters separately and records the state before', async () => {
  await make('changing', { description: 'Old' });

  await put('changing', { description: 'New' });
  const last = await put('changing', { name: 'other', parameters: [{ name: 'share', type: 'percentage' }] });
  await put('changing', { description: 'New' });

  expect(last).toMatchObject({
    status: 200,
    body: { name: 'changing', description: 'New', parameters: [{ name: 'share', required: false }] },
  });
  expect(await get('changing')).toMatchObject({ body: last.body });
  expect(await eventsOf('changing')).toMatchObject([
    { type: 'strategy-updated', data: { parameters: [{ name: 'share' }] }, preData: { parameters: [] } },
    { type: 'strategy-updated', data: { description: 'New' }, preData: { description: 'Old' } },
    { type: 'strategy-created' },
  ]);
});

test('deprecates and reactivates a strategy type; repeating either changes nothing', async () => {
  await make('fading');
  const act = async (what: string) => await call(harness.app, 'POST', `${URL}/fading/${what}`);

  const deprecated = [await act('deprecate'), await act('deprecate')];
  const whileDeprecated = (await get('fading')).body.deprecated;
  const reactivated = [await act('reactivate'), await act('reactivate')];

  expect([...deprecated, ...reactivated].map(response => response.status)).toEqual([200, 200, 200, 200]);
  expect(whileDeprecated).toBe(true);
  expect((await get('fading')).body.deprecated).toBe(false);
  expect(await typesOf('fading')).toEqual([
    'strategy-reactivated',
    'strategy-deprecated',
    'strategy-created',
  ]);
  expect((await eventsOf('fading'))[1].data).toEqual({ name: 'fading' });
});

test('deletes a strategy type and records an event', async () => {
  await make('doomed', { description: 'Gone soon' });

  const response = await remove('doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await get('doomed')).status).toBe(404);
  expect((await eventsOf('doomed'))[0]).toMatchObject({
    type: 'strategy-deleted',
    data: null,
    preData: { name: 'doomed', description: 'Gone soon' },
  });
});

test('rejects updating or deleting a built-in strategy type with 403', async () => {
  const responses = [await put('default', { description: 'Mine' }), await remove('default')];

  for (const response of responses) {
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  }
});

test('rejects deleting a strategy type in use and lists every reason', async () => {
  await make('used');
  await insertFeature('user-of-used');
  await harness.db.insertInto('feature_strategies').values(strategyOf('user-of-used', 'used')).execute();
  await makeProject(harness.db, { id: 'used-by-default' });
  await call(
    harness.app,
    'POST',
    '/api/admin/projects/used-by-default/environments/production/default-strategy',
    { body: { name: 'used' } },
  );

  const response = await remove('used');

  expect(response).toMatchObject({
    status: 403,
    body: {
      name: 'InvalidOperationError',
      details: [
        { message: 'A feature uses strategy type "used".' },
        { message: 'Strategy type "used" is the default strategy of a project.' },
      ],
    },
  });
  expect(await typesOf('used')).not.toContain('strategy-deleted');
});

test.each([
  ['GET', `${URL}/moon`],
  ['PUT', `${URL}/moon`],
  ['DELETE', `${URL}/moon`],
  ['POST', `${URL}/moon/deprecate`],
  ['POST', `${URL}/moon/reactivate`],
] as const)('%s %s responds with 404', async (method, url) => {
  const response = await call(harness.app, method, url, method === 'PUT' ? { body: {} } : {});

  expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('keeps both of two concurrent updates and records the state each found', async () => {
  await make('contended');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('strategies').select('name').where('name', '=', 'contended').forUpdate().execute();

  const both = Promise.all([
    put('contended', { description: 'New' }),
    put('contended', { parameters: [{ name: 'share', type: 'percentage' }] }),
  ]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  await both;

  expect((await get('contended')).body).toMatchObject({
    description: 'New',
    parameters: [{ name: 'share' }],
  });
  const [second, first] = await eventsOf('contended');
  expect(second.preData).toEqual(first.data);
});

test('only one of two concurrent transactions creates a strategy type with the same name', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('strategies').values({ name: 'raced' }).execute();

  const waiting = make('raced');
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(409);
  expect(await eventsOf('raced')).toEqual([]);
});

test('rejects deleting a strategy type that a concurrent transaction starts to use', async () => {
  await make('contended-use');
  await insertFeature('user-of-contended-use');
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('feature_strategies')
    .values(strategyOf('user-of-contended-use', 'contended-use'))
    .execute();

  const waiting = remove('contended-use');
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('rejects a default strategy whose type is deleted concurrently', async () => {
  await make('going');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('strategies').where('name', '=', 'going').execute();

  const waiting = call(
    harness.app,
    'POST',
    '/api/admin/projects/default/environments/production/default-strategy',
    { body: { name: 'going' } },
  );
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 400, body: { details: [{ path: '/body/name' }] } });
});
