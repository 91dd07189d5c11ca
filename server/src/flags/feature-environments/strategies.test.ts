import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFeatureWithRequests } from '../../test/strategy-requests.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const makeFeature = (name: string, project?: string) => makeFeatureWithRequests(harness, name, project);

test('adds a gradual rollout after the other strategies and fills in its default parameters', async () => {
  const { add, list, events } = await makeFeature('rolled-out');

  const firstResponse = await add({ name: 'flexibleRollout', parameters: { rollout: '25' } });
  const secondResponse = await add({
    name: 'remoteAddress',
    title: 'Office',
    disabled: true,
    parameters: { IPs: '192.0.2.1' },
  });

  expect(firstResponse).toMatchObject({
    status: 200,
    body: {
      name: 'flexibleRollout',
      disabled: false,
      sortOrder: 0,
      parameters: { rollout: '25', stickiness: 'default', groupId: 'rolled-out' },
      constraints: [],
      variants: [],
      segments: [],
    },
  });
  expect(secondResponse.body.sortOrder).toBe(1);
  expect(await list()).toEqual([firstResponse.body, secondResponse.body]);
  const { featureName: _, ...strategy } = firstResponse.body;
  expect(await events()).toMatchObject([
    { type: 'feature-strategy-add', environment: 'development', data: strategy },
    { type: 'feature-strategy-add', data: { name: 'remoteAddress', title: 'Office' } },
  ]);
});

const fixedVariant = (name: string, weight: number) => ({
  name,
  weight,
  weightType: 'fix',
  stickiness: 'default',
});

test('fills in constraint fields and computes weights', async () => {
  const { add } = await makeFeature('complete');

  const { status, body } = await add({
    name: 'default',
    constraints: [{ contextName: 'country', operator: 'IN', values: ['CZ', 'SE'] }],
    variants: [
      { ...fixedVariant('a', 400), payload: { type: 'string', value: 'x', unknown: 1 }, unknown: 1 },
      { ...fixedVariant('b', 0), weightType: 'variable' },
      { ...fixedVariant('c', 0), weightType: 'variable' },
    ],
  });

  expect(status).toBe(200);
  expect(body.constraints).toEqual([
    { contextName: 'country', operator: 'IN', values: ['CZ', 'SE'], inverted: false, caseInsensitive: false },
  ]);
  expect(body.variants.map((variant: { weight: number }) => variant.weight)).toEqual([400, 300, 300]);
  expect(body.variants[0]).toEqual({ ...fixedVariant('a', 400), payload: { type: 'string', value: 'x' } });
});

const variant = (name: string, stickiness?: string) => ({
  ...{ name, weight: 500, weightType: 'variable' },
  ...(stickiness === undefined ? {} : { stickiness }),
});
const parametersAndStickiness = ({ parameters, variants }: { parameters: object; variants: object[] }) => [
  { ...parameters },
  variants.map(variant => (variant as { stickiness: string }).stickiness),
];

test.each([
  ['sticky-1', 'flexibleRollout', { stickiness: 'userId' }, ['sessionId', undefined], 'userId'],
  ['sticky-2', 'flexibleRollout', {}, [undefined, undefined], 'default'],
  ['sticky-3', 'flexibleRollout', { stickiness: '' }, ['userId', 'sessionId'], 'userId'],
  ['sticky-4', 'default', {}, ['userId', undefined], 'userId'],
  ['sticky-5', 'default', {}, [undefined, 'userId'], 'default'],
])('a strategy and its variants have the same stickiness: %s', async (...row) => {
  const [feature, name, parameters, stickinesses, stickiness] = row;
  const { environmentPath, add, list, events } = await makeFeature(feature);

  const addition = await add({
    name,
    parameters,
    variants: stickinesses.map((variantStickiness, index) => variant(`v${index}`, variantStickiness)),
  });
  const replacement = await call(harness.app, 'PUT', `${environmentPath}/strategies/${addition.body.id}`, {
    body: addition.body,
  });
  const patched = await call(harness.app, 'PATCH', `${environmentPath}/strategies/${addition.body.id}`, {
    body: [{ op: 'replace', path: '/parameters/stickiness', value: 'tenant' }],
  });

  const rollout = name === 'flexibleRollout' ? { rollout: '100' } : {};
  const { featureName } = addition.body;
  expect(parametersAndStickiness(addition.body)).toEqual([
    { ...rollout, stickiness, groupId: featureName },
    [stickiness, stickiness],
  ]);
  expect(replacement.body).toEqual(addition.body);
  expect(parametersAndStickiness(patched.body)).toEqual([
    { ...rollout, stickiness: 'tenant', groupId: featureName },
    ['tenant', 'tenant'],
  ]);
  expect(await list()).toEqual([patched.body]);
  expect(await events()).toMatchObject([
    { type: 'feature-strategy-add', data: { variants: addition.body.variants } },
    { type: 'feature-strategy-update', data: { variants: patched.body.variants } },
  ]);
});

test('adds no parameters to a strategy with neither a rollout nor variants, and keeps the given groupId of a strategy with variants', async () => {
  const { add } = await makeFeature('grouped');

  const parameters = { IPs: '192.0.2.1' };
  const withoutVariants = await add({ name: 'remoteAddress', parameters });
  const withOwnGroupId = await add({
    name: 'default',
    parameters: { groupId: 'shared' },
    variants: [variant('a')],
  });

  expect(withoutVariants.body.parameters).toEqual(parameters);
  expect(withOwnGroupId.body.parameters).toEqual({ groupId: 'shared', stickiness: 'default' });
});

test('fills in an empty groupId and an empty stickiness of a gradual rollout', async () => {
  const { add } = await makeFeature('empty-parameters');

  const { body } = await add({ name: 'flexibleRollout', parameters: { groupId: '', stickiness: '' } });

  expect(body.parameters).toEqual({ rollout: '100', stickiness: 'default', groupId: 'empty-parameters' });
});

test('normalizes constraints to a form that every SDK can read', async () => {
  const { add } = await makeFeature('readable');

  const { status, body } = await add({
    name: 'default',
    constraints: [
      { contextName: 'remoteAddress', operator: 'IN_CIDR', values: [' 10.0.0.0/8', '::1'], inverted: true },
      { contextName: 'email', operator: 'REGEX', value: '@example\\.com$', inverted: true },
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-11-15' },
      { contextName: 'score', operator: 'NUM_GT', value: '.5' },
    ],
  });

  expect(status).toBe(200);
  expect(body.constraints).toMatchObject([
    { operator: 'IN_CIDR', values: ['10.0.0.0/8', '::1'], inverted: true },
    { operator: 'REGEX', value: '@example\\.com$', inverted: true },
    { value: '2026-11-15T00:00:00Z' },
    { value: '0.5' },
  ]);
});

test('rejects a segment of a different project', async () => {
  await makeProject(harness.db, { id: 'neighbor' });
  const createSegment = async (name: string, project?: string) =>
    (
      await call(harness.app, 'POST', '/api/admin/segments', {
        body: { name, constraints: [], ...(project ? { project } : {}) },
      })
    ).body.id;
  const { add } = await makeFeature('segmented');

  const [ownSegment, foreignSegment] = [
    await createSegment('everyone'),
    await createSegment('neighbors', 'neighbor'),
  ];

  expect((await add({ name: 'default', segments: [ownSegment] })).body.segments).toEqual([ownSegment]);
  expect(await add({ name: 'default', segments: [ownSegment, foreignSegment] })).toMatchObject({
    status: 400,
    body: {
      details: [
        { path: '/body/segments', message: `segment ${foreignSegment} does not exist in project "default"` },
      ],
    },
  });
  expect((await call(harness.app, 'DELETE', `/api/admin/segments/${ownSegment}`)).body.name).toBe(
    'ConflictError',
  );
});

test.each([
  ['an unknown strategy type', { name: 'moonPhase' }, '/body/name'],
  ['a number for a parameter', { name: 'default', parameters: { a: 1 } }, '/body/parameters/a'],
  ['a segment that does not exist', { name: 'default', segments: [987_654] }, '/body/segments'],
  [
    'a rollout of 101',
    { name: 'flexibleRollout', parameters: { rollout: '101' } },
    '/body/parameters/rollout',
  ],
  [
    'a number constraint without a number',
    { name: 'default', constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'old' }] },
    '/body/constraints/0/value',
  ],
  [
    'null as the values of a constraint',
    { name: 'default', constraints: [{ contextName: 'a', operator: 'IN', values: null }] },
    '/body/constraints/0/values',
  ],
  [
    'a constraint value of only whitespace',
    { name: 'default', constraints: [{ contextName: 'a', operator: 'STR_CONTAINS', values: [' '] }] },
    '/body/constraints/0/values/0',
  ],
  [
    'an IP address range with too many bits',
    { name: 'default', constraints: [{ contextName: 'a', operator: 'IN_CIDR', values: ['10.0.0.0/33'] }] },
    '/body/constraints/0/values/0',
  ],
  [
    'fixed variants with more than 100 %',
    { name: 'default', variants: [fixedVariant('a', 600), fixedVariant('b', 500)] },
    '/body/variants',
  ],
  ['a missing name', {}, '/body/name'],
])('rejects %s', async (_case, body, path) => {
  const { add } = await makeFeature('rejecting');
  expect(await add(body)).toMatchObject({ status: 400, body: { name: 'BadDataError', details: [{ path }] } });
});

test('rejects a patch of a field that cannot be patched, and a patch that removes the sort order', async () => {
  const { environmentPath, add } = await makeFeature('patch-rejected');
  const { id } = (await add({ name: 'default' })).body;
  const patch = async (operation: object): Promise<string[]> => {
    const response = await call(harness.app, 'PATCH', `${environmentPath}/strategies/${id}`, {
      body: [operation],
    });
    expect(response.status).toBe(400);
    return response.body.details.map(({ message }: { message: string }) => message);
  };

  const fields = '/name, /title, /disabled, /sortOrder, /parameters, /constraints, /variants, /segments';
  expect(await patch({ op: 'replace', path: '/id', value: 'other' })).toEqual([
    `"/id" cannot be patched. Patchable fields: ${fields}`,
  ]);
  expect(await patch({ op: 'remove', path: '/sortOrder' })).toEqual([
    '"/sortOrder" is required, but missing after the patch',
  ]);
});

test('replaces, patches and deletes a strategy, and records its previous state', async () => {
  const { environmentPath, add, list, events } = await makeFeature('edited');
  const { id } = (await add({ name: 'default', title: 'first' })).body;
  const url = `${environmentPath}/strategies/${id}`;

  const replaced = await call(harness.app, 'PUT', url, {
    body: { name: 'flexibleRollout', title: 'second' },
  });
  const response = await call(harness.app, 'PUT', url, {
    body: { name: 'flexibleRollout', title: 'second' },
  });
  const patched = await call(harness.app, 'PATCH', url, {
    body: [{ op: 'replace', path: '/parameters/rollout', value: '50' }],
  });
  const deleted = await call(harness.app, 'DELETE', url);

  expect(replaced.body).toMatchObject({ id, name: 'flexibleRollout', title: 'second', sortOrder: 0 });
  expect(response.body).toEqual(replaced.body);
  expect(patched.body.parameters).toEqual({ rollout: '50', stickiness: 'default', groupId: 'edited' });
  expect(deleted.status).toBe(200);
  expect(await list()).toEqual([]);
  expect((await call(harness.app, 'GET', url)).status).toBe(404);
  expect((await events()).slice(1)).toMatchObject([
    {
      type: 'feature-strategy-update',
      data: { title: 'second' },
      preData: { title: 'first', name: 'default' },
    },
    {
      type: 'feature-strategy-update',
      data: { parameters: { rollout: '50' } },
      preData: { parameters: { rollout: '100' } },
    },
    { type: 'feature-strategy-remove', preData: { id, title: 'second' } },
  ]);
});

const COMPLETE = {
  name: 'flexibleRollout',
  title: 'Beta users',
  disabled: true,
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'beta' },
  constraints: [
    { contextName: 'userId', operator: 'IN', values: ['7'], inverted: false, caseInsensitive: false },
  ],
  variants: [{ ...fixedVariant('a', 1_000), stickiness: 'userId' }],
};

async function makeCompleteStrategy(featureName: string) {
  const feature = await makeFeature(featureName);
  const segment = await call(harness.app, 'POST', '/api/admin/segments', {
    body: { name: featureName, constraints: [{ contextName: 'appName', operator: 'IN', values: ['shop'] }] },
  });
  const { body: strategyBefore } = await feature.add({ ...COMPLETE, segments: [segment.body.id] });
  const put = (body: object) =>
    call(harness.app, 'PUT', `${feature.environmentPath}/strategies/${strategyBefore.id}`, { body });
  const readUpdateEvents = async () =>
    (await feature.events()).filter(({ type }) => type === 'feature-strategy-update');
  return { ...feature, strategyBefore, put, readUpdateEvents };
}

test('a request that changes only the rollout keeps the name, title, segments, variants and disabled state', async () => {
  const { strategyBefore, put, list, readUpdateEvents } = await makeCompleteStrategy('only-rollout');
  const parameters = { ...COMPLETE.parameters, rollout: '50' };

  const { status, body } = await put({ parameters, constraints: COMPLETE.constraints });

  expect(status).toBe(200);
  expect(body).toEqual({ ...strategyBefore, parameters });
  expect(body.segments).toHaveLength(1);
  expect(body.variants).toHaveLength(1);
  expect(await list()).toEqual([body]);
  const { featureName: _, ...recordedStrategy } = body;
  expect((await readUpdateEvents()).map(({ data }) => data)).toEqual([recordedStrategy]);
});

test('removes omitted parameters and constraints', async () => {
  const { strategyBefore, put } = await makeCompleteStrategy('replaced');

  const { body } = await put({ name: 'remoteAddress', variants: [] });

  expect(body).toEqual({
    ...strategyBefore,
    name: 'remoteAddress',
    parameters: {},
    constraints: [],
    variants: [],
  });
});

test.each(Object.keys(COMPLETE))(
  'omitting %s changes nothing, except for parameters and constraints',
  async field => {
    const { strategyBefore, put, readUpdateEvents } = await makeCompleteStrategy(`without-${field}`);
    const { [field as keyof typeof COMPLETE]: _, ...otherFields } = COMPLETE;
    const replaced = {
      parameters: { parameters: { rollout: '100', stickiness: 'userId', groupId: `without-${field}` } },
      constraints: { constraints: [] },
    }[field];

    const { body } = await put(otherFields);

    expect(body).toEqual({ ...strategyBefore, ...replaced });
    expect(await readUpdateEvents()).toHaveLength(replaced ? 1 : 0);
  },
);

test('null removes the title but not the disabled state, and empty lists remove segments and variants', async () => {
  const { strategyBefore, put } = await makeCompleteStrategy('cleared');
  const { title: _, ...untitled } = strategyBefore;

  const { body } = await put({ ...COMPLETE, title: null, disabled: null, segments: [], variants: [] });

  expect(body).toEqual({ ...untitled, segments: [], variants: [] });
});

test('lists every violation of a strategy without a name, but does not report the missing name', async () => {
  const { put } = await makeCompleteStrategy('unnamed');

  const { status, body } = await put({ title: 7, segments: [9_999] });

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['/body/title', '/body/segments']);
});

test('sorts strategies and records the order', async () => {
  const { environmentPath, add, list, events } = await makeFeature('ordered');
  const ids = [(await add({ name: 'default' })).body.id, (await add({ name: 'default' })).body.id];
  const order = (body: object) =>
    call(harness.app, 'POST', `${environmentPath}/strategies/set-sort-order`, { body });

  const response = await order([
    { id: ids[0], sortOrder: 5 },
    { id: ids[1], sortOrder: 2 },
  ]);
  await order([{ id: ids[1], sortOrder: 2 }]);
  const rejection = await order([{ id: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55', sortOrder: 1 }]);

  expect([response.status, rejection.status]).toEqual([200, 400]);
  expect((await list()).map((strategy: { id: string }) => strategy.id)).toEqual(ids.toReversed());
  expect((await events()).slice(2)).toMatchObject([
    {
      type: 'strategy-order-changed',
      data: { strategyIds: ids.toReversed() },
      preData: { strategyIds: ids },
    },
  ]);
});

test('enforces the strategy limit for concurrent requests', async () => {
  const { add, list } = await makeFeature('crowded');
  for (let number = 0; number < 29; number++) await add({ name: 'default' });
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'crowded' for update`.execute(blocker);

  const requests = Promise.all([add({ name: 'default' }), add({ name: 'default' })]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  const responses = await requests;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(responses.find(({ status }) => status === 400)?.body.name).toBe('ExceedsLimitError');
  const orders = (await list()).map((strategy: { sortOrder: number }) => strategy.sortOrder);
  expect(orders).toEqual(Array.from({ length: 30 }, (_, index) => index));
});
