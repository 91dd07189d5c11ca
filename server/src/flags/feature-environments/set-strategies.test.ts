import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFeatureWithRequests } from '../../test/strategy-requests.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const UNKNOWN_ID = '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55';

type Strategy = { id: string; sortOrder: number; title?: string };

/** Creates a feature with the given number of strategies, up to three, titled a, b and c. */
async function makeFeature(name: string, strategies: number, project?: string) {
  const feature = await makeFeatureWithRequests(harness, name, project);
  for (const title of ['a', 'b', 'c'].slice(0, strategies)) await feature.add({ name: 'default', title });
  const strategiesBefore: Strategy[] = await feature.list();
  const put = (body: unknown, options: { token?: string; headers?: Record<string, string> } = {}) =>
    call(harness.app, 'PUT', `${feature.environmentPath}/strategies`, { body, ...options });
  return {
    ...feature,
    strategiesBefore,
    put,
    readNewEvents: async () => (await feature.events()).slice(strategies),
  };
}

const titlesWithOrder = (strategies: Strategy[]) =>
  strategies.map(({ title, sortOrder }) => `${title}${sortOrder}`).join(' ');

test('updates, adds, deletes and sorts strategies in one change, and records the events of the individual operations', async () => {
  const { environmentPath, strategiesBefore, put, list, readNewEvents } = await makeFeature('everything', 3);
  const [a, b, c] = strategiesBefore;

  const { status, body } = await put([
    { ...c, title: 'c2' },
    { name: 'flexibleRollout', title: 'new', parameters: { rollout: '25' } },
    a,
  ]);

  expect(status).toBe(200);
  expect(titlesWithOrder(body)).toBe('c22 new3 a4');
  expect(body[1].parameters).toEqual({ rollout: '25', stickiness: 'default', groupId: 'everything' });
  expect(await list()).toEqual(body);
  const [newId] = [body[1].id];
  expect(await readNewEvents()).toMatchObject([
    { type: 'feature-strategy-remove', preData: { id: b?.id } },
    { type: 'feature-strategy-update', data: { title: 'c2', sortOrder: 2 }, preData: { title: 'c' } },
    { type: 'feature-strategy-add', data: { id: newId, sortOrder: 3 } },
    {
      type: 'strategy-order-changed',
      data: { strategyIds: [c?.id, newId, a?.id], sortOrders: [2, 3, 4] },
      preData: { strategyIds: [a?.id, c?.id, newId], sortOrders: [0, 2, 3] },
    },
  ]);
  const groupIds = new Set(
    (
      await call(harness.app, 'GET', '/api/admin/search/events?feature=IS:everything&limit=4')
    ).body.events.map(({ groupId }: { groupId: string }) => groupId),
  );
  expect(groupIds.size).toBe(1);
  expect((await call(harness.app, 'GET', environmentPath)).body.strategies).toEqual(body);
});

test('changes and records nothing if the list is sent back as it was returned', async () => {
  const { strategiesBefore, put, readNewEvents } = await makeFeature('same', 3);

  const { body } = await put(strategiesBefore);

  expect(body).toEqual(strategiesBefore);
  expect(await readNewEvents()).toEqual([]);
});

test('a strategy with an id keeps its title, segments, variants and disabled state if they are omitted', async () => {
  const { environmentPath, put, list } = await makeFeature('keeps-omitted', 0);
  const segment = await call(harness.app, 'POST', '/api/admin/segments', {
    body: { name: 'keeps-omitted', constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] },
  });
  const { body: strategyBefore } = await call(harness.app, 'POST', `${environmentPath}/strategies`, {
    body: {
      name: 'flexibleRollout',
      title: 'Beta users',
      disabled: true,
      parameters: { rollout: '25' },
      segments: [segment.body.id],
      variants: [{ name: 'a', weight: 1_000, weightType: 'fix', stickiness: 'default' }],
    },
  });
  const parameters = { ...strategyBefore.parameters, rollout: '50' };

  const { body } = await put([{ id: strategyBefore.id, name: 'flexibleRollout', parameters }]);

  expect(body).toEqual([{ ...strategyBefore, parameters }]);
  expect(await list()).toEqual(body);
});

test('deleting or adding a strategy does not renumber the others', async () => {
  const { strategiesBefore, put, readNewEvents } = await makeFeature('kept', 3);

  const { body } = await put([strategiesBefore[1], strategiesBefore[2], { name: 'default', title: 'd' }]);

  expect(titlesWithOrder(body)).toBe('b1 c2 d3');
  expect((await readNewEvents()).map(({ type }) => type)).toEqual([
    'feature-strategy-remove',
    'feature-strategy-add',
  ]);
});

test('renumbers from 0 if the sort orders would become too high', async () => {
  const { strategiesBefore, put, environmentPath } = await makeFeature('high', 2);
  await call(harness.app, 'POST', `${environmentPath}/strategies/set-sort-order`, {
    body: [{ id: strategiesBefore[1]?.id, sortOrder: 100_000 }],
  });

  expect(titlesWithOrder((await put([strategiesBefore[1], strategiesBefore[0]])).body)).toBe('b0 a1');
});

test('an empty list deletes all strategies and disables the feature', async () => {
  const { environmentPath, put, readNewEvents } = await makeFeature('emptied', 2);
  await call(harness.app, 'POST', `${environmentPath}/on`);

  expect((await put([])).body).toEqual([]);

  expect((await call(harness.app, 'GET', environmentPath)).body).toMatchObject({
    enabled: false,
    strategies: [],
  });
  expect((await readNewEvents()).map(({ type }) => type)).toEqual([
    'feature-environment-enabled',
    'feature-strategy-remove',
    'feature-strategy-remove',
    'feature-environment-disabled',
  ]);
});

test('disables the feature if the list disables its last enabled strategy', async () => {
  const { environmentPath, strategiesBefore, put } = await makeFeature('disabled', 1);
  await call(harness.app, 'POST', `${environmentPath}/on`);

  await put([{ ...strategiesBefore[0], disabled: true }]);

  expect((await call(harness.app, 'GET', environmentPath)).body.enabled).toBe(false);
});

test('replaces the segments of several strategies', async () => {
  const { strategiesBefore, put, list } = await makeFeature('segments', 2);
  const createSegment = async (name: string) =>
    (await call(harness.app, 'POST', '/api/admin/segments', { body: { name, constraints: [] } })).body.id;
  const [firstSegment, secondSegment] = [await createSegment('set-one'), await createSegment('set-two')];

  await put([
    { ...strategiesBefore[0], segments: [firstSegment] },
    { ...strategiesBefore[1], segments: [secondSegment, firstSegment] },
  ]);
  await put([
    { ...strategiesBefore[0], segments: [secondSegment] },
    { ...strategiesBefore[1], segments: [] },
  ]);

  expect((await list()).map(({ segments }: { segments: number[] }) => segments)).toEqual([
    [secondSegment],
    [],
  ]);
});

test('does not revalidate an unchanged strategy', async () => {
  const { add, list, put } = await makeFeature('once-legal', 0);
  const field = { name: 'onceLegal', legalValues: [{ value: 'x' }] };
  await call(harness.app, 'POST', '/api/admin/context', { body: field });
  await add({ name: 'default', constraints: [{ contextName: 'onceLegal', operator: 'IN', values: ['x'] }] });
  await call(harness.app, 'PUT', '/api/admin/context/onceLegal', {
    body: { ...field, legalValues: [{ value: 'y' }] },
  });
  const [strategy] = await list();

  expect((await put([strategy, { name: 'default' }])).status).toBe(200);
  expect(await put([{ ...strategy, title: 'changed' }])).toMatchObject({
    status: 400,
    body: { details: [{ path: expect.stringMatching(/^\/body\/0\/constraints\/0\//) }] },
  });
});

test('lists the violations of all strategies and changes nothing', async () => {
  const { strategiesBefore, put, list } = await makeFeature('violations', 1);

  const { status, body } = await put([
    { ...strategiesBefore[0], title: 'changed' },
    { name: 'moonPhase', segments: [987_654] },
    {
      name: 'flexibleRollout',
      parameters: { rollout: '101' },
      constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'old' }],
      variants: ['a', 'b'].map(name => ({ name, weight: 600, weightType: 'fix', stickiness: 'default' })),
    },
  ]);

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/1/name',
    '/body/1/segments',
    '/body/2/parameters/rollout',
    '/body/2/constraints/0/value',
    expect.stringMatching(/^\/body\/2\/variants/),
  ]);
  expect(await list()).toEqual(strategiesBefore);
});

test.each([
  ['an unknown id', [{ id: UNKNOWN_ID, name: 'default' }], '/body/0/id'],
  ['a strategy without a name', [{ title: 'x' }], '/body/0/name'],
  ['an id that is not a UUID', [{ id: '7', name: 'default' }], '/body/0/id'],
  ['an object', { name: 'default' }, '/body'],
  ['31 strategies', Array.from({ length: 31 }, () => ({ name: 'default' })), '/body'],
])('rejects %s', async (_, body, path) => {
  const { put } = await makeFeature('rejecting', 0);

  expect(await put(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects an id that is listed twice, even if the letter case differs', async () => {
  const { strategiesBefore, put } = await makeFeature('twice', 1);

  const id = strategiesBefore[0]?.id.toUpperCase();

  expect(await put([strategiesBefore[0], { ...strategiesBefore[0], id }])).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/1/id', message: expect.stringMatching(/twice/) }] },
  });
  expect((await put([{ ...strategiesBefore[0], id }])).body).toEqual(strategiesBefore);
});

test('rejects an archived feature, a missing feature and an environment that the feature does not have', async () => {
  const { environmentPath, put } = await makeFeature('archived', 0);
  await call(harness.app, 'DELETE', environmentPath.replace('/environments/development', ''));

  expect(await put([])).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  const url = (feature: string, environment: string) =>
    `/api/admin/projects/default/features/${feature}/environments/${environment}/strategies`;
  expect((await call(harness.app, 'PUT', url('nope', 'development'), { body: [] })).status).toBe(404);
  await makeFeature('here-only', 0);
  expect((await call(harness.app, 'PUT', url('here-only', 'nowhere'), { body: [] })).status).toBe(404);
});

test.each([
  ['CREATE_FEATURE_STRATEGY', (strategiesBefore: Strategy[]) => [...strategiesBefore, { name: 'default' }]],
  [
    'UPDATE_FEATURE_STRATEGY',
    (strategiesBefore: Strategy[]) => strategiesBefore.map(strategy => ({ ...strategy, title: 'new' })),
  ],
  ['UPDATE_FEATURE_STRATEGY', (strategiesBefore: Strategy[]) => strategiesBefore.toReversed()],
  ['DELETE_FEATURE_STRATEGY', (strategiesBefore: Strategy[]) => strategiesBefore.slice(1)],
])('requires %s only if the change needs it', async (permission, makeNewList) => {
  const allPermissions = ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'];
  const suffix = `${permission}-${makeNewList.toString().length}`;
  const { strategiesBefore, put, list } = await makeFeature(`permitted-${suffix}`, 2);
  const makeUserWith = async (name: string, permissions: string[]) => {
    const user = await makeUser(harness.db, 'Viewer');
    const role = await call(harness.app, 'POST', '/api/admin/roles', {
      body: {
        name: `${name} ${suffix}`,
        description: '',
        type: 'custom',
        permissions: permissions.map(permissionName => ({
          name: permissionName,
          environment: 'development',
        })),
      },
    });
    expect(role.status).toBeLessThan(300);
    const grant = await call(harness.app, 'PUT', `/api/admin/projects/default/users/${user.id}/roles`, {
      body: { roles: [role.body.roles.id] },
    });
    expect(grant.status).toBeLessThan(300);
    return user.token;
  };

  const rejection = await put(makeNewList(strategiesBefore), {
    token: await makeUserWith(
      'others',
      allPermissions.filter(permissionName => permissionName !== permission),
    ),
  });
  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejection.body.message).toContain(permission);
  expect(await list()).toEqual(strategiesBefore);

  const token = await makeUserWith('only', [permission]);
  expect((await put(makeNewList(strategiesBefore), { token })).status).toBe(200);
});

test('rejects a list with an outdated ETag and keeps a strategy that was added in the meantime', async () => {
  const { environmentPath, strategiesBefore, put, add, list } = await makeFeature('outdated', 1);
  const { headers } = await call(harness.app, 'GET', `${environmentPath}/strategies`);
  await add({ name: 'default', title: 'meanwhile' });

  const response = await put(strategiesBefore, { headers: { 'if-match': String(headers.etag) } });

  expect(response).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
  expect(await list()).toHaveLength(2);
});

test('accepts one of two concurrent lists with the same ETag, and rejects the other with 412', async () => {
  const { environmentPath, put, list } = await makeFeature('raced', 2);
  const etag = String((await call(harness.app, 'GET', `${environmentPath}/strategies`)).headers.etag);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'raced' for update`.execute(blocker);

  const requests = Promise.all(
    ['first', 'second'].map(title => put([{ name: 'default', title }], { headers: { 'if-match': etag } })),
  );
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  const responses = await requests;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  expect(await list()).toEqual(responses.find(({ status }) => status === 200)?.body);
});

test('the number of statements does not depend on the number of strategies', async () => {
  const { put } = await makeFeature('many', 0);
  const strategy = {
    name: 'flexibleRollout',
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }],
  };
  const countStatements = async (count: number, title: string) => {
    const statementsBefore = harness.statements.length;
    const body = Array.from({ length: count }, () => ({ ...strategy, title }));
    expect((await put(body)).status).toBe(200);
    return harness.statements.length - statementsBefore;
  };
  await countStatements(1, 'first');

  expect(await countStatements(30, 'thirty')).toBe(await countStatements(2, 'two'));
});
