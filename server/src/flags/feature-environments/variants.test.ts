import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();

const variable = (name: string, fields: object = {}) => ({
  name,
  weight: 0,
  weightType: 'variable',
  stickiness: 'default',
  overrides: [],
  ...fields,
});
const weighing = (name: string, weight: number) => ({ ...variable(name), weight });
const weightsOf = ({ body }: ApiResponse) =>
  body.variants.map((variant: { weight: number }) => variant.weight);

async function makeFeature(name: string, project = 'default') {
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  const feature = `/api/admin/projects/${project}/features/${name}`;
  const here = (environment = 'development') => `${feature}/environments/${environment}/variants`;
  return {
    feature,
    get: async (environment?: string) => (await call(harness.app, 'GET', here(environment))).body,
    put: (body: unknown, environment?: string) => call(harness.app, 'PUT', here(environment), { body }),
    patch: (body: unknown) => call(harness.app, 'PATCH', here(), { body }),
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

test('replaces variants, completes their fields and weights, and records the previous ones', async () => {
  const { feature, get, put, events } = await makeFeature('coloured');

  const first = await put([
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
  const second = await put([{ name: 'blue', weight: 7 }]);

  const stored = [
    { ...weighing('blue', 300), stickiness: 'userId' },
    {
      name: 'red',
      weight: 400,
      weightType: 'fix',
      stickiness: 'userId',
      payload: { type: 'json', value: '{"a":1}' },
      overrides: [{ contextName: 'userId', values: ['7'] }],
    },
    { ...weighing('green', 300), stickiness: 'userId' },
  ];
  expect(first).toMatchObject({ status: 200 });
  expect(first.body).toEqual({ version: 1, variants: stored });
  expect(await get()).toEqual(second.body);
  expect(await get('production')).toEqual({ version: 1, variants: [] });
  const recorded = await events();
  expect(recorded).toMatchObject([
    { type: 'feature-environment-variants-updated', project: 'default', environment: 'development' },
    { type: 'feature-environment-variants-updated' },
  ]);
  expect([recorded[0].preData, recorded[0].data]).toEqual([{ variants: [] }, { variants: stored }]);
  expect([recorded[1].preData, recorded[1].data]).toEqual([
    { variants: stored },
    { variants: [weighing('blue', 1000)] },
  ]);
  const environments = (await call(harness.app, 'GET', feature)).body.environments;
  expect(environments[0]).toMatchObject({ variantCount: 1, variants: [weighing('blue', 1000)] });
});

test('writes and records equal variants once', async () => {
  const { put, patch, batch, events } = await makeFeature('unchanged');
  const wanted = [
    { name: 'blue', weight: 0 },
    { name: 'red', weight: 0 },
  ];

  await put(wanted);
  await put(wanted);
  await patch([{ op: 'replace', path: '/0/weight', value: 1 }]);
  await batch(wanted, ['development']);
  await put([], 'production');

  expect(await events()).toHaveLength(1);
});

test('a JSON Patch changes the list, and the server computes the weights again', async () => {
  const { put, patch } = await makeFeature('patched');
  await put([
    { name: 'blue', weight: 0 },
    { name: 'red', weight: 0 },
  ]);

  const added = await patch([{ op: 'add', path: '/-', value: { name: 'green', weight: 0, unknown: 1 } }]);
  const fixed = await patch([
    { op: 'replace', path: '/0/weightType', value: 'fix' },
    { op: 'replace', path: '/0/weight', value: 100 },
  ]);
  const removed = await patch([{ op: 'remove', path: '/0' }]);

  expect(weightsOf(added)).toEqual([334, 333, 333]);
  expect(added.body.variants[2]).toEqual(weighing('green', 333));
  expect(weightsOf(fixed)).toEqual([100, 450, 450]);
  expect(weightsOf(removed)).toEqual([500, 500]);
});

test.each([
  ['an empty patch', []],
  ['the whole replaced by a word', [{ op: 'replace', path: '', value: 'blue' }]],
  ['the whole removed', [{ op: 'remove', path: '' }]],
  ['the whole moved into itself', [{ op: 'move', from: '', path: '/0' }]],
  ['the whole copied into itself', [{ op: 'copy', from: '', path: '/-' }]],
  ['a field of the list', [{ op: 'add', path: '/length', value: 7 }]],
  ['a weight that is a word', [{ op: 'replace', path: '/0/weight', value: 'half' }]],
  ['a second variant of the name', [{ op: 'add', path: '/-', value: { name: 'blue', weight: 0 } }]],
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
    'a variant that is copied into its neighbour and back',
    [
      { op: 'add', path: '/-', value: { a: {}, b: {} } },
      ...Array.from({ length: 49 }, (_, at) => [
        { op: 'copy', from: '/1/a', path: `/1/b/${at}` },
        { op: 'copy', from: '/1/b', path: `/1/a/${at}` },
      ]).flat(),
    ],
  ],
])('rejects a patch with %s', async (_case, body) => {
  const { put, get, patch } = await makeFeature('rejecting');
  await put([{ name: 'blue', weight: 0 }]);

  const response = await patch(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect((await get()).variants).toEqual([weighing('blue', 1000)]);
  expect({}).not.toHaveProperty('polluted');
  expect(Object.prototype.hasOwnProperty).not.toHaveProperty('polluted');
});

test('a patch lists every operation that lacks a member or has a bad pointer', async () => {
  const { patch } = await makeFeature('incomplete');

  const lacking = await patch([
    { op: 'copy', path: '/-' },
    { op: 'remove', path: '/0' },
    { op: 'test', path: '' },
  ]);
  const bad = await patch([
    { op: 'remove', path: '0' },
    { op: 'copy', from: '0', path: '/~2' },
  ]);

  expect(lacking.body.details).toEqual([
    { message: '0.from is required with copy', path: '/body/0/from' },
    { message: '2.value is required with test', path: '/body/2/value' },
  ]);
  expect(bad.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/0/path',
    '/body/1/path',
    '/body/1/from',
  ]);
});

test.each([
  ['no list', {}, ['/body']],
  ['a name with a blank', [{ name: 'a b', weight: 0 }], ['/body/0/name']],
  ['no weight', [{ name: 'a' }], ['/body/0/weight']],
  ['a weight of 1001', [{ name: 'a', weight: 1001 }], ['/body/0/weight']],
  ['a weight of a half', [{ name: 'a', weight: 0.5 }], ['/body/0/weight']],
  ['another weightType', [{ name: 'a', weight: 1, weightType: 'some' }], ['/body/0/weightType']],
  ['101 variants', Array.from({ length: 101 }, (_, n) => ({ name: `v${n}`, weight: 0 })), ['/body']],
  [
    'the same name twice, bad JSON and a bad number',
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
    'different stickiness',
    [
      { name: 'a', weight: 0 },
      { name: 'b', weight: 0, stickiness: 'userId' },
      { name: 'c', weight: 0, stickiness: 'default' },
    ],
    ['/body/2/stickiness'],
  ],
  ['nothing variable and not the whole', [{ name: 'a', weight: 600, weightType: 'fix' }], ['/body']],
])('rejects %s', async (_case, body, paths) => {
  const { put, events } = await makeFeature('strict');

  const response = await put(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths);
  expect(await events()).toEqual([]);
});

test('sets the same variants in several environments, and records the changed ones', async () => {
  const { get, put, batch, events } = await makeFeature('batched');
  await put([{ name: 'blue', weight: 0 }]);

  const response = await batch([{ name: 'blue', weight: 0 }], ['production', 'development', 'production']);
  const missing = await batch([], ['development', 'nowhere']);
  const bad = await batch([{ name: 'a', weight: 1, weightType: 'fix' }], ['development']);

  expect(response.body).toEqual({ version: 1, variants: [weighing('blue', 1000)] });
  expect(await get('production')).toEqual(response.body);
  expect([missing.status, bad.body.details[0].path]).toEqual([404, '/body/variants']);
  expect((await events()).map((event: { environment: string }) => event.environment)).toEqual([
    'development',
    'production',
  ]);
});

test('requires the permission in each environment, and names the environments without it', async () => {
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

  const allowed = await batch(variants, ['development'], user.token);
  const refused = await batch(variants, ['development', 'production'], user.token);
  const alone = await call(harness.app, 'PUT', `${feature}/environments/production/variants`, {
    body: variants,
    token: user.token,
  });

  expect(allowed.status).toBe(200);
  for (const response of [refused, alone]) {
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

test('a change that waited for another starts from its result', async () => {
  const { patch, get, events } = await makeFeature('contended');
  const one = [weighing('one', 1000)];
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'contended' for update`.execute(blocker);

  const waiting = patch([{ op: 'add', path: '/-', value: { name: 'two', weight: 0 } }]);
  await untilWaiting(harness.db);
  await sql`update feature_environments set variants = ${JSON.stringify(one)}
    where feature_name = 'contended' and environment = 'development'`.execute(blocker);
  await blocker.commit().execute();

  expect(weightsOf(await waiting)).toEqual([500, 500]);
  expect((await get()).variants.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
  expect((await events())[0].preData).toEqual({ variants: one });
});

test('changing variants takes the same number of statements for 1 and for many environments', async () => {
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
  const count = async (environments: string[], variant: string) => {
    const before = harness.statements.length;
    expect((await batch([{ name: variant, weight: 0 }], environments, owner.token)).status).toBe(200);
    return harness.statements.length - before;
  };

  await count(names, 'warm-up');
  expect(await count(names, 'many')).toBe(await count(names.slice(0, 1), 'few'));
});
