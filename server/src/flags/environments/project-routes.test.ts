import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const listEnvironments = async (project: string) =>
  (await call(harness.app, 'GET', `/api/admin/environments/project/${project}`)).body.environments;
const addEnvironment = async (project: string, environment: unknown) =>
  await call(harness.app, 'POST', `/api/admin/projects/${project}/environments`, { body: { environment } });
const removeEnvironment = async (project: string, environment: string) =>
  await call(harness.app, 'DELETE', `/api/admin/projects/${project}/environments/${environment}`);
const setDefaultStrategy = async (project: string, body: object, environment = 'production') =>
  await call(
    harness.app,
    'POST',
    `/api/admin/projects/${project}/environments/${environment}/default-strategy`,
    { body },
  );

const readEvents = async (project: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?project=IS:${project}`);
  return body.events;
};

const insertFeature = async (project: string, name: string) => {
  await harness.db.insertInto('features').values({ name, project, type: 'release' }).execute();
};
const listFeatureEnvironments = async (feature: string) =>
  await harness.db
    .selectFrom('feature_environments')
    .select(['environment', 'enabled'])
    .where('feature_name', '=', feature)
    .execute();
const enable = async (feature: string, environment: string) =>
  await harness.db
    .insertInto('feature_environments')
    .values({ feature_name: feature, environment, enabled: true })
    .onConflict(conflict => conflict.columns(['feature_name', 'environment']).doUpdateSet({ enabled: true }))
    .execute();

test('lists the environments of a project in order with their usage counts', async () => {
  await makeProject(harness.db, { id: 'listed' });
  await insertFeature('listed', 'listed-feature');
  await enable('listed-feature', 'production');
  for (const projects of [['listed'], ['*'], ['default']]) {
    await call(harness.app, 'POST', '/api/admin/api-tokens', {
      body: { tokenName: 't', type: 'backend', environment: 'production', projects },
    });
  }

  const { status, body } = await call(harness.app, 'GET', '/api/admin/environments/project/listed');

  expect(status).toBe(200);
  expect(body).toEqual({
    version: 1,
    environments: [
      expect.objectContaining({
        name: 'development',
        projectApiTokenCount: 0,
        projectEnabledToggleCount: 0,
      }),
      {
        name: 'production',
        type: 'production',
        enabled: true,
        protected: false,
        sortOrder: 200,
        projectApiTokenCount: 2,
        projectEnabledToggleCount: 1,
      },
    ],
  });
});

test('adds an environment to the project and, disabled, to all of its features', async () => {
  await makeProject(harness.db, { id: 'growing', environments: ['development'] });
  await insertFeature('growing', 'growing-1');
  await insertFeature('growing', 'growing-2');

  const response = await addEnvironment('growing', 'production');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect(await listEnvironments('growing')).toMatchObject([{ name: 'development' }, { name: 'production' }]);
  for (const feature of ['growing-1', 'growing-2']) {
    expect(await listFeatureEnvironments(feature)).toEqual([{ environment: 'production', enabled: false }]);
  }
  expect((await readEvents('growing'))[0]).toMatchObject({
    type: 'project-environment-added',
    environment: 'production',
    data: null,
    preData: null,
  });
});

test('rejects an environment that the project already has', async () => {
  await makeProject(harness.db, { id: 'complete' });

  const response = await addEnvironment('complete', 'production');

  expect(response).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(await readEvents('complete')).toHaveLength(1);
});

test.each([
  ['an unknown environment', 'moon'],
  ['an empty name', ''],
  ['a number', 1],
  ['a missing environment', undefined],
])('rejects adding %s with 400', async (_case, environment) => {
  const response = await addEnvironment('default', environment);

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/environment' }] } });
});

test('removes an environment only from the project and its features', async () => {
  await makeProject(harness.db, { id: 'shrinking' });
  await insertFeature('shrinking', 'shrinking-1');
  await insertFeature('default', 'bystander');
  for (const name of ['shrinking-1', 'bystander']) {
    await harness.db
      .insertInto('feature_environments')
      .values({ feature_name: name, environment: 'production' })
      .execute();
  }

  const response = await removeEnvironment('shrinking', 'production');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect(await listEnvironments('shrinking')).toMatchObject([{ name: 'development' }]);
  expect(await listFeatureEnvironments('shrinking-1')).toEqual([]);
  expect(await listFeatureEnvironments('bystander')).toHaveLength(1);
  expect((await readEvents('shrinking'))[0]).toMatchObject({
    type: 'project-environment-removed',
    environment: 'production',
  });
});

test('records what a removed environment contained', async () => {
  await makeProject(harness.db, { id: 'counted' });
  const post = (path: string, body: object, method: 'POST' | 'PUT' = 'POST') =>
    call(harness.app, method, `/api/admin/projects/counted/${path}`, { body });
  for (const name of ['counted-1', 'counted-2']) {
    await post('features', { name });
    await post(`features/${name}/environments/production/strategies`, { name: 'default' });
  }
  await post('features/counted-1/environments/production/strategies', { name: 'default' });
  await post('features/counted-1/environments/development/strategies', { name: 'default' });
  await post(
    'features/counted-2/environments/production/variants',
    [{ name: 'blue', weightType: 'variable', weight: 1000, stickiness: 'default' }] as object,
    'PUT',
  );
  await post('environments/production/default-strategy', { name: 'default' });

  await removeEnvironment('counted', 'production');

  expect((await readEvents('counted'))[0]).toMatchObject({
    type: 'project-environment-removed',
    environment: 'production',
    data: null,
    preData: { features: 2, strategies: 3, variants: 1, defaultStrategy: { name: 'default' } },
  });
});

test('rejects removing the only environment or one with enabled features, and lists every reason', async () => {
  await makeProject(harness.db, { id: 'stuck', environments: ['production'] });
  await insertFeature('stuck', 'stuck-feature');
  await enable('stuck-feature', 'production');

  const response = await removeEnvironment('stuck', 'production');

  expect(response).toMatchObject({
    status: 403,
    body: {
      name: 'InvalidOperationError',
      details: [
        { message: 'Environment "production" is the only environment of project "stuck".' },
        { message: 'Features are enabled in environment "production": "stuck-feature". Disable them first.' },
      ],
    },
  });
  expect(await listEnvironments('stuck')).toHaveLength(1);
});

test('responds with 404 when removing an environment that the project does not have', async () => {
  await makeProject(harness.db, { id: 'lean', environments: ['production'] });

  expect(await removeEnvironment('lean', 'development')).toMatchObject({ status: 404 });
});

test('sets, lists and replaces a default strategy and records events', async () => {
  await makeProject(harness.db, { id: 'defaulted' });

  const firstResponse = await setDefaultStrategy('defaulted', {
    name: 'flexibleRollout',
    title: 'A quarter',
    sortOrder: 3,
    parameters: { rollout: '25' },
    unknown: 1,
  });
  await setDefaultStrategy('defaulted', { name: 'default' });
  const secondResponse = await setDefaultStrategy('defaulted', { name: 'default' });

  expect(firstResponse).toMatchObject({ status: 200 });
  expect(firstResponse.body).toEqual({
    name: 'flexibleRollout',
    title: 'A quarter',
    disabled: false,
    sortOrder: 3,
    parameters: { rollout: '25' },
    constraints: [],
    variants: [],
    segments: [],
  });
  const [development, production] = await listEnvironments('defaulted');
  expect(development).not.toHaveProperty('defaultStrategy');
  expect(production.defaultStrategy).toEqual(secondResponse.body);
  expect(secondResponse.body).toMatchObject({ name: 'default', parameters: {} });
  expect(secondResponse.body).not.toHaveProperty('title');
  const events = await readEvents('defaulted');
  expect(events.map((event: { type: string }) => event.type)).toEqual([
    'default-strategy-updated',
    'default-strategy-updated',
    'project-created',
  ]);
  expect(events[0]).toMatchObject({
    environment: 'production',
    data: secondResponse.body,
    preData: firstResponse.body,
  });
  expect(events[1].preData).toBeNull();
});

test('the variants of a default strategy use its stickiness, even after the strategy is added to a feature', async () => {
  await makeProject(harness.db, { id: 'sticky' });
  const features = '/api/admin/projects/sticky/features';
  const environmentPath = `${features}/sticky-feature/environments/production`;
  const variants = [{ name: 'a', weight: 1000, weightType: 'variable' }];

  const { status, body } = await setDefaultStrategy('sticky', {
    name: 'flexibleRollout',
    parameters: { stickiness: 'userId' },
    variants,
  });
  await call(harness.app, 'POST', features, { body: { name: 'sticky-feature' } });
  await call(harness.app, 'POST', `${environmentPath}/on`);

  const [addedStrategy] = (await call(harness.app, 'GET', `${environmentPath}/strategies`)).body;
  expect(status).toBe(200);
  expect(body.variants).toEqual([{ ...variants[0], stickiness: 'userId' }]);
  expect(addedStrategy.variants).toEqual(body.variants);
  expect(addedStrategy.parameters).toEqual({
    rollout: '100',
    stickiness: 'userId',
    groupId: 'sticky-feature',
  });
});

test('rejects a default strategy with an unknown type and segments of other projects, and lists every violation', async () => {
  await makeProject(harness.db, { id: 'elsewhere' });
  const insertSegment = async (name: string, project: string | null) =>
    (
      await harness.db
        .insertInto('segments')
        .values({ name, project, created_by: 'test' })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const [shared, foreign] = [
    await insertSegment('shared', null),
    await insertSegment('foreign', 'elsewhere'),
  ];

  const response = await setDefaultStrategy('default', {
    name: 'nope',
    segments: [shared, foreign, 2_000_000],
  });

  expect(response.status).toBe(400);
  expect(response.body.details).toEqual([
    {
      message:
        'strategy type "nope" does not exist. Use "flexibleRollout", "default", "remoteAddress", "applicationHostname"',
      path: '/body/name',
    },
    { message: `segment ${foreign} does not exist in project "default"`, path: '/body/segments' },
    { message: 'segment 2000000 does not exist in project "default"', path: '/body/segments' },
  ]);
});

test.each([
  ['without a name', {}, '/body/name'],
  [
    'with a parameter that is not a string',
    { name: 'default', parameters: { rollout: 5 } },
    '/body/parameters/rollout',
  ],
  ['with constraints that are not objects', { name: 'default', constraints: ['x'] }, '/body/constraints/0'],
  ['with a string for a segment', { name: 'default', segments: ['1'] }, '/body/segments/0'],
])('rejects a default strategy %s', async (_case, body, path) => {
  const response = await setDefaultStrategy('default', body);

  expect(response.status).toBe(400);
  expect(response.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test('responds with 404 for a default strategy in an environment that the project does not have', async () => {
  await makeProject(harness.db, { id: 'absent', environments: ['production'] });

  expect(await setDefaultStrategy('absent', { name: 'default' }, 'development')).toMatchObject({
    status: 404,
  });
});

test('keeps one of the last two environments when both are removed concurrently', async () => {
  await makeProject(harness.db, { id: 'emptied' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('projects').select('id').where('id', '=', 'emptied').forUpdate().execute();

  const requests = Promise.all([
    removeEnvironment('emptied', 'development'),
    removeEnvironment('emptied', 'production'),
  ]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  const statuses = (await requests).map(response => response.status);

  expect(statuses.toSorted()).toEqual([200, 403]);
  expect(await listEnvironments('emptied')).toHaveLength(1);
});

test('rejects adding an environment that is added concurrently', async () => {
  await makeProject(harness.db, { id: 'doubled', environments: ['development'] });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('project_environments')
    .values({ project_id: 'doubled', environment_name: 'production' })
    .execute();

  const pendingRequest = addEnvironment('doubled', 'production');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await pendingRequest).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(await readEvents('doubled')).toHaveLength(1);
});

test('a feature that is created while an environment is being added gets the environment', async () => {
  await makeProject(harness.db, { id: 'busy', environments: ['development'] });
  const blocker = await harness.db.startTransaction().execute();
  await blocker
    .insertInto('features')
    .values({ name: 'in-the-making', project: 'busy', type: 'release' })
    .execute();

  const pendingRequest = addEnvironment('busy', 'production');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRequest).status).toBe(200);
  expect(await listFeatureEnvironments('in-the-making')).toEqual([
    { environment: 'production', enabled: false },
  ]);
});

test('rejects adding an environment that is deleted concurrently', async () => {
  await call(harness.app, 'POST', '/api/admin/environments', { body: { name: 'going', type: 'test' } });
  await makeProject(harness.db, { id: 'late', environments: ['production'] });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('environments').where('name', '=', 'going').execute();

  const pendingRequest = addEnvironment('late', 'going');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await pendingRequest).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(await listEnvironments('late')).toHaveLength(1);
});

test('adding an environment to a project and deleting a different one do not deadlock', async () => {
  for (const name of ['leaving', 'arriving'])
    await call(harness.app, 'POST', '/api/admin/environments', { body: { name, type: 'test' } });
  const { id } = await makeProject(harness.db, { environments: ['leaving', 'development'] });
  const addition = await harness.db.startTransaction().execute();
  await sql`select from projects where id = ${id} for update`.execute(addition);
  await sql`select from project_environments where project_id = ${id} for update`.execute(addition);

  const pendingDeletion = call(harness.app, 'DELETE', '/api/admin/environments/leaving');
  await waitForLockWaiters(harness.db);
  await sql`insert into project_environments (project_id, environment_name) values (${id}, 'arriving')`.execute(
    addition,
  );
  await addition.commit().execute();

  expect((await pendingDeletion).status).toBe(200);
});

const readEnvironment = async (project: string, environment = 'production') =>
  await call(harness.app, 'GET', `/api/admin/projects/${project}/environments/${environment}`);

test('returns what a project has in an environment, and which features would get the default strategy when enabled', async () => {
  await makeProject(harness.db, { id: 'shown' });
  const features = '/api/admin/projects/shown/features';
  for (const name of ['shown-b', 'shown-a', 'shown-on', 'shown-disabled', 'shown-archived'])
    await call(harness.app, 'POST', features, { body: { name } });
  await call(harness.app, 'POST', `${features}/shown-on/environments/production/on`);
  for (const [name, disabled] of [
    ['shown-disabled', true],
    ['shown-archived', false],
  ] as const)
    await call(harness.app, 'POST', `${features}/${name}/environments/production/strategies`, {
      body: { name: 'default', disabled },
    });
  await call(harness.app, 'PUT', `${features}/shown-archived/environments/production/variants`, {
    body: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  });
  await call(harness.app, 'DELETE', `${features}/shown-archived`);
  const { body: strategy } = await setDefaultStrategy('shown', { name: 'default' });

  const { status, body } = await readEnvironment('shown');

  expect(status).toBe(200);
  expect(body).toEqual({
    environment: 'production',
    defaultStrategy: strategy,
    features: 4,
    enabledFeatures: 1,
    strategies: 3,
    variants: 1,
    startingFeatures: 3,
    startingFeatureNames: ['shown-a', 'shown-b', 'shown-disabled'],
  });
  expect(await readEnvironment('shown', 'development')).toMatchObject({
    body: { startingFeatures: 4, strategies: 0 },
  });
  expect(await readEnvironment('shown', 'elsewhere')).toMatchObject({
    status: 404,
    body: {
      message:
        'Environment "elsewhere" of project "shown" does not exist. GET /api/admin/environments lists the environments.',
    },
  });
});

test('rejects an update with 412 only if the default strategy has changed', async () => {
  await makeProject(harness.db, { id: 'raced' });
  const etag = String((await readEnvironment('raced')).headers.etag);
  const save = async (rollout: string, match: string) =>
    await call(harness.app, 'POST', '/api/admin/projects/raced/environments/production/default-strategy', {
      body: { name: 'flexibleRollout', parameters: { rollout } },
      headers: { 'if-match': match },
    });
  await call(harness.app, 'POST', '/api/admin/projects/raced/features', { body: { name: 'raced-feature' } });

  const firstSave = await save('10', etag);
  const secondSave = await save('20', etag);
  const thirdSave = await save('20', String((await readEnvironment('raced')).headers.etag));

  expect([firstSave.status, secondSave.status, thirdSave.status]).toEqual([200, 412, 200]);
  expect((await readEnvironment('raced')).body.defaultStrategy.parameters).toEqual({ rollout: '20' });
});
