import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const variableVariant = (name: string, fields: object = {}) => ({
  name,
  weight: 0,
  weightType: 'variable',
  stickiness: 'default',
  overrides: [],
  ...fields,
});
const weightedVariant = (name: string, weight: number) => ({ ...variableVariant(name), weight });
const listWeights = ({ body }: ApiResponse) =>
  body.variants.map((variant: { weight: number }) => variant.weight);

async function makeFeature(name: string, project = 'default') {
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  const feature = `/api/admin/projects/${project}/features/${name}`;
  const variantsPath = (environment = 'development') => `${feature}/environments/${environment}/variants`;
  return {
    feature,
    get: async (environment?: string) => (await call(harness.app, 'GET', variantsPath(environment))).body,
    put: (body: unknown, environment?: string) =>
      call(harness.app, 'PUT', variantsPath(environment), { body }),
    patch: (body: unknown) => call(harness.app, 'PATCH', variantsPath(), { body }),
    batch: (variants: unknown, environments: unknown, token?: string) =>
      call(harness.app, 'PUT', `${feature}/variants-batch`, {
        body: { variants, environments },
        ...(token === undefined ? {} : { token }),
      }),
    events: async () =>
      (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
        .toReversed()
        .slice(1),
  };
}

test('replaces variants, fills in their fields and weights, and records the previous variants', async () => {
  const { feature, get, put, events } = await makeFeature('colored');

  const firstResponse = await put([
    { name: 'blue', weight: 1 },
    {
      name: 'red',
      weight: 400,
      weightType: 'fix',
      stickiness: 'userId',
      payload: { type: 'json', value: '{"a":1}', unknown: 1 },
      overrides: [{ contextName: 'userId', values: ['7'], unknown: 1 }],
      unknown: 1,
    },
    { name: 'green', weight: 1 },
  ]);
  const secondResponse = await put([{ name: 'blue', weight: 7 }]);

  const storedVariants = [
    { ...weightedVariant('blue', 300), stickiness: 'userId' },
    {
      name: 'red',
      weight: 400,
      weightType: 'fix',
      stickiness: 'userId',
      payload: { type: 'json', value: '{"a":1}' },
      overrides: [{ contextName: 'userId', values: ['7'] }],
    },
    { ...weightedVariant('green', 300), stickiness: 'userId' },
  ];
  expect(firstResponse).toMatchObject({ status: 200 });
  expect(firstResponse.body).toEqual({ version: 1, variants: storedVariants });
  expect(await get()).toEqual(secondResponse.body);
  expect(await get('production')).toEqual({ version: 1, variants: [] });
  const recordedEvents = await events();
  expect(recordedEvents).toMatchObject([
    { type: 'feature-environment-variants-updated', project: 'default', environment: 'development' },
    { type: 'feature-environment-variants-updated' },
  ]);
  expect([recordedEvents[0].preData, recordedEvents[0].data]).toEqual([
    { variants: [] },
    { variants: storedVariants },
  ]);
  expect([recordedEvents[1].preData, recordedEvents[1].data]).toEqual([
    { variants: storedVariants },
    { variants: [weightedVariant('blue', 1000)] },
  ]);
  const environments = (await call(harness.app, 'GET', feature)).body.environments;
  expect(environments[0]).toMatchObject({ variantCount: 1, variants: [weightedVariant('blue', 1000)] });
});

test('writes and records nothing if the variants do not change', async () => {
  const { put, patch, batch, events } = await makeFeature('unchanged');
  const newVariants = [
    { name: 'blue', weight: 0 },
    { name: 'red', weight: 0 },
  ];

  await put(newVariants);
  await put(newVariants);
  await patch([{ op: 'replace', path: '/0/weight', value: 1 }]);
  await batch(newVariants, ['development']);
  await put([], 'production');

  expect(await events()).toHaveLength(1);
});

test('a JSON Patch changes the list, and the server recomputes the weights', async () => {
  const { put, patch } = await makeFeature('patched');
  await put([
    { name: 'blue', weight: 0 },
    { name: 'red', weight: 0 },
  ]);

  const addition = await patch([{ op: 'add', path: '/-', value: { name: 'green', weight: 0, unknown: 1 } }]);
  const weightPatch = await patch([
    { op: 'replace', path: '/0/weightType', value: 'fix' },
    { op: 'replace', path: '/0/weight', value: 100 },
  ]);
  const removal = await patch([{ op: 'remove', path: '/0' }]);

  expect(listWeights(addition)).toEqual([334, 333, 333]);
  expect(addition.body.variants[2]).toEqual(weightedVariant('green', 333));
  expect(listWeights(weightPatch)).toEqual([100, 450, 450]);
  expect(listWeights(removal)).toEqual([500, 500]);
});

test.each([
  ['an empty patch', []],
  ['the whole list replaced with a string', [{ op: 'replace', path: '', value: 'blue' }]],
  ['the whole list removed', [{ op: 'remove', path: '' }]],
  ['the whole list moved into itself', [{ op: 'move', from: '', path: '/0' }]],
  ['the whole list copied into itself', [{ op: 'copy', from: '', path: '/-' }]],
  ['a field of the list', [{ op: 'add', path: '/length', value: 7 }]],
  ['a weight that is a string', [{ op: 'replace', path: '/0/weight', value: 'half' }]],
  ['a second variant with the same name', [{ op: 'add', path: '/-', value: { name: 'blue', weight: 0 } }]],
  ['a path to the prototype', [{ op: 'add', path: '/__proto__/polluted', value: 1 }]],
  ['a path to an inherited function', [{ op: 'add', path: '/0/hasOwnProperty/polluted', value: 1 }]],
  ['a path through a string', [{ op: 'add', path: '/0/name/polluted', value: 1 }]],
  ['a path without a slash', [{ op: 'remove', path: '0' }]],
  ['a path with a lone tilde', [{ op: 'remove', path: '/~' }]],
  ['a field that variants do not have', [{ op: 'add', path: '/0/color', value: 'blue' }]],
  ['a copy without a source', [{ op: 'copy', path: '/-' }]],
  ['a move without a source', [{ op: 'move', path: '/-' }]],
  ['a source without a slash', [{ op: 'copy', from: '0', path: '/-' }]],
  ['an addition without a value', [{ op: 'add', path: '/-' }]],
  ['the length of the list', [{ op: 'replace', path: '/length', value: 100_000_000 }]],
  [
    'a document that doubles with each operation',
    [
      { op: 'add', path: '/-', value: { name: 'bomb', weight: 0 } },
      ...Array(22).fill({ op: 'copy', from: '', path: '/-' }),
    ],
  ],
  [
    'a variant that is copied into its neighbor and back',
    [
      { op: 'add', path: '/-', value: { a: {}, b: {} } },
      ...Array.from({ length: 49 }, (_, index) => [
        { op: 'copy', from: '/1/a', path: `/1/b/${index}` },
        { op: 'copy', from: '/1/b', path: `/1/a/${index}` },
      ]).flat(),
    ],
  ],
])('rejects a patch with %s', async (_case, body) => {
  const { put, get, patch } = await makeFeature('rejecting');
  await put([{ name: 'blue', weight: 0 }]);

  const response = await patch(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect((await get()).variants).toEqual([weightedVariant('blue', 1000)]);
  expect({}).not.toHaveProperty('polluted');
  expect(Object.prototype.hasOwnProperty).not.toHaveProperty('polluted');
});

test('reports every patch operation that lacks a member or has an invalid pointer', async () => {
  const { patch } = await makeFeature('incomplete');

  const incompletePatch = await patch([
    { op: 'copy', path: '/-' },
    { op: 'remove', path: '/0' },
    { op: 'test', path: '' },
  ]);
  const invalidPointers = await patch([
    { op: 'remove', path: '0' },
    { op: 'copy', from: '0', path: '/~2' },
  ]);

  expect(incompletePatch.body.details).toEqual([
    { message: 'operation "copy" at index 0 requires "from"', path: '/body/0/from' },
    { message: 'operation "test" at index 2 requires "value"', path: '/body/2/value' },
  ]);
  expect(invalidPointers.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/0/path',
    '/body/1/path',
    '/body/1/from',
  ]);
});

test.each([
  ['an object instead of a list', {}, ['/body']],
  ['a name with a space', [{ name: 'a b', weight: 0 }], ['/body/0/name']],
  ['a missing weight', [{ name: 'a' }], ['/body/0/weight']],
  ['a weight of 1001', [{ name: 'a', weight: 1001 }], ['/body/0/weight']],
  ['a weight of 0.5', [{ name: 'a', weight: 0.5 }], ['/body/0/weight']],
  ['an unknown weightType', [{ name: 'a', weight: 1, weightType: 'some' }], ['/body/0/weightType']],
  ['101 variants', Array.from({ length: 101 }, (_, n) => ({ name: `v${n}`, weight: 0 })), ['/body']],
  [
    'a repeated name, invalid JSON and an invalid number',
    [
      { name: 'a', weight: 0, payload: { type: 'json', value: '{' } },
      { name: 'a', weight: 0, payload: { type: 'number', value: 'x' } },
    ],
    ['/body/0/payload/value', '/body/1/name', '/body/1/payload/value'],
  ],
  [
    'fixed weights of more than 100 %',
    [
      { name: 'a', weight: 600, weightType: 'fix' },
      { name: 'b', weight: 500, weightType: 'fix' },
    ],
    ['/body'],
  ],
  [
    'variants with different stickiness',
    [
      { name: 'a', weight: 0 },
      { name: 'b', weight: 0, stickiness: 'userId' },
      { name: 'c', weight: 0, stickiness: 'default' },
    ],
    ['/body/2/stickiness'],
  ],
  ['only fixed weights of less than 100 %', [{ name: 'a', weight: 600, weightType: 'fix' }], ['/body']],
])('rejects %s', async (_case, body, paths) => {
  const { put, events } = await makeFeature('strict');

  const response = await put(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths);
  expect(await events()).toEqual([]);
});

test('sets the same variants in several environments, and records the environments that changed', async () => {
  const { get, put, batch, events } = await makeFeature('batched');
  await put([{ name: 'blue', weight: 0 }]);

  const response = await batch([{ name: 'blue', weight: 0 }], ['production', 'development', 'production']);
  const missingEnvironment = await batch([], ['development', 'nowhere']);
  const invalidWeights = await batch([{ name: 'a', weight: 1, weightType: 'fix' }], ['development']);

  expect(response.body).toEqual({ version: 1, variants: [weightedVariant('blue', 1000)] });
  expect(await get('production')).toEqual(response.body);
  expect([missingEnvironment.status, invalidWeights.body.details[0].path]).toEqual([404, '/body/variants']);
  expect((await events()).map((event: { environment: string }) => event.environment)).toEqual([
    'development',
    'production',
  ]);
});

test('requires the permission in each environment, and names the environments where it is missing', async () => {
  await makeProject(harness.db, { id: 'guarded' });
  const { batch, feature } = await makeFeature('guarded-flag', 'guarded');
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, 'guarded', 'Reader');
  await sql`with role as (insert into roles (name, type) values ('Painter', 'custom') returning id),
      permission as (insert into role_permissions (role_id, permission, environment)
        select id, 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'development' from role)
    insert into user_roles (user_id, role_id, project) select ${user.id}, id, 'guarded' from role`.execute(
    harness.db,
  );
  const variants = [{ name: 'blue', weight: 0 }];

  const response = await batch(variants, ['development'], user.token);
  const batchRejection = await batch(variants, ['development', 'production'], user.token);
  const singleRejection = await call(harness.app, 'PUT', `${feature}/environments/production/variants`, {
    body: variants,
    token: user.token,
  });

  expect(response.status).toBe(200);
  for (const response of [batchRejection, singleRejection]) {
    expect(response).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
    expect(response.body.message).toContain(
      'UPDATE_FEATURE_ENVIRONMENT_VARIANTS in environment "production"',
    );
  }
});

test('the variants of an archived feature cannot be changed', async () => {
  const { feature, put, patch, batch } = await makeFeature('shelved');
  await put([{ name: 'blue', weight: 0 }]);
  await call(harness.app, 'DELETE', feature);

  for (const response of [
    await put([]),
    await patch([{ op: 'remove', path: '/0' }]),
    await batch([], ['development']),
  ])
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a patch that waits for an earlier change is applied to the result of that change', async () => {
  const { patch, get, events } = await makeFeature('contended');
  const variantsBefore = [weightedVariant('one', 1000)];
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'contended' for update`.execute(blocker);

  const pendingPatch = patch([{ op: 'add', path: '/-', value: { name: 'two', weight: 0 } }]);
  await waitForLockWaiters(harness.db);
  await sql`update feature_environments set variants = ${JSON.stringify(variantsBefore)}
    where feature_name = 'contended' and environment = 'development'`.execute(blocker);
  await blocker.commit().execute();

  expect(listWeights(await pendingPatch)).toEqual([500, 500]);
  expect((await get()).variants.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
  expect((await events())[0].preData).toEqual({ variants: variantsBefore });
});

test('changing variants in 12 environments takes as many statements as in 1', async () => {
  const project = await makeProject(harness.db);
  const names = Array.from({ length: 12 }, (_, number) => `extra-${number}`);
  for (const name of names) {
    const environment = { name, type: 'test' };
    await call(harness.app, 'POST', '/api/admin/environments', { body: environment });
    await call(harness.app, 'POST', `/api/admin/projects/${project.id}/environments`, {
      body: { environment: name },
    });
  }
  const { batch } = await makeFeature('everywhere', project.id);
  const owner = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, owner, project.id, 'Owner');
  const countStatements = async (environments: string[], variant: string) => {
    const statementsBefore = harness.statements.length;
    expect((await batch([{ name: variant, weight: 0 }], environments, owner.token)).status).toBe(200);
    return harness.statements.length - statementsBefore;
  };

  await countStatements(names, 'warm-up');
  expect(await countStatements(names, 'many')).toBe(await countStatements(names.slice(0, 1), 'few'));
});
