import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const STRATEGIES_PATH = '/api/admin/strategies';

const makeType = async (name: string, fields: object = {}) =>
  await call(harness.app, 'POST', STRATEGIES_PATH, { body: { name, ...fields } });
const get = async (name: string) => await call(harness.app, 'GET', `${STRATEGIES_PATH}/${name}`);
const put = async (name: string, body: object) =>
  await call(harness.app, 'PUT', `${STRATEGIES_PATH}/${name}`, { body });
const remove = async (name: string) => await call(harness.app, 'DELETE', `${STRATEGIES_PATH}/${name}`);

/** Lists the events about the strategy type. Each test uses different names. */
const listEvents = async (name: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?query=${name}`);
  return body.events.filter(({ type }: { type: string }) => type.startsWith('strategy-'));
};
const listEventTypes = async (name: string) =>
  (await listEvents(name)).map((event: { type: string }) => event.type);

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
const buildStrategy = (feature: string, strategy: string) => ({
  feature_name: feature,
  environment: 'production',
  strategy_name: strategy,
  sort_order: 0,
});

test('lists the built-in strategy types in order', async () => {
  const { status, body } = await call(harness.app, 'GET', STRATEGIES_PATH);

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

  const creation = await makeType('byCountry', { description: 'By country', parameters, editable: false });

  expect(creation.status).toBe(201);
  expect(creation.body).toEqual({
    name: 'byCountry',
    displayName: null,
    description: 'By country',
    editable: true,
    deprecated: false,
    parameters: [{ name: 'countries', type: 'list', description: '', required: true }],
  });
  expect(await get('byCountry')).toMatchObject({ status: 200, body: creation.body });
  expect((await call(harness.app, 'GET', STRATEGIES_PATH)).body.strategies.at(-1)).toEqual(creation.body);
  const { editable: _, ...data } = creation.body;
  expect(await listEvents('byCountry')).toMatchObject([{ type: 'strategy-created', data, preData: null }]);
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
  const response = await call(harness.app, 'POST', STRATEGIES_PATH, { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('rejects a taken name with 409', async () => {
  expect(await makeType('default')).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('updates description and parameters separately and records the previous state', async () => {
  await makeType('changing', { description: 'Old' });

  await put('changing', { description: 'New' });
  const lastUpdate = await put('changing', {
    name: 'other',
    parameters: [{ name: 'share', type: 'percentage' }],
  });
  await put('changing', { description: 'New' });

  expect(lastUpdate).toMatchObject({
    status: 200,
    body: { name: 'changing', description: 'New', parameters: [{ name: 'share', required: false }] },
  });
  expect(await get('changing')).toMatchObject({ body: lastUpdate.body });
  expect(await listEvents('changing')).toMatchObject([
    { type: 'strategy-updated', data: { parameters: [{ name: 'share' }] }, preData: { parameters: [] } },
    { type: 'strategy-updated', data: { description: 'New' }, preData: { description: 'Old' } },
    { type: 'strategy-created' },
  ]);
});

test('deprecates and reactivates a strategy type, and repeating either changes nothing', async () => {
  await makeType('fading');
  const send = async (action: string) =>
    await call(harness.app, 'POST', `${STRATEGIES_PATH}/fading/${action}`);

  const deprecations = [await send('deprecate'), await send('deprecate')];
  const isDeprecated = (await get('fading')).body.deprecated;
  const reactivations = [await send('reactivate'), await send('reactivate')];

  expect([...deprecations, ...reactivations].map(response => response.status)).toEqual([200, 200, 200, 200]);
  expect(isDeprecated).toBe(true);
  expect((await get('fading')).body.deprecated).toBe(false);
  expect(await listEventTypes('fading')).toEqual([
    'strategy-reactivated',
    'strategy-deprecated',
    'strategy-created',
  ]);
  expect((await listEvents('fading'))[1].data).toEqual({ name: 'fading' });
});

test('deletes a strategy type and records an event', async () => {
  await makeType('doomed', { description: 'Gone soon' });

  const response = await remove('doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await get('doomed')).status).toBe(404);
  expect((await listEvents('doomed'))[0]).toMatchObject({
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
  await makeType('used');
  await insertFeature('user-of-used');
  await harness.db.insertInto('feature_strategies').values(buildStrategy('user-of-used', 'used')).execute();
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
  expect(await listEventTypes('used')).not.toContain('strategy-deleted');
});

test.each([
  ['GET', `${STRATEGIES_PATH}/moon`],
  ['PUT', `${STRATEGIES_PATH}/moon`],
  ['DELETE', `${STRATEGIES_PATH}/moon`],
  ['POST', `${STRATEGIES_PATH}/moon/deprecate`],
  ['POST', `${STRATEGIES_PATH}/moon/reactivate`],
] as const)('%s %s responds with 404', async (method, url) => {
  const response = await call(harness.app, method, url, method === 'PUT' ? { body: {} } : {});

  expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('keeps both of two concurrent updates and records the previous state of each', async () => {
  await makeType('contended');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('strategies').select('name').where('name', '=', 'contended').forUpdate().execute();

  const requests = Promise.all([
    put('contended', { description: 'New' }),
    put('contended', { parameters: [{ name: 'share', type: 'percentage' }] }),
  ]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  expect((await get('contended')).body).toMatchObject({
    description: 'New',
    parameters: [{ name: 'share' }],
  });
  const [secondEvent, firstEvent] = await listEvents('contended');
  expect(secondEvent.preData).toEqual(firstEvent.data);
});

test('creates a strategy type with the same name in only one of two concurrent transactions', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('strategies').values({ name: 'raced' }).execute();

  const creation = makeType('raced');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await creation).status).toBe(409);
  expect(await listEvents('raced')).toEqual([]);
});

test('rejects deleting a strategy type that a concurrent transaction starts to use', async () => {
  await makeType('contended-use');
  await insertFeature('user-of-contended-use');
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('feature_strategies')
    .values(buildStrategy('user-of-contended-use', 'contended-use'))
    .execute();

  const deletion = remove('contended-use');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await deletion).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('rejects a default strategy whose type is deleted concurrently', async () => {
  await makeType('going');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('strategies').where('name', '=', 'going').execute();

  const request = call(
    harness.app,
    'POST',
    '/api/admin/projects/default/environments/production/default-strategy',
    { body: { name: 'going' } },
  );
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await request).toMatchObject({ status: 400, body: { details: [{ path: '/body/name' }] } });
});
