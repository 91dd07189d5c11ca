import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFeatureWithRequests } from '../../test/strategy-requests.ts';

const harness = useHarness();

const makeFeature = (name: string, project?: string) => makeFeatureWithRequests(harness, name, project);

test('enables a feature, adding a strategy only if it has none, and disables it', async () => {
  const { environmentPath, add, events } = await makeFeature('toggled');
  const toggle = (state: 'on' | 'off') => call(harness.app, 'POST', `${environmentPath}/${state}`);

  await toggle('on');
  await toggle('on');
  await toggle('off');
  await add({ name: 'default' });
  await toggle('on');

  const state = (await call(harness.app, 'GET', environmentPath)).body;
  expect(state).toMatchObject({ enabled: true, hasStrategies: true, hasEnabledStrategies: true });
  expect(state.strategies).toHaveLength(2);
  expect((await events()).map(event => event.type)).toEqual([
    'feature-strategy-add',
    'feature-environment-enabled',
    'feature-environment-disabled',
    'feature-strategy-add',
    'feature-environment-enabled',
  ]);
});

test('enabling adds the default strategy of the project', async () => {
  await sql`update project_environments set default_strategy = '{"name": "default", "title": "Ours"}'
    where project_id = 'default' and environment_name = 'production'`.execute(harness.db);
  await makeFeature('defaulted');
  const environmentPath = '/api/admin/projects/default/features/defaulted/environments/production';

  await call(harness.app, 'POST', `${environmentPath}/on`);

  expect((await call(harness.app, 'GET', environmentPath)).body.strategies).toMatchObject([
    { name: 'default', title: 'Ours' },
  ]);
});

test('enables all of the given features, or none if one does not exist', async () => {
  for (const name of ['many-1', 'many-2']) await makeFeature(name);
  const enableAll = (features: string[]) =>
    call(harness.app, 'POST', '/api/admin/projects/default/bulk_features/environments/development/on', {
      body: { features },
    });

  expect((await enableAll(['many-1', 'nowhere'])).status).toBe(404);
  const enabledBefore = (await call(harness.app, 'GET', '/api/admin/projects/default/features/many-1')).body
    .enabled;
  expect((await enableAll(['many-2', 'many-1'])).status).toBe(200);

  expect(enabledBefore).toBe(false);
  expect((await call(harness.app, 'GET', '/api/admin/projects/default/features/many-1')).body.enabled).toBe(
    true,
  );
});

test('enabling a feature without a strategy requires the permission to add one', async () => {
  await makeProject(harness.db, { id: 'guarded' });
  const { environmentPath } = await makeFeature('guarded-flag', 'guarded');
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, 'guarded', 'Reader');
  await sql`with role as (insert into roles (name, type) values ('Switcher', 'custom') returning id),
      permission as (insert into role_permissions (role_id, permission, environment)
        select id, 'UPDATE_FEATURE_ENVIRONMENT', 'development' from role)
    insert into user_roles (user_id, role_id, project) select ${user.id}, id, 'guarded' from role`.execute(
    harness.db,
  );
  const enable = (path: string) => call(harness.app, 'POST', `${path}/on`, { token: user.token });

  const withoutStrategy = await enable(environmentPath);
  await call(harness.app, 'POST', `${environmentPath}/strategies`, { body: { name: 'default' } });
  const withStrategy = await enable(environmentPath);
  const otherEnvironment = await enable(environmentPath.replace('development', 'production'));

  expect(withoutStrategy).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(withoutStrategy.body.message).toContain('CREATE_FEATURE_STRATEGY in environment "development"');
  expect(withStrategy.status).toBe(200);
  expect(otherEnvironment.body.message).toContain('UPDATE_FEATURE_ENVIRONMENT in environment "production"');
});

test('reading and toggling take the same number of statements for 1 and for 12 features', async () => {
  const count = async (work: () => Promise<{ status: number }>) => {
    const statementsBefore = harness.statements.length;
    expect((await work()).status).toBe(200);
    return harness.statements.length - statementsBefore;
  };
  const countForProject = async (id: string, features: number) => {
    await makeProject(harness.db, { id });
    const names = Array.from({ length: features }, (_, number) => `${id}-${number}`);
    for (const name of names) await makeFeature(name, id);
    const bulkPath = `/api/admin/projects/${id}/bulk_features/environments/development/on`;
    return {
      enabling: await count(() => call(harness.app, 'POST', bulkPath, { body: { features: names } })),
      listing: await count(() => call(harness.app, 'GET', `/api/admin/projects/${id}/features`)),
      reading: await count(() => call(harness.app, 'GET', `/api/admin/projects/${id}/features/${names[0]}`)),
    };
  };

  const smallProject = await countForProject('small', 1);
  const largeProject = await countForProject('large', 12);

  expect(largeProject).toEqual(smallProject);
});
