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

const rollout = (percentage: number, overrides: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percentage), stickiness: 'default', groupId: 'g' },
  constraints: [],
  ...overrides,
});
const TESTERS = { constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] };

type Method = Parameters<typeof call>[1];
const callWithToken = (method: Method, url: string, body?: unknown) =>
  call(harness.app, method, url, { token, body });
const callAsAdmin = (method: Method, url: string, body?: unknown) => call(harness.app, method, url, { body });
const productionPath = (flag: string) => `${PROJECT}/features/${flag}/environments/production`;

/** Creates a flag whose production strategies are set by an admin. */
async function makeFlag(name: string, strategies: object[] = [], enabled = false): Promise<string> {
  await makeFeature(harness.db, 'shop', { name });
  for (const strategy of strategies)
    await callAsAdmin('POST', `${productionPath(name)}/strategies`, strategy);
  if (enabled) await callAsAdmin('POST', `${productionPath(name)}/on`);
  return name;
}

const listStrategies = async (flag: string): Promise<{ id: string }[]> =>
  (await callAsAdmin('GET', `${productionPath(flag)}/strategies`)).body;

async function expectTooLarge(
  response: Promise<{ status: number; body: { message: string } }>,
  percentage = 50,
) {
  const { status, body } = await response;
  expect(body.message).toMatch(
    new RegExp(
      `^The token's scope does not allow this: it allows a rollout of at most 25 % in production, and this would be ${percentage} % .* in environment "production"\\.$`,
    ),
  );
  expect(status).toBe(403);
}

test('adds a strategy only up to the maximum rollout', async () => {
  const flag = await makeFlag('added');
  const url = `${productionPath(flag)}/strategies`;

  await expectTooLarge(callWithToken('POST', url, rollout(50)));
  await expectTooLarge(callWithToken('POST', url, { name: 'default' }), 100);
  await expectTooLarge(callWithToken('POST', url, { name: 'flexibleRollout' }), 100);
  expect((await callWithToken('POST', url, rollout(25))).status).toBe(200);
  const developmentUrl = url.replace('production', 'development');
  expect((await callWithToken('POST', developmentUrl, rollout(100))).status).toBe(200);
});

test('updates, patches and replaces a strategy only up to the maximum rollout', async () => {
  const flag = await makeFlag('updated', [rollout(10)]);
  const [strategy] = await listStrategies(flag);
  const url = `${productionPath(flag)}/strategies/${strategy?.id}`;

  await expectTooLarge(callWithToken('PUT', url, rollout(50)));
  await expectTooLarge(
    callWithToken('PATCH', url, [{ op: 'replace', path: '/parameters/rollout', value: '50' }]),
  );
  await expectTooLarge(callWithToken('PUT', `${productionPath(flag)}/strategies`, [rollout(50)]));
  expect((await callWithToken('PUT', url, rollout(20))).status).toBe(200);
});

test('lowers a strategy that is already above the maximum, but does not open it to more people', async () => {
  const flag = await makeFlag('lowered', [rollout(100, TESTERS)], true);
  const [strategy] = await listStrategies(flag);
  const url = `${productionPath(flag)}/strategies`;

  await expectTooLarge(callWithToken('PUT', `${url}/${strategy?.id}`, rollout(100)), 100);
  await expectTooLarge(callWithToken('POST', url, rollout(100)), 100);
  expect((await callWithToken('PUT', `${url}/${strategy?.id}`, rollout(60, TESTERS))).status).toBe(200);
  expect(
    (await callWithToken('PUT', `${PROJECT}/features/${flag}`, { description: 'x', type: 'release' })).status,
  ).toBe(200);
  expect((await callWithToken('POST', `${productionPath(flag)}/off`)).status).toBe(200);
});

test('does not enable a flag above the maximum rollout, either alone, in bulk or with the default strategy', async () => {
  const flag = await makeFlag('enabled', [rollout(50)]);
  const bulk = `${PROJECT}/bulk_features/environments/production/on`;

  await expectTooLarge(callWithToken('POST', `${productionPath(flag)}/on`));
  await expectTooLarge(callWithToken('POST', bulk, { features: [flag] }));
  await expectTooLarge(callWithToken('POST', `${productionPath(await makeFlag('bare'))}/on`), 100);
  expect(
    (await callWithToken('POST', `${productionPath(await makeFlag('small', [rollout(20)]))}/on`)).status,
  ).toBe(200);
});

test('does not enable a disabled strategy above the maximum rollout', async () => {
  const flag = await makeFlag('disabled-strategy', [rollout(50, { disabled: true }), rollout(5)], true);
  const [strategy] = await listStrategies(flag);

  await expectTooLarge(
    callWithToken(
      'PUT',
      `${productionPath(flag)}/strategies/${strategy?.id}`,
      rollout(50, { disabled: false }),
    ),
  );
});

test('does not copy, clone, revive or import flags above the maximum rollout', async () => {
  const flag = await makeFlag('copied', [rollout(50)]);
  const development = productionPath(flag).replace('production', 'development');
  await callAsAdmin('POST', `${development}/strategies`, rollout(80));

  await expectTooLarge(callWithToken('POST', `${PROJECT}/features/${flag}/clone`, { name: 'cloned' }));
  await expectTooLarge(
    callWithToken('POST', `${PROJECT}/clone`, { features: [{ feature: flag, name: 'cloned' }] }),
  );
  const bareFlag = await makeFlag('copied-to');
  await callAsAdmin(
    'POST',
    `${productionPath(bareFlag).replace('production', 'development')}/strategies`,
    rollout(80),
  );
  await expectTooLarge(
    callWithToken('POST', `${productionPath(bareFlag)}/copy`, { from: 'development' }),
    80,
  );
  await callAsAdmin('DELETE', `${PROJECT}/features/${flag}`);
  await expectTooLarge(callWithToken('POST', `/api/admin/archive/revive/${flag}`));
  const importBody = {
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
    callWithToken('POST', '/api/admin/features-batch/import', {
      project: 'shop',
      environment: 'production',
      data: importBody,
    }),
  );
});

test('does not set a default strategy for production that is above the maximum rollout', async () => {
  const url = `${PROJECT}/environments/production/default-strategy`;

  await expectTooLarge(callWithToken('POST', url, rollout(50)));
  expect((await callWithToken('POST', url, rollout(20))).status).toBe(200);
  const flag = await makeFlag('with-default');
  expect((await callWithToken('POST', `${productionPath(flag)}/on`)).status).toBe(200);
});

test('deletes a strategy of a flag above the maximum rollout, but does not enable the flag again', async () => {
  const flag = await makeFlag('kept', [rollout(100, TESTERS), rollout(10)], true);
  const [, small] = await listStrategies(flag);

  expect((await callWithToken('DELETE', `${productionPath(flag)}/strategies/${small?.id}`)).status).toBe(200);
  expect((await callWithToken('POST', `${productionPath(flag)}/off`)).status).toBe(200);
  await expectTooLarge(callWithToken('POST', `${productionPath(flag)}/on`), 100);
});

const rolloutInGroup = (percentage: number, groupId: string, stickiness = 'userId') =>
  rollout(percentage, { parameters: { rollout: String(percentage), stickiness, groupId } });

test('adds up the rollouts of strategies that select different people', async () => {
  const flag = await makeFlag('added-up', [rolloutInGroup(20, 'a')], true);
  const url = `${productionPath(flag)}/strategies`;

  const { status, body } = await callWithToken('POST', url, rolloutInGroup(20, 'b'));
  expect([status, body.message]).toEqual([
    403,
    'The token\'s scope does not allow this: it allows a rollout of at most 25 % in production, and this would be 40 % for feature "added-up" in environment "production", because strategies with different groups or stickiness add up.',
  ]);
  expect((await callWithToken('POST', url, rolloutInGroup(20, 'a', 'sessionId'))).status).toBe(403);
  expect(
    (await callWithToken('PUT', url, [rolloutInGroup(20, 'a', 'random'), rolloutInGroup(20, 'a', 'random')]))
      .status,
  ).toBe(403);
  expect((await callWithToken('POST', url, rolloutInGroup(25, 'a'))).status).toBe(200);
});

test("lowers an admin's strategies that add up to more than the maximum, but does not enable their flag", async () => {
  const flag = await makeFlag('adds-up', [rolloutInGroup(100, 'a'), rolloutInGroup(20, 'b')], true);
  const url = `${productionPath(flag)}/strategies`;
  const [large] = await listStrategies(flag);

  expect((await callWithToken('PUT', `${url}/${large?.id}`, rolloutInGroup(20, 'a'))).status).toBe(200);
  expect((await callWithToken('PUT', `${url}/${large?.id}`, rolloutInGroup(10, 'a'))).status).toBe(200);
  expect((await callWithToken('PUT', `${url}/${large?.id}`, rolloutInGroup(20, 'a'))).status).toBe(403);
  expect((await callWithToken('POST', `${productionPath(flag)}/off`)).status).toBe(200);
  expect((await callWithToken('POST', `${productionPath(flag)}/on`)).status).toBe(403);
});

test('does not remove or change a dependency that restricts a rollout above the maximum', async () => {
  const parent = await makeFlag('parent', [rollout(1)], true);
  const otherParent = await makeFlag('other-parent', [rollout(100)], true);
  const flag = await makeFlag('child', [rollout(100)], true);
  const url = `${PROJECT}/features/${flag}/dependencies`;
  await callAsAdmin('POST', url, { feature: parent });

  const { status, body } = await callWithToken('DELETE', `${url}/${parent}`);
  expect([status, body.message]).toEqual([
    403,
    'The token\'s scope does not allow this: it allows a rollout of at most 25 % in production, and this would remove or change a dependency of feature "child", which has a rollout of 100 % in environment "production".',
  ]);
  expect((await callWithToken('POST', url, { feature: parent, enabled: false })).status).toBe(403);
  expect((await callWithToken('DELETE', url)).status).toBe(403);
  expect((await callWithToken('POST', url, { feature: otherParent })).status).toBe(200);
  await callAsAdmin('POST', `${productionPath(flag)}/off`);
  expect((await callWithToken('DELETE', url)).status).toBe(200);
});

test('does not widen a segment that restricts a rollout above the maximum', async () => {
  const makeSegment = async (name: string) =>
    (await callAsAdmin('POST', '/api/admin/segments', { name, project: 'shop', ...TESTERS })).body.id;
  const [large, small] = [await makeSegment('large'), await makeSegment('small')];
  await makeFlag(
    'by-segment',
    [rollout(100, { segments: [large] }), rollout(25, { segments: [small] })],
    true,
  );
  const editSegment = (id: number, name: string, constraints: object[] = []) =>
    callWithToken('PUT', `/api/admin/segments/${id}`, { name, project: 'shop', constraints });

  const { status, body } = await editSegment(large, 'large');
  expect([status, body.message]).toEqual([
    403,
    'The token\'s scope does not allow this: it allows a rollout of at most 25 % in production, and this would change segment "large", which limits a rollout of 100 % in environment "production".',
  ]);
  expect((await editSegment(large, 'renamed', TESTERS.constraints)).status).toBe(204);
  expect((await editSegment(small, 'small')).status).toBe(204);
});
