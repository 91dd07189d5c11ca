import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

let count = 0;
const uniqueName = (prefix: string) => `${prefix}-${++count}`;
const url = (project: string, path = '') => `/api/admin/projects/${project}${path}`;
const post = (path: string, body: object = {}): Promise<ApiResponse> =>
  call(harness.app, 'POST', path, { body });
const get = async (project: string, feature: string) =>
  (await call(harness.app, 'GET', url(project, `/features/${feature}`))).body;

async function createProject(fields: object = {}): Promise<string> {
  return (await makeProject(harness.db, fields)).id;
}
async function createFeature(projectId: string, name = uniqueName('feature')): Promise<string> {
  expect((await post(url(projectId, '/features'), { name })).status).toBe(201);
  return name;
}
async function createEnvironment(): Promise<string> {
  const name = uniqueName('env');
  await post('/api/admin/environments', { name, type: 'test' });
  return name;
}
const move = (from: string, name: string, to: unknown, token?: string): Promise<ApiResponse> =>
  call(harness.app, 'POST', url(from, `/features/${name}/changeProject`), {
    body: { newProjectId: to },
    ...(token === undefined ? {} : { token }),
  });
const addStrategy = async (projectId: string, name: string, environmentName: string, body: object) =>
  (await post(url(projectId, `/features/${name}/environments/${environmentName}/strategies`), body)).body;
const readEvents = async (name: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}&limit=1000`)).body.events;

test('a moved feature keeps its parts, is disabled in added environments, and loses environments that the target does not have', async () => {
  const extra = await createEnvironment();
  const from = await createProject({ environments: ['development', 'production'] });
  const to = await createProject({ environments: ['production', extra] });
  const name = await createFeature(from);
  const keptStrategy = await addStrategy(from, name, 'production', { name: 'default', title: 'kept' });
  const lostStrategy = await addStrategy(from, name, 'development', { name: 'default', title: 'lost' });
  await post(url(from, `/features/${name}/environments/production/on`));
  const fan = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'POST', url(from, `/features/${name}/favorites`), { token: fan.token });
  await sql`insert into tags (type, value) values ('simple', 'moving') on conflict do nothing`.execute(
    harness.db,
  );
  await sql`insert into feature_tags (feature_name, type, value) values (${name}, 'simple', 'moving')`.execute(
    harness.db,
  );
  await sql`insert into feature_links (feature_name, url) values (${name}, 'https://example.com')`.execute(
    harness.db,
  );

  const response = await move(from, name, to);

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', url(from, `/features/${name}`))).status).toBe(404);
  const movedFeature = await call(harness.app, 'GET', url(to, `/features/${name}`), { token: fan.token });
  expect(movedFeature.body).toMatchObject({
    project: to,
    favorite: true,
    tags: [{ type: 'simple', value: 'moving' }],
    links: [{ url: 'https://example.com' }],
    environments: [
      { name: 'production', enabled: true, strategies: [keptStrategy] },
      { name: extra, enabled: false, strategies: [] },
    ],
  });
  const [moveEvent, ...earlierEvents] = await readEvents(name);
  const { featureName: _, ...strategy } = lostStrategy;
  expect(moveEvent).toMatchObject({
    type: 'feature-project-change',
    project: to,
    data: { oldProject: from, newProject: to, addedEnvironments: [extra] },
    preData: {
      removedEnvironments: [{ name: 'development', enabled: false, variants: [], strategies: [strategy] }],
    },
  });
  expect(new Set(earlierEvents.map((event: { project: string }) => event.project))).toEqual(new Set([from]));
});

test("the event of a move out of a private project omits the project and the feature's strategies there", async () => {
  const from = await createProject({ mode: 'private', environments: ['development', 'production'] });
  const to = await createProject({ environments: ['production'] });
  const name = await createFeature(from);
  await addStrategy(from, name, 'development', { name: 'default', title: 'secret' });

  await move(from, name, to);

  const [moveEvent] = await readEvents(name);
  expect(moveEvent).toMatchObject({ type: 'feature-project-change', project: to, data: { newProject: to } });
  expect(JSON.stringify(moveEvent)).not.toMatch(new RegExp(`secret|"${from}"`));
});

test('a rejected move lists every obstacle and changes nothing', async () => {
  const extra = await createEnvironment();
  const from = await createProject({ environments: ['production', extra] });
  const to = await createProject({ environments: ['production'] });
  const [name, parent] = [await createFeature(from), await createFeature(from)];
  const createSegment = async (projectId: string | null, segmentName = uniqueName('segment')) =>
    (await post('/api/admin/segments', { name: segmentName, project: projectId, constraints: [] })).body.id;
  const ownName = uniqueName('segment');
  const [ownSegment, globalSegment, unusedSegment] = [
    await createSegment(from, ownName),
    await createSegment(null),
    await createSegment(from),
  ];
  const fields = ['tier', 'seat', 'desk', 'floor'].map(uniqueName);
  const [tier = '', seat = '', desk = '', floor = ''] = fields;
  for (const field of fields)
    await sql`insert into context_fields (name, project) values (${field}, ${from})`.execute(harness.db);
  await addStrategy(from, name, 'production', {
    name: 'flexibleRollout',
    segments: [ownSegment, globalSegment],
    constraints: [{ contextName: tier, operator: 'IN', values: ['a'] }],
    parameters: { stickiness: seat },
  });
  await addStrategy(from, name, 'production', {
    name: 'default',
    variants: [{ name: 'a', weight: 1000, weightType: 'variable', stickiness: desk }],
  });
  await addStrategy(from, name, extra, { name: 'default', segments: [unusedSegment] });
  await sql`update feature_environments set variants = ${JSON.stringify([
    { name: 'a', weight: 1000, overrides: [{ contextName: floor, values: ['x'] }] },
  ])} where feature_name = ${name} and environment = 'production'`.execute(harness.db);
  await post(url(from, `/features/${name}/environments/${extra}/on`));
  await post(url(from, `/features/${name}/dependencies`), { feature: parent });

  const response = await move(from, name, to);
  const parentMove = await move(from, parent, to);

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(response.body.details.map(({ message }: { message: string }) => message)).toEqual([
    `Feature "${name}" is enabled in environment "${extra}", which project "${to}" does not have. Disable it there first.`,
    `Feature "${name}" uses segments of a different project: "${ownName}".`,
    `Feature "${name}" uses context fields of a different project: "${fields.toSorted().join('", "')}".`,
    `Feature "${name}" depends on "${parent}". Remove the dependency first.`,
  ]);
  expect(parentMove.body.message).toBe(
    `Feature "${parent}" is the parent of "${name}". Remove the dependency first.`,
  );
  expect(await get(from, name)).toMatchObject({ project: from });
  expect((await readEvents(name))[0].type).toBe('feature-dependency-added');
});

test('the target project must exist, be active, have room below its feature limit, and accept the feature name', async () => {
  const from = await createProject();
  const [fullProject, patternProject, archivedProject] = [
    await createProject(),
    await createProject(),
    await createProject(),
  ];
  const name = await createFeature(from);
  await call(harness.app, 'PUT', url(fullProject, '/settings'), { body: { featureLimit: 0 } });
  await call(harness.app, 'PUT', url(patternProject, '/settings'), {
    body: { featureNaming: { pattern: 'pay\\..+' } },
  });
  await post(url(`archive/${archivedProject}`));

  const responses = [
    await move(from, name, fullProject),
    await move(from, name, patternProject),
    await move(from, name, archivedProject),
    await move(from, name, 'nowhere'),
    await move(from, 'nowhere', 'default'),
    await move(from, name, ''),
    await move(from, name, 5),
  ];

  expect(responses.map(({ status, body }) => [status, body.name])).toEqual([
    [403, 'InvalidOperationError'],
    [400, 'PatternError'],
    [404, 'NotFoundError'],
    [404, 'NotFoundError'],
    [404, 'NotFoundError'],
    [400, 'BadDataError'],
    [400, 'BadDataError'],
  ]);
  expect(await readEvents(name)).toHaveLength(1);
});

test('lists the naming pattern, the feature limit and the obstacles of the feature together', async () => {
  const from = await createProject();
  const to = await createProject();
  const [name, parent] = [await createFeature(from), await createFeature(from)];
  await post(url(from, `/features/${name}/dependencies`), { feature: parent });
  await call(harness.app, 'PUT', url(to, '/settings'), {
    body: { featureLimit: 0, featureNaming: { pattern: 'pay\\..+' } },
  });

  const response = await move(from, name, to);

  expect(response).toMatchObject({
    status: 400,
    body: { name: 'PatternError', message: 'The move is rejected for 3 reasons, listed in details.' },
  });
  expect(response.body.details.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining('pay\\..+'),
    expect.stringContaining('a limit of 0'),
    `Feature "${name}" depends on "${parent}". Remove the dependency first.`,
  ]);
  expect(await get(from, name)).toMatchObject({ project: from });
});

test('a move to the same project changes nothing, even if the project is full, and an archived feature cannot be moved', async () => {
  const from = await createProject();
  const name = await createFeature(from);
  await call(harness.app, 'PUT', url(from, '/settings'), { body: { featureLimit: 1 } });

  const response = await move(from, name, from);
  await call(harness.app, 'DELETE', url(from, `/features/${name}`));
  const rejection = await move(from, name, 'default');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await readEvents(name)).toHaveLength(2);
});

test('a move requires the permission in both projects, and returns 404 for a target that the caller cannot read', async () => {
  const [from, to, hiddenProject] = [
    await createProject(),
    await createProject(),
    await createProject({ mode: 'private' }),
  ];
  const name = await createFeature(from);
  const [owner, member] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, owner, from, 'Owner');
  await makeMember(harness.db, owner, to, 'Member');
  await makeMember(harness.db, member, from, 'Member');
  await makeMember(harness.db, member, to, 'Owner');

  const ownerRejection = await move(from, name, to, owner.token);
  const memberRejection = await move(from, name, to, member.token);
  const hiddenTarget = await move(from, name, hiddenProject, owner.token);
  const missingTarget = await move(from, name, 'nowhere', owner.token);
  await makeMember(harness.db, owner, to, 'Owner');
  const response = await move(from, name, to, owner.token);

  expect([ownerRejection, memberRejection].map(({ body }) => body.name)).toEqual([
    'NoAccessError',
    'NoAccessError',
  ]);
  expect(ownerRejection.body.message).toContain('MOVE_FEATURE_TOGGLE');
  expect([hiddenTarget.status, missingTarget.status]).toEqual([404, 404]);
  expect(hiddenTarget.body.message.replace(hiddenProject, '')).toBe(
    missingTarget.body.message.replace('nowhere', ''),
  );
  expect(response.status).toBe(200);
});

test('a concurrent move and creation cannot together exceed the feature limit', async () => {
  const [from, to] = [await createProject(), await createProject()];
  const name = await createFeature(from);
  await call(harness.app, 'PUT', url(to, '/settings'), { body: { featureLimit: 1 } });

  const responses = await duringTransaction(
    harness.db,
    tx => sql`select from projects where id = ${to} for update`.execute(tx),
    () => Promise.all([move(from, name, to), post(url(to, '/features'), { name: uniqueName('created') })]),
    2,
  );

  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter(status => status === 403)).toHaveLength(1);
  expect(statuses.filter(status => status < 300)).toHaveLength(1);
});

test('a move waits for a concurrent creation that reaches the feature limit', async () => {
  const [from, to] = [await createProject(), await createProject()];
  const name = await createFeature(from);
  await call(harness.app, 'PUT', url(to, '/settings'), { body: { featureLimit: 1 } });

  const response = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select from projects where id = ${to} for no key update`.execute(tx);
      await tx
        .insertInto('features')
        .values({ name: uniqueName('f'), project: to, type: 'release' })
        .execute();
    },
    () => move(from, name, to),
  );

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a move that waits for another change checks the state after that change', async () => {
  const extra = await createEnvironment();
  const from = await createProject({ environments: ['production', extra] });
  const to = await createProject({ environments: ['production'] });
  const [enabledFeature, child, parent] = [
    await createFeature(from),
    await createFeature(from),
    await createFeature(from),
  ];

  const response = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select from features where name = ${enabledFeature} for update`.execute(tx);
      await sql`update feature_environments set enabled = true
        where feature_name = ${enabledFeature} and environment = ${extra}`.execute(tx);
    },
    () => move(from, enabledFeature, to),
  );
  const childMove = await duringTransaction(
    harness.db,
    tx => tx.insertInto('feature_dependencies').values({ child, parent }).execute(),
    () => move(from, child, to),
  );

  expect([response.status, childMove.status]).toEqual([403, 403]);
});

test('a change that waits for a move returns 404', async () => {
  const [from, to] = [await createProject(), await createProject()];
  const [name, parent] = [await createFeature(from), await createFeature(from)];

  const responses = await duringTransaction(
    harness.db,
    tx => sql`update features set project = ${to} where name = ${name}`.execute(tx),
    () =>
      Promise.all([
        call(harness.app, 'PUT', url(from, `/features/${name}`), { body: { stale: true } }),
        post(url(from, `/features/${name}/environments/production/on`)),
        post(url(from, `/features/${name}/dependencies`), { feature: parent }),
        move(from, name, 'default'),
      ]),
    4,
  );

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(await get(to, name)).toMatchObject({ stale: false, enabled: false, dependencies: [] });
});

test('either a move or a concurrent deletion of the target project succeeds, but not both', async () => {
  const [from, deletedProject, remainingProject] = [
    await createProject(),
    await createProject(),
    await createProject(),
  ];
  const name = await createFeature(from);

  const rejection = await duringTransaction(
    harness.db,
    tx => sql`delete from projects where id = ${deletedProject}`.execute(tx),
    () => move(from, name, deletedProject),
  );
  const deletionRejection = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select from projects where id = ${remainingProject} for no key update`.execute(tx);
      await sql`update features set project = ${remainingProject} where name = ${name}`.execute(tx);
    },
    () => call(harness.app, 'DELETE', url(remainingProject)),
  );

  expect(rejection.status).toBe(404);
  expect(deletionRejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await get(remainingProject, name)).toMatchObject({ name });
});

test('a move does not add an environment that is concurrently deleted', async () => {
  const deletedEnvironment = await createEnvironment();
  const from = await createProject({ environments: ['production'] });
  const to = await createProject({ environments: ['production', deletedEnvironment] });
  const name = await createFeature(from);

  const response = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select from environments order by name for update`.execute(tx);
      await sql`delete from environments where name = ${deletedEnvironment}`.execute(tx);
    },
    () => move(from, name, to),
  );

  expect(response.status).toBe(200);
  expect((await get(to, name)).environments).toMatchObject([{ name: 'production' }]);
});

test('a moved feature does not get an environment that is added to the old project during the move', async () => {
  const newEnvironment = await createEnvironment();
  const from = await createProject({ environments: ['production'] });
  const to = await createProject({ environments: ['production'] });
  const name = await createFeature(from);
  const segment = (await post('/api/admin/segments', { name: uniqueName('s'), constraints: [] })).body.id;
  await addStrategy(from, name, 'production', { name: 'default', segments: [segment] });

  const responses = await duringTransaction(
    harness.db,
    // A move locks the feature first and needs the segment later, so this lock stops the move halfway.
    tx => sql`select from segments where id = ${segment} for update`.execute(tx),
    async () => {
      const pendingMove = move(from, name, to);
      await waitForLockWaiters(harness.db);
      return await Promise.all([
        pendingMove,
        post(url(from, '/environments'), { environment: newEnvironment }),
      ]);
    },
    2,
  );

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect((await get(to, name)).environments).toMatchObject([{ name: 'production' }]);
});

test('rejects a move if a segment of the feature is concurrently assigned to the old project', async () => {
  const [from, to] = [await createProject(), await createProject()];
  const name = await createFeature(from);
  const segmentName = uniqueName('s');
  const segment = (await post('/api/admin/segments', { name: segmentName, constraints: [] })).body.id;
  await addStrategy(from, name, 'production', { name: 'default', segments: [segment] });

  const response = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select from segments where id = ${segment} for update`.execute(tx);
      await sql`update segments set project = ${from} where id = ${segment}`.execute(tx);
    },
    () => move(from, name, to),
  );

  expect(response.body.message).toBe(
    `Feature "${name}" uses segments of a different project: "${segmentName}".`,
  );
});

test('two moves in opposite directions do not deadlock', async () => {
  const [firstProject = '', lastProject = ''] = [await createProject(), await createProject()].toSorted();
  const [firstFeature, lastFeature] = [await createFeature(firstProject), await createFeature(lastProject)];

  const responses = await duringTransaction(
    harness.db,
    tx => sql`select from projects where id = ${lastProject} for update`.execute(tx),
    async () => {
      const pendingMove = move(lastProject, lastFeature, firstProject);
      await waitForLockWaiters(harness.db);
      return await Promise.all([pendingMove, move(firstProject, firstFeature, lastProject)]);
    },
    2,
  );

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
});

test('moving a feature with 12 environments and strategies takes as many statements as with 1', async () => {
  const environments = await Promise.all(Array.from({ length: 12 }, createEnvironment));
  const segments = await Promise.all(
    environments.map(
      async () => (await post('/api/admin/segments', { name: uniqueName('s'), constraints: [] })).body.id,
    ),
  );
  const countStatements = async (size: number) => {
    const from = await createProject({ environments: ['production', ...environments.slice(0, size)] });
    const to = await createProject({ environments: environments.slice(0, size) });
    const name = await createFeature(from);
    for (const [index, environmentName] of environments.slice(0, size).entries()) {
      const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
      await addStrategy(from, name, environmentName, {
        name: 'default',
        segments: [segments[index]],
        constraints,
      });
    }
    const statementsBefore = harness.statements.length;
    expect((await move(from, name, to)).status).toBe(200);
    return harness.statements.length - statementsBefore;
  };

  expect(await countStatements(12)).toBe(await countStatements(1));
});
