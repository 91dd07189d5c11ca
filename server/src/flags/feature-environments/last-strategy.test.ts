import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const FEATURES = '/api/admin/projects/default/features';

type Strategies = { name: string; disabled?: boolean }[];

/** Creates a feature that is enabled in production with these strategies. */
async function makeEnabledFeature(name: string, strategies: Strategies = [{ name: 'default' }]) {
  await insertRichFeature(harness.db, { name, environments: { production: { enabled: true, strategies } } });
  const environmentPath = `${FEATURES}/${name}/environments/production`;
  const readEnvironment = async () => (await call(harness.app, 'GET', environmentPath)).body;
  const ids = (await readEnvironment()).strategies.map(({ id }: { id: string }) => id) as string[];
  return { environmentPath, readEnvironment, urls: ids.map(id => `${environmentPath}/strategies/${id}`) };
}

async function readEvents(name: string): Promise<{ type: string; groupId: string; environment: string }[]> {
  const { rows } = await sql<{ type: string; groupId: string; environment: string }>`
    select type, group_id as "groupId", environment from events where feature_name = ${name} order by id`.execute(
    harness.db,
  );
  return rows;
}

const importData = async (data: object): Promise<ApiResponse> =>
  await call(harness.app, 'POST', '/api/admin/features-batch/import', {
    body: { project: 'default', environment: 'production', data },
  });

test.each<[string, string, (urls: string[]) => Promise<ApiResponse>]>([
  ['deleted', 'feature-strategy-remove', ([url = '']) => call(harness.app, 'DELETE', url)],
  [
    'replaced with a disabled one',
    'feature-strategy-update',
    ([url = '']) => call(harness.app, 'PUT', url, { body: { name: 'default', disabled: true } }),
  ],
  [
    'disabled by a patch',
    'feature-strategy-update',
    ([url = '']) =>
      call(harness.app, 'PATCH', url, { body: [{ op: 'replace', path: '/disabled', value: true }] }),
  ],
])(
  'a feature whose last enabled strategy is %s is disabled in the same change',
  async (action, type, act) => {
    const name = action.replaceAll(' ', '-');
    const { readEnvironment, urls } = await makeEnabledFeature(name, [
      { name: 'default' },
      { name: 'default', disabled: true },
    ]);

    const { status } = await act(urls);

    expect(status).toBe(200);
    expect(await readEnvironment()).toMatchObject({ enabled: false, hasEnabledStrategies: false });
    const events = await readEvents(name);
    expect(events).toMatchObject([
      { type },
      { type: 'feature-environment-disabled', environment: 'production' },
    ]);
    expect(new Set(events.map(event => event.groupId)).size).toBe(1);
  },
);

test('a feature stays enabled until its last strategy is disabled or deleted', async () => {
  const { readEnvironment, urls } = await makeEnabledFeature('two', [
    { name: 'default' },
    { name: 'default' },
  ]);
  const [first = '', second = ''] = urls;

  await call(harness.app, 'PUT', first, { body: { name: 'default', disabled: true } });
  const between = await readEnvironment();
  await call(harness.app, 'DELETE', second);

  expect(between.enabled).toBe(true);
  expect((await readEnvironment()).enabled).toBe(false);
  expect((await readEvents('two')).map(({ type }) => type)).toEqual([
    'feature-strategy-update',
    'feature-strategy-remove',
    'feature-environment-disabled',
  ]);
});

test('deleting the last strategy of a disabled feature does not record disabling it again', async () => {
  const { environmentPath, urls } = await makeEnabledFeature('quiet');
  await call(harness.app, 'POST', `${environmentPath}/off`);

  await call(harness.app, 'DELETE', urls[0] ?? '');

  expect((await readEvents('quiet')).map(({ type }) => type)).toEqual([
    'feature-environment-disabled',
    'feature-strategy-remove',
  ]);
});

test('two concurrent requests that each disable one of the last two strategies leave the feature disabled', async () => {
  const { readEnvironment, urls } = await makeEnabledFeature('raced', [
    { name: 'default' },
    { name: 'default' },
  ]);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'raced' for update`.execute(blocker);

  const responses = Promise.all(
    urls.map(url => call(harness.app, 'PUT', url, { body: { name: 'default', disabled: true } })),
  );
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  expect((await readEnvironment()).enabled).toBe(false);
  expect(
    (await readEvents('raced')).filter(({ type }) => type === 'feature-environment-disabled'),
  ).toHaveLength(1);
});

test('an import without an enabled strategy disables an existing feature', async () => {
  const { readEnvironment } = await makeEnabledFeature('imported-over');

  const { status } = await importData({
    features: [{ name: 'imported-over' }],
    featureStrategies: [{ featureName: 'imported-over', name: 'default', disabled: true }],
  });

  expect(status).toBe(200);
  expect(await readEnvironment()).toMatchObject({ enabled: false, hasEnabledStrategies: false });
  const events = await readEvents('imported-over');
  expect(events.map(({ type }) => type)).toEqual([
    'feature-strategy-remove',
    'feature-strategy-add',
    'feature-environment-disabled',
  ]);
  expect(new Set(events.map(event => event.groupId)).size).toBe(1);
});

test.each([
  ['a new feature', 'imported-new', false],
  ['an existing feature', 'imported-again', true],
])(
  'after an import, %s is disabled if the data enables it without an enabled strategy',
  async (_case, name, exists) => {
    if (exists) await makeEnabledFeature(name);
    const data = {
      features: [{ name }],
      featureStrategies: [],
      featureEnvironments: [{ featureName: name, enabled: true }],
    };

    const validation = await call(harness.app, 'POST', '/api/admin/features-batch/validate', {
      body: { project: 'default', environment: 'production', data },
    });
    const response = await importData(data);

    expect(response.status).toBe(200);
    const { body } = await call(harness.app, 'GET', `${FEATURES}/${name}/environments/production`);
    expect(body).toMatchObject({ enabled: false, strategies: [] });
    expect((await readEvents(name)).map(({ type }) => type)).not.toContain('feature-environment-enabled');
    expect(validation.body.warnings).toContainEqual({
      message: 'These features have no enabled strategy in the data and will be disabled',
      affectedItems: [name],
    });
  },
);

test('copying an environment without an enabled strategy disables the feature in the target', async () => {
  const { environmentPath, readEnvironment } = await makeEnabledFeature('copied-over');

  const { status, body } = await call(harness.app, 'POST', `${environmentPath}/copy`, {
    body: { from: 'development' },
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({ enabled: false, strategies: [] });
  expect(await readEnvironment()).toMatchObject({ enabled: false, strategies: [] });
  expect((await readEvents('copied-over')).map(({ type }) => type)).toEqual([
    'feature-strategy-remove',
    'feature-environment-disabled',
  ]);
});

test('enabling a feature adds an enabled strategy, even if the default strategy is disabled', async () => {
  await call(harness.app, 'POST', '/api/admin/projects/default/environments/development/default-strategy', {
    body: { name: 'remoteAddress', disabled: true, parameters: { IPs: '10.0.0.1' } },
  });
  await call(harness.app, 'POST', FEATURES, { body: { name: 'enabled-by-default' } });
  const environmentPath = `${FEATURES}/enabled-by-default/environments/development`;
  await call(harness.app, 'POST', `${environmentPath}/strategies`, {
    body: { name: 'default', disabled: true },
  });

  await call(harness.app, 'POST', `${environmentPath}/on`);

  expect((await call(harness.app, 'GET', environmentPath)).body).toMatchObject({
    enabled: true,
    hasEnabledStrategies: true,
    strategies: [
      { name: 'default', disabled: true },
      { name: 'remoteAddress', disabled: false },
    ],
  });
});
