import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';

const harness = useHarness();
const FEATURES_PATH = '/api/admin/projects/default/features';
const readDrift = (name: string): Promise<ApiResponse> =>
  call(harness.app, 'GET', `${FEATURES_PATH}/${name}/drift`);

const rollout = (percent: string, groupId: string) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percent, stickiness: 'default', groupId },
});

async function makeClone(name: string): Promise<string> {
  await insertRichFeature(harness.db, { name: `${name}-parent` });
  await insertRichFeature(harness.db, {
    name,
    description: 'Same',
    tags: [{ type: 'simple', value: 'shared' }],
    dependencies: [{ feature: `${name}-parent`, enabled: true, variants: [] }],
    environments: {
      production: {
        enabled: true,
        strategies: [rollout('10', name), rollout('20', name), { name: 'default' }],
        variants: [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
      },
    },
  });
  const { status } = await call(harness.app, 'POST', `${FEATURES_PATH}/${name}/clone`, {
    body: { name: `${name}-2` },
  });
  expect(status).toBe(200);
  return `${name}-2`;
}

test('a new copy is in sync, although it is disabled and has different groupIds', async () => {
  const copy = await makeClone('fresh');

  expect(await readDrift(copy)).toMatchObject({
    status: 200,
    body: {
      feature: 'fresh-2',
      project: 'default',
      source: { project: 'default', feature: 'fresh', archived: false },
      inSync: true,
      differences: [],
    },
  });
});

test('lists every difference with both values', async () => {
  const copy = await makeClone('apart');
  const { body } = await call(harness.app, 'GET', `${FEATURES_PATH}/${copy}`);
  const [firstStrategy, , lastStrategy] = body.environments.find(
    (environment: { name: string }) => environment.name === 'production',
  ).strategies;
  await call(harness.app, 'PUT', `${FEATURES_PATH}/${copy}`, {
    body: { description: 'Other', type: 'experiment' },
  });
  await sql`
    update feature_strategies set parameters = parameters || '{"rollout": "15"}' where id = ${firstStrategy.id}`.execute(
    harness.db,
  );
  await sql`update feature_strategies set strategy_name = 'remoteAddress' where id = ${lastStrategy.id}`.execute(
    harness.db,
  );
  await sql`
    update feature_environments set variants = '[]' where feature_name = ${copy} and environment = 'production'`.execute(
    harness.db,
  );
  await sql`delete from feature_tags where feature_name = 'apart'`.execute(harness.db);
  await sql`update feature_dependencies set enabled = false where child = ${copy}`.execute(harness.db);

  const { differences, inSync } = (await readDrift(copy)).body;

  expect(inSync).toBe(false);
  expect(differences).toMatchObject([
    { part: 'type', kind: 'changed', source: 'release', copy: 'experiment' },
    { part: 'description', kind: 'changed', source: 'Same', copy: 'Other' },
    {
      part: 'strategies',
      environment: 'production',
      kind: 'changed',
      source: { parameters: { rollout: '10' } },
      copy: { parameters: { rollout: '15' } },
    },
    { part: 'strategies', kind: 'only-in-source', source: { name: 'default' } },
    { part: 'strategies', kind: 'only-in-copy', copy: { name: 'remoteAddress' } },
    { part: 'variants', environment: 'production', kind: 'changed', source: [{ name: 'blue' }], copy: [] },
    { part: 'tags', kind: 'only-in-copy', copy: { type: 'simple', value: 'shared' } },
    { part: 'dependencies', kind: 'only-in-source', source: { enabled: true } },
    { part: 'dependencies', kind: 'only-in-copy', copy: { enabled: false } },
  ]);
});

test('reports the same strategies in a different order', async () => {
  const copy = await makeClone('sorted');
  await sql`
    update feature_strategies set sort_order = 100 - sort_order where feature_name = ${copy}`.execute(
    harness.db,
  );

  expect((await readDrift(copy)).body.differences).toEqual([
    { part: 'strategies', environment: 'production', kind: 'order' },
  ]);
});

test('compares with an archived source and reports that it is archived', async () => {
  const copy = await makeClone('retired');
  for (const name of ['retired', copy])
    await call(harness.app, 'DELETE', `${FEATURES_PATH}/${name}/dependencies`);
  await call(harness.app, 'DELETE', `${FEATURES_PATH}/retired`);

  expect((await readDrift(copy)).body).toMatchObject({ inSync: true, source: { archived: true } });
});

test('responds with 404 for a feature that is not a copy or whose source was deleted', async () => {
  const copy = await makeClone('gone');
  await sql`delete from features where name = 'gone'`.execute(harness.db);
  const deletedSource = await readDrift(copy);
  await insertRichFeature(harness.db, { name: 'gone' });
  const recreatedSource = await readDrift(copy);
  const notACopy = await readDrift('gone-parent');

  expect([deletedSource.status, recreatedSource.status, notACopy.status]).toEqual([404, 404, 404]);
  expect((await call(harness.app, 'GET', `${FEATURES_PATH}/${copy}`)).body.clonedFrom).toEqual({
    project: 'default',
    feature: 'gone',
  });
});
