import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();
const FEATURES = '/api/admin/projects/default/features';

type Strategies = { name: string; disabled?: boolean }[];

/** A feature that is enabled in production with these strategies. */
async function makeEnabled(name: string, strategies: Strategies = [{ name: 'default' }]) {
  await insertRichFeature(harness.db, { name, environments: { production: { enabled: true, strategies } } });
  const here = `${FEATURES}/${name}/environments/production`;
  const read = async () => (await call(harness.app, 'GET', here)).body;
  const ids = (await read()).strategies.map(({ id }: { id: string }) => id) as string[];
  return { here, read, urls: ids.map(id => `${here}/strategies/${id}`) };
}

async function eventsOf(name: string): Promise<{ type: string; groupId: string; environment: string }[]> {
  const { rows } = await sql<{ type: string; groupId: string; environment: string }>`
    select type, group_id as "groupId", environment from events where feature_name = ${name} order by id`.execute(
    harness.db,
  );
  return rows;
}

const importInto = async (data: object): Promise<ApiResponse> =>
  await call(harness.app, 'POST', '/api/admin/features-batch/import', {
    body: { project: 'default', environment: 'production', data },
  });

test.each<[string, string, (urls: string[]) => Promise<ApiResponse>]>([
  ['deleting', 'feature-strategy-remove', ([url = '']) => call(harness.app, 'DELETE', url)],
  [
    'replacing it with a disabled one',
    'feature-strategy-update',
    ([url = '']) => call(harness.app, 'PUT', url, { body: { name: 'default', disabled: true } }),
  ],
  [
    'patching disabled in',
    'feature-strategy-update',
    ([url = '']) =>
      call(harness.app, 'PATCH', url, { body: [{ op: 'replace', path: '/disabled', value: true }] }),
  ],
])('%s the last enabled strategy disables the feature in the same change', async (how, type, act) => {
  const name = how.replaceAll(' ', '-');
  const { read, urls } = await makeEnabled(name, [{ name: 'default' }, { name: 'default', disabled: true }]);

  const { status } = await act(urls);

  expect(status).toBe(200);
  expect(await read()).toMatchObject({ enabled: false, hasEnabledStrategies: false });
  const events = await eventsOf(name);
  expect(events).toMatchObject([
    { type },
    { type: 'feature-environment-disabled', environment: 'production' },
  ]);
  expect(new Set(events.map(event => event.groupId)).size).toBe(1);
});

test('a feature stays enabled while another strategy is enabled', async () => {
  const { read, urls } = await makeEnabled('two', [{ name: 'default' }, { name: 'default' }]);
  const [first = '', second = ''] = urls;

  await call(harness.app, 'PUT', first, { body: { name: 'default', disabled: true } });
  const between = await read();
  await call(harness.app, 'DELETE', second);

  expect(between.enabled).toBe(true);
  expect((await read()).enabled).toBe(false);
  expect((await eventsOf('two')).map(({ type }) => type)).toEqual([
    'feature-strategy-update',
    'feature-strategy-remove',
    'feature-environment-disabled',
  ]);
});

test('editing a disabled strategy of a disabled feature records no disabling', async () => {
  const { here, urls } = await makeEnabled('quiet');
  await call(harness.app, 'POST', `${here}/off`);

  await call(harness.app, 'DELETE', urls[0] ?? '');

  expect((await eventsOf('quiet')).map(({ type }) => type)).toEqual([
    'feature-environment-disabled',
    'feature-strategy-remove',
  ]);
});

test('two requests that each disable one of the last two strategies leave the feature disabled', async () => {
  const { read, urls } = await makeEnabled('raced', [{ name: 'default' }, { name: 'default' }]);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'raced' for update`.execute(blocker);

  const responses = Promise.all(
    urls.map(url => call(harness.app, 'PUT', url, { body: { name: 'default', disabled: true } })),
  );
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();

  expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  expect((await read()).enabled).toBe(false);
  expect(
    (await eventsOf('raced')).filter(({ type }) => type === 'feature-environment-disabled'),
  ).toHaveLength(1);
});

test('an import that brings no enabled strategy disables an existing feature', async () => {
  const { read } = await makeEnabled('imported-over');

  const { status } = await importInto({
    features: [{ name: 'imported-over' }],
    featureStrategies: [{ featureName: 'imported-over', name: 'default', disabled: true }],
  });

  expect(status).toBe(200);
  expect(await read()).toMatchObject({ enabled: false, hasEnabledStrategies: false });
  const events = await eventsOf('imported-over');
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
])('an import disables %s that the data enables without an enabled strategy', async (...given) => {
  const [, name, exists] = given;
  if (exists) await makeEnabled(name);
  const data = {
    features: [{ name }],
    featureStrategies: [],
    featureEnvironments: [{ featureName: name, enabled: true }],
  };

  const checked = await call(harness.app, 'POST', '/api/admin/features-batch/validate', {
    body: { project: 'default', environment: 'production', data },
  });
  const imported = await importInto(data);

  expect(imported.status).toBe(200);
  const { body } = await call(harness.app, 'GET', `${FEATURES}/${name}/environments/production`);
  expect(body).toMatchObject({ enabled: false, strategies: [] });
  expect((await eventsOf(name)).map(({ type }) => type)).not.toContain('feature-environment-enabled');
  expect(checked.body.warnings).toContainEqual({
    message: 'These features have no enabled strategy in the data and will be disabled',
    affectedItems: [name],
  });
});

test('copying an environment without an enabled strategy disables the feature in the target', async () => {
  const { here, read } = await makeEnabled('copied-over');

  const { status, body } = await call(harness.app, 'POST', `${here}/copy`, { body: { from: 'development' } });

  expect(status).toBe(200);
  expect(body).toMatchObject({ enabled: false, strategies: [] });
  expect(await read()).toMatchObject({ enabled: false, strategies: [] });
  expect((await eventsOf('copied-over')).map(({ type }) => type)).toEqual([
    'feature-strategy-remove',
    'feature-environment-disabled',
  ]);
});

test('enabling a feature adds the default strategy enabled, even if the default strategy is disabled', async () => {
  await call(harness.app, 'POST', '/api/admin/projects/default/environments/development/default-strategy', {
    body: { name: 'remoteAddress', disabled: true, parameters: { IPs: '10.0.0.1' } },
  });
  await call(harness.app, 'POST', FEATURES, { body: { name: 'enabled-by-default' } });
  const here = `${FEATURES}/enabled-by-default/environments/development`;
  await call(harness.app, 'POST', `${here}/strategies`, { body: { name: 'default', disabled: true } });

  await call(harness.app, 'POST', `${here}/on`);

  expect((await call(harness.app, 'GET', here)).body).toMatchObject({
    enabled: true,
    hasEnabledStrategies: true,
    strategies: [
      { name: 'default', disabled: true },
      { name: 'remoteAddress', disabled: false },
    ],
  });
});
