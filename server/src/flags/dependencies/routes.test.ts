import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';

const harness = useHarness();
const PROJECT_PATH = '/api/admin/projects/default';
const FEATURES_PATH = `${PROJECT_PATH}/features`;

type RecordedEvent = { type: string; data: unknown; preData: unknown; groupId: string; summary: string };

async function createFeatures(...names: string[]): Promise<void> {
  for (const name of names)
    expect((await call(harness.app, 'POST', FEATURES_PATH, { body: { name } })).status).toBe(201);
}
const addParent = (child: string, feature: string, fields: object = {}): Promise<ApiResponse> =>
  call(harness.app, 'POST', `${FEATURES_PATH}/${child}/dependencies`, { body: { feature, ...fields } });
const drop = (child: string, parent = ''): Promise<ApiResponse> =>
  call(harness.app, 'DELETE', `${FEATURES_PATH}/${child}/dependencies${parent && `/${parent}`}`);
const get = async (name: string) => (await call(harness.app, 'GET', `${FEATURES_PATH}/${name}`)).body;
const archive = (...features: string[]): Promise<ApiResponse> =>
  call(harness.app, 'POST', `${PROJECT_PATH}/archive`, { body: { features } });
const listPossibleParents = async (name: string) =>
  (await call(harness.app, 'GET', `${FEATURES_PATH}/${name}/parents`)).body;
const readEvents = async (feature: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${feature}`)).body.events.toReversed();

test('shows a dependency on both features, and a second dependency on the same parent replaces the first', async () => {
  await createFeatures('child', 'parent');

  const responses = [
    await addParent('child', 'parent', { unknown: 1 }),
    await addParent('child', 'parent', { enabled: true, variants: [] }),
    await addParent('child', 'parent', { variants: ['blue', 'red', 'blue'] }),
    await addParent('child', 'parent', { enabled: false }),
  ];

  expect(responses.map(({ status, body }) => [status, body])).toEqual(Array(4).fill([200, '']));
  expect(await get('child')).toMatchObject({
    dependencies: [{ feature: 'parent', enabled: false, variants: [] }],
    children: [],
  });
  expect(await get('parent')).toMatchObject({ dependencies: [], children: ['child'] });
  const plain = { feature: 'parent', enabled: true, variants: [] };
  const colored = { ...plain, variants: ['blue', 'red'] };
  expect((await readEvents('child')).slice(1)).toMatchObject([
    { type: 'feature-dependency-added', data: plain, preData: null },
    { type: 'feature-dependency-added', data: colored, preData: plain },
    { type: 'feature-dependency-added', data: { ...plain, enabled: false }, preData: colored },
  ]);
});

test.each([
  ['a dependency on itself', { feature: 'alone' }, ['/body/feature']],
  ['a dependency on a feature that does not exist', { feature: 'nowhere' }, ['/body/feature']],
  ['a dependency on a feature of a different project', { feature: 'far-away' }, ['/body/feature']],
  [
    'variants of a parent that must be disabled',
    { feature: 'other', enabled: false, variants: ['a'] },
    ['/body/variants'],
  ],
  [
    'a dependency on itself with variants of a disabled parent',
    { feature: 'alone', enabled: false, variants: ['a'] },
    ['/body/feature', '/body/variants'],
  ],
  ['an empty body', {}, ['/body/feature']],
  [
    'strings for enabled and variants',
    { feature: 'x', enabled: 'yes', variants: 'a' },
    ['/body/enabled', '/body/variants'],
  ],
])('rejects %s', async (_case, body, paths) => {
  if ((await call(harness.app, 'GET', `${FEATURES_PATH}/alone`)).status === 404) {
    await createFeatures('alone', 'other');
    await makeProject(harness.db, { id: 'elsewhere' });
    const url = '/api/admin/projects/elsewhere/features';
    await call(harness.app, 'POST', url, { body: { name: 'far-away' } });
  }

  const response = await call(harness.app, 'POST', `${FEATURES_PATH}/alone/dependencies`, { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
  expect(await readEvents('alone')).toHaveLength(1);
});

test('rejects a second level of dependencies and lists every reason', async () => {
  await createFeatures('top', 'middle', 'bottom', 'upper', 'lower');
  await addParent('middle', 'top');
  await addParent('lower', 'upper');

  const below = await addParent('bottom', 'middle');
  const above = await addParent('top', 'bottom');
  const rejection = await addParent('upper', 'middle');

  expect([below, above, rejection].map(({ status, body }) => [status, body.name])).toEqual(
    Array(3).fill([403, 'InvalidOperationError']),
  );
  expect(rejection.body.details).toEqual([
    { message: 'Feature "upper" is the parent of "lower", and a parent cannot depend on another feature.' },
    {
      message: 'Feature "middle" depends on "top", and a feature that depends on another cannot be a parent.',
    },
  ]);
});

test('rejects a dependency if the child or the parent is archived', async () => {
  await createFeatures('old-child', 'old-parent', 'young');
  await archive('old-child', 'old-parent');

  expect((await addParent('young', 'old-parent')).status).toBe(403);
  expect((await addParent('old-child', 'young')).status).toBe(403);
  expect((await addParent('old-child', 'old-parent')).body.details).toHaveLength(2);
  expect((await addParent('nowhere', 'young')).status).toBe(404);
});

test('a feature can have at most 30 parents', async () => {
  const parents = Array.from({ length: 31 }, (_, n) => `many-${n}`);
  await createFeatures('crowded', ...parents);
  const responses = [];
  for (const parent of parents) responses.push((await addParent('crowded', parent)).status);

  expect(responses).toEqual([...Array(30).fill(200), 400]);
  expect((await addParent('crowded', 'many-0', { enabled: false })).status).toBe(200);
});

test('removes one parent or all parents, and records the removed parents', async () => {
  await createFeatures('leaver', 'left-1', 'left-2', 'left-3');
  for (const parent of ['left-1', 'left-2', 'left-3']) await addParent('leaver', parent, { variants: ['v'] });

  const responses = [await drop('leaver', 'left-2'), await drop('leaver', 'left-2'), await drop('leaver')];
  const secondResponse = await drop('leaver');

  expect([...responses, secondResponse].map(({ status }) => status)).toEqual([200, 404, 200, 200]);
  expect(await get('leaver')).toMatchObject({ dependencies: [] });
  const previousDependency = (feature: string) => ({ feature, enabled: true, variants: ['v'] });
  expect((await readEvents('leaver')).slice(4)).toMatchObject([
    { type: 'feature-dependency-removed', data: null, preData: previousDependency('left-2') },
    {
      type: 'feature-dependencies-removed',
      data: null,
      preData: { dependencies: [previousDependency('left-1'), previousDependency('left-3')] },
    },
  ]);
});

test('lists the other active features without parents as possible parents, and none for a feature that is a parent', async () => {
  const { id } = await makeProject(harness.db);
  const url = `/api/admin/projects/${id}/features`;
  for (const name of ['pp-a', 'pp-b', 'pp-c', 'pp-d'])
    await call(harness.app, 'POST', url, { body: { name } });
  const listParents = async (name: string) => (await call(harness.app, 'GET', `${url}/${name}/parents`)).body;
  const checkDependenciesExist = async () =>
    (await call(harness.app, 'GET', `/api/admin/projects/${id}/dependencies`)).body;

  const resultsBefore = [await listParents('pp-a'), await checkDependenciesExist()];
  await call(harness.app, 'POST', `${url}/pp-b/dependencies`, { body: { feature: 'pp-c' } });
  await call(harness.app, 'DELETE', `${url}/pp-d`);

  expect(resultsBefore).toEqual([['pp-b', 'pp-c', 'pp-d'], false]);
  expect([
    await listParents('pp-a'),
    await listParents('pp-b'),
    await listParents('pp-c'),
    await listParents('pp-d'),
  ]).toEqual([['pp-c'], ['pp-a', 'pp-c'], [], []]);
  expect(await checkDependenciesExist()).toBe(true);
  expect((await call(harness.app, 'GET', `${url}/nowhere/parents`)).status).toBe(404);
  expect(await listPossibleParents('child')).not.toContain('pp-a');
});

test('lists the variants of all strategies and environments without duplicates', async () => {
  await createFeatures('colourful');
  const variant = (name: string) => ({ name, weight: 0, weightType: 'variable', stickiness: 'default' });
  for (const environment of ['development', 'production']) {
    const body = { name: 'flexibleRollout', variants: ['red', 'blue'].map(variant) };
    await call(harness.app, 'POST', `${FEATURES_PATH}/colourful/environments/${environment}/strategies`, {
      body,
    });
  }
  await sql`update feature_environments set variants = '[{"name": "green", "weight": 1000}]'
    where feature_name = 'colourful' and environment = 'production'`.execute(harness.db);

  const response = await call(harness.app, 'GET', `${FEATURES_PATH}/colourful/parent-variants`);

  expect(response).toMatchObject({ status: 200, body: ['blue', 'green', 'red'] });
  expect((await call(harness.app, 'GET', `${FEATURES_PATH}/nowhere/parent-variants`)).status).toBe(404);
});

test('archives a parent only together with all its children, and a revived child has no parent', async () => {
  await createFeatures('root', 'leaf-1', 'leaf-2', 'bystander');
  await addParent('leaf-1', 'root', { variants: ['v'] });
  await addParent('leaf-2', 'root');

  const alone = await call(harness.app, 'DELETE', `${FEATURES_PATH}/root`);
  const oneShort = await archive('bystander', 'leaf-1', 'root');
  const states = [await get('bystander'), await get('leaf-1')].map(feature => feature.archived);
  const response = await archive('root', 'leaf-1', 'leaf-2');

  expect(alone).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(alone.body.message).toContain('is the parent of "leaf-1", "leaf-2".');
  expect(oneShort.body.message).toContain('is the parent of "leaf-2".');
  expect(states).toEqual([false, false]);
  expect(response.status).toBe(202);
  const events = (await readEvents('leaf-1')).slice(2);
  expect(events).toMatchObject([
    {
      type: 'feature-dependencies-removed',
      preData: { dependencies: [{ feature: 'root', enabled: true, variants: ['v'] }] },
    },
    { type: 'feature-archived' },
  ]);
  expect(new Set(events.map(({ groupId }) => groupId)).size).toBe(1);

  await call(harness.app, 'POST', `${PROJECT_PATH}/revive`, { body: { features: ['leaf-1'] } });
  expect(await get('leaf-1')).toMatchObject({ archived: false, dependencies: [] });
  const deletion = await call(harness.app, 'POST', `${PROJECT_PATH}/delete`, {
    body: { features: ['root', 'leaf-2'] },
  });
  expect(deletion.status).toBe(200);
});

test('rejects a parent that concurrently becomes a child', async () => {
  await createFeatures('race-a', 'race-b', 'race-c');

  const response = await duringTransaction(
    harness.db,
    tx => tx.insertInto('feature_dependencies').values({ child: 'race-b', parent: 'race-c' }).execute(),
    () => addParent('race-a', 'race-b'),
  );

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await get('race-a')).toMatchObject({ dependencies: [] });
});

test('rejects one of two concurrent dependencies that would form two levels', async () => {
  await createFeatures('twice-a', 'twice-b', 'twice-c');

  const responses = await duringTransaction(
    harness.db,
    tx => sql`select from features where name = 'twice-b' for update`.execute(tx),
    () => Promise.all([addParent('twice-a', 'twice-b'), addParent('twice-b', 'twice-c')]),
    2,
  );

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
});

test('accepts only one of two concurrent dependencies in opposite directions, without a deadlock', async () => {
  await createFeatures('mutual-a', 'mutual-b');

  const responses = await duringTransaction(
    harness.db,
    tx => sql`select from features where name = 'mutual-a' for update`.execute(tx),
    () => Promise.all([addParent('mutual-a', 'mutual-b'), addParent('mutual-b', 'mutual-a')]),
    2,
  );

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
});

test('archiving a feature and concurrently making it a parent cannot both succeed', async () => {
  await createFeatures('going', 'coming', 'kept', 'new-child');

  const rejection = await duringTransaction(
    harness.db,
    tx => sql`update features set archived_at = now() where name = 'going'`.execute(tx),
    () => addParent('coming', 'going'),
  );
  const archiveRejection = await duringTransaction(
    harness.db,
    tx => tx.insertInto('feature_dependencies').values({ child: 'new-child', parent: 'kept' }).execute(),
    () => call(harness.app, 'DELETE', `${FEATURES_PATH}/kept`),
  );

  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(archiveRejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await get('kept')).toMatchObject({ archived: false, children: ['new-child'] });
});

test('changing parents, removing parents and archiving children take the same number of statements for 1 and for 12', async () => {
  const count = async (request: Promise<ApiResponse>) => {
    const statementsBefore = harness.statements.length;
    expect((await request).status).toBeLessThan(300);
    return harness.statements.length - statementsBefore;
  };
  const numberedNames = (prefix: string, length: number) =>
    Array.from({ length }, (_, n) => `${prefix}-${n}`);
  const [fewParents, manyParents] = [numberedNames('few', 1), numberedNames('lots', 12)];
  await createFeatures('free', 'few-child', 'lots-child', ...fewParents, ...manyParents);
  for (const parent of fewParents) await addParent('few-child', parent);
  for (const parent of manyParents) await addParent('lots-child', parent);
  await archive('free');

  const changeCounts = [
    await count(addParent('few-child', 'few-0', { enabled: false })),
    await count(addParent('lots-child', 'lots-0', { enabled: false })),
  ];
  const dropCounts = [await count(drop('few-child')), await count(drop('lots-child'))];
  for (const child of fewParents) await addParent(child, 'few-child');
  for (const child of manyParents) await addParent(child, 'lots-child');
  const archiveCounts = [
    await count(archive('few-child', ...fewParents)),
    await count(archive('lots-child', ...manyParents)),
  ];

  for (const [singleCount, dozenCount] of [changeCounts, dropCounts, archiveCounts])
    expect(dozenCount).toBe(singleCount);
});

test('a Viewer can list possible parents, but cannot add one', async () => {
  await createFeatures('watched', 'watched-parent');
  const { token } = await makeUser(harness.db, 'Viewer');

  const parents = await call(harness.app, 'GET', `${FEATURES_PATH}/watched/parents`, { token });
  const response = await call(harness.app, 'POST', `${FEATURES_PATH}/watched/dependencies`, {
    token,
    body: { feature: 'watched-parent' },
  });

  expect(parents.body).toContain('watched-parent');
  expect(response.body.message).toContain('UPDATE_FEATURE_DEPENDENCY');
});
