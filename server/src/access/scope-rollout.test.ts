import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeProject, makeScopedToken, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();
const PROJECT = '/api/admin/projects/shop';
let token: string;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop' });
  const owner = await makeUser(harness.db, 'Admin');
  token = await makeScopedToken(harness.db, owner, { projects: ['shop'], maxProductionRollout: 25 });
});

const rollout = (percentage: number, more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percentage), stickiness: 'default', groupId: 'g' },
  constraints: [],
  ...more,
});
const TESTERS = { constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] };

type Method = Parameters<typeof call>[1];
const asToken = (method: Method, url: string, body?: unknown) =>
  call(harness.app, method, url, { token, body });
const asAdmin = (method: Method, url: string, body?: unknown) => call(harness.app, method, url, { body });
const production = (flag: string) => `${PROJECT}/features/${flag}/environments/production`;

/** A flag that admins have rolled out in production like this. */
async function makeFlag(name: string, strategies: object[] = [], enabled = false): Promise<string> {
  await makeFeature(harness.db, 'shop', { name });
  for (const strategy of strategies) await asAdmin('POST', `${production(name)}/strategies`, strategy);
  if (enabled) await asAdmin('POST', `${production(name)}/on`);
  return name;
}

const strategiesOf = async (flag: string): Promise<{ id: string }[]> =>
  (await asAdmin('GET', `${production(flag)}/strategies`)).body;

async function expectTooLarge(
  response: Promise<{ status: number; body: { message: string } }>,
  percentage = 50,
) {
  const { status, body } = await response;
  expect(body.message).toMatch(
    new RegExp(
      `^The scope of the token does not allow this: it allows a rollout of at most 25 % in production, and this would be ${percentage} % .* in environment "production"\\.$`,
    ),
  );
  expect(status).toBe(403);
}

test('adds a strategy up to the largest rollout, and no further', async () => {
  const flag = await makeFlag('added');
  const url = `${production(flag)}/strategies`;

  await expectTooLarge(asToken('POST', url, rollout(50)));
  await expectTooLarge(asToken('POST', url, { name: 'default' }), 100);
  await expectTooLarge(asToken('POST', url, { name: 'flexibleRollout' }), 100);
  expect((await asToken('POST', url, rollout(25))).status).toBe(200);
  const inDevelopment = url.replace('production', 'development');
  expect((await asToken('POST', inDevelopment, rollout(100))).status).toBe(200);
});

test('updates, patches and replaces a strategy only within the largest rollout', async () => {
  const flag = await makeFlag('updated', [rollout(10)]);
  const [strategy] = await strategiesOf(flag);
  const url = `${production(flag)}/strategies/${strategy?.id}`;

  await expectTooLarge(asToken('PUT', url, rollout(50)));
  await expectTooLarge(asToken('PATCH', url, [{ op: 'replace', path: '/parameters/rollout', value: '50' }]));
  await expectTooLarge(asToken('PUT', `${production(flag)}/strategies`, [rollout(50)]));
  expect((await asToken('PUT', url, rollout(20))).status).toBe(200);
});

test('a strategy that is rolled out further already can be lowered, but not opened to more people', async () => {
  const flag = await makeFlag('lowered', [rollout(100, TESTERS)], true);
  const [strategy] = await strategiesOf(flag);
  const url = `${production(flag)}/strategies`;

  await expectTooLarge(asToken('PUT', `${url}/${strategy?.id}`, rollout(100)), 100);
  await expectTooLarge(asToken('POST', url, rollout(100)), 100);
  expect((await asToken('PUT', `${url}/${strategy?.id}`, rollout(60, TESTERS))).status).toBe(200);
  expect(
    (await asToken('PUT', `${PROJECT}/features/${flag}`, { description: 'x', type: 'release' })).status,
  ).toBe(200);
  expect((await asToken('POST', `${production(flag)}/off`)).status).toBe(200);
});

test('does not enable a flag that is rolled out further, one by one, in bulk or by default', async () => {
  const flag = await makeFlag('enabled', [rollout(50)]);
  const bulk = `${PROJECT}/bulk_features/environments/production/on`;

  await expectTooLarge(asToken('POST', `${production(flag)}/on`));
  await expectTooLarge(asToken('POST', bulk, { features: [flag] }));
  await expectTooLarge(asToken('POST', `${production(await makeFlag('bare'))}/on`), 100);
  expect((await asToken('POST', `${production(await makeFlag('small', [rollout(20)]))}/on`)).status).toBe(
    200,
  );
});

test('does not enable a disabled strategy with a larger rollout', async () => {
  const flag = await makeFlag('disabled-strategy', [rollout(50, { disabled: true }), rollout(5)], true);
  const [strategy] = await strategiesOf(flag);

  await expectTooLarge(
    asToken('PUT', `${production(flag)}/strategies/${strategy?.id}`, rollout(50, { disabled: false })),
  );
});

test('does not copy, clone, revive or import what is rolled out further', async () => {
  const flag = await makeFlag('copied', [rollout(50)]);
  const development = production(flag).replace('production', 'development');
  await asAdmin('POST', `${development}/strategies`, rollout(80));

  await expectTooLarge(asToken('POST', `${PROJECT}/features/${flag}/clone`, { name: 'cloned' }));
  await expectTooLarge(
    asToken('POST', `${PROJECT}/clone`, { features: [{ feature: flag, name: 'cloned' }] }),
  );
  const bare = await makeFlag('copied-to');
  await asAdmin('POST', `${production(bare).replace('production', 'development')}/strategies`, rollout(80));
  await expectTooLarge(asToken('POST', `${production(bare)}/copy`, { from: 'development' }), 80);
  await asAdmin('DELETE', `${PROJECT}/features/${flag}`);
  await expectTooLarge(asToken('POST', `/api/admin/archive/revive/${flag}`));
  const imported = {
    features: [{ name: 'imported', type: 'release' }],
    featureStrategies: [{ featureName: 'imported', ...rollout(50) }],
    featureEnvironments: [
      { featureName: 'imported', name: 'imported', environment: 'production', enabled: true, variants: [] },
    ],
    contextFields: [],
    featureTags: [],
    segments: [],
    tagTypes: [],
    dependencies: [],
  };
  await expectTooLarge(
    asToken('POST', '/api/admin/features-batch/import', {
      project: 'shop',
      environment: 'production',
      data: imported,
    }),
  );
});

test('does not set a default strategy with a larger rollout for production', async () => {
  const url = `${PROJECT}/environments/production/default-strategy`;

  await expectTooLarge(asToken('POST', url, rollout(50)));
  expect((await asToken('POST', url, rollout(20))).status).toBe(200);
  const flag = await makeFlag('with-default');
  expect((await asToken('POST', `${production(flag)}/on`)).status).toBe(200);
});

test('does not delete the strategy that limits a rollout', async () => {
  const flag = await makeFlag('kept', [rollout(100, TESTERS), rollout(10)], true);
  const [, small] = await strategiesOf(flag);

  expect((await asToken('DELETE', `${production(flag)}/strategies/${small?.id}`)).status).toBe(200);
  expect((await asToken('POST', `${production(flag)}/off`)).status).toBe(200);
  await expectTooLarge(asToken('POST', `${production(flag)}/on`), 100);
});

const inGroup = (percentage: number, groupId: string, stickiness = 'userId') =>
  rollout(percentage, { parameters: { rollout: String(percentage), stickiness, groupId } });

test('strategies that choose different people add up', async () => {
  const flag = await makeFlag('added-up', [inGroup(20, 'a')], true);
  const url = `${production(flag)}/strategies`;

  const { status, body } = await asToken('POST', url, inGroup(20, 'b'));
  expect([status, body.message]).toEqual([
    403,
    'The scope of the token does not allow this: it allows a rollout of at most 25 % in production, and this would be 40 % for feature "added-up" in environment "production", because strategies with different groups or stickiness add up.',
  ]);
  expect((await asToken('POST', url, inGroup(20, 'a', 'sessionId'))).status).toBe(403);
  expect((await asToken('PUT', url, [inGroup(20, 'a', 'random'), inGroup(20, 'a', 'random')])).status).toBe(
    403,
  );
  expect((await asToken('POST', url, inGroup(25, 'a'))).status).toBe(200);
});

test("if an admin's strategies add up to more, the token can lower them but not enable the flag", async () => {
  const flag = await makeFlag('adds-up', [inGroup(100, 'a'), inGroup(20, 'b')], true);
  const url = `${production(flag)}/strategies`;
  const [large] = await strategiesOf(flag);

  expect((await asToken('PUT', `${url}/${large?.id}`, inGroup(20, 'a'))).status).toBe(200);
  expect((await asToken('PUT', `${url}/${large?.id}`, inGroup(10, 'a'))).status).toBe(200);
  expect((await asToken('PUT', `${url}/${large?.id}`, inGroup(20, 'a'))).status).toBe(403);
  expect((await asToken('POST', `${production(flag)}/off`)).status).toBe(200);
  expect((await asToken('POST', `${production(flag)}/on`)).status).toBe(403);
});

test('does not remove or change a dependency that limits a larger rollout', async () => {
  const parent = await makeFlag('parent', [rollout(1)], true);
  const other = await makeFlag('other-parent', [rollout(100)], true);
  const flag = await makeFlag('child', [rollout(100)], true);
  const url = `${PROJECT}/features/${flag}/dependencies`;
  await asAdmin('POST', url, { feature: parent });

  const { status, body } = await asToken('DELETE', `${url}/${parent}`);
  expect([status, body.message]).toEqual([
    403,
    'The scope of the token does not allow this: it allows a rollout of at most 25 % in production, and this would remove or change a dependency of feature "child", which has a rollout of 100 % in environment "production".',
  ]);
  expect((await asToken('POST', url, { feature: parent, enabled: false })).status).toBe(403);
  expect((await asToken('DELETE', url)).status).toBe(403);
  expect((await asToken('POST', url, { feature: other })).status).toBe(200);
  await asAdmin('POST', `${production(flag)}/off`);
  expect((await asToken('DELETE', url)).status).toBe(200);
});

test('does not edit a segment that limits a larger rollout', async () => {
  const makeSegment = async (name: string) =>
    (await asAdmin('POST', '/api/admin/segments', { name, project: 'shop', ...TESTERS })).body.id;
  const [large, small] = [await makeSegment('large'), await makeSegment('small')];
  await makeFlag(
    'by-segment',
    [rollout(100, { segments: [large] }), rollout(25, { segments: [small] })],
    true,
  );
  const edit = (id: number, name: string, constraints: object[] = []) =>
    asToken('PUT', `/api/admin/segments/${id}`, { name, project: 'shop', constraints });

  const { status, body } = await edit(large, 'large');
  expect([status, body.message]).toEqual([
    403,
    'The scope of the token does not allow this: it allows a rollout of at most 25 % in production, and this would change segment "large", which limits a rollout of 100 % in environment "production".',
  ]);
  expect((await edit(large, 'renamed', TESTERS.constraints)).status).toBe(204);
  expect((await edit(small, 'small')).status).toBe(204);
});
