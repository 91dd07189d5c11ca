import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { makeFeature, makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { idsFor } from './create.ts';

const harness = useHarness();

const readEvents = async (project: string) => {
  const { body } = await call(harness.app, 'GET', `/api/admin/search/events?project=IS:${project}`);
  return body.events;
};

test('a migrated database has a default project with development and production', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default');

  expect(body).toMatchObject({ id: 'default', mode: 'open', environments: ['development', 'production'] });
});

test('creates a project, lists it and records an event', async () => {
  const body = {
    id: 'payments',
    name: 'Payments',
    mode: 'protected',
    environments: ['production'],
    unknown: 1,
  };

  const response = await call(harness.app, 'POST', '/api/admin/projects', { body });

  expect(response.status).toBe(201);
  expect(response.body).toMatchObject({
    id: 'payments',
    name: 'Payments',
    description: '',
    mode: 'protected',
    defaultStickiness: 'default',
    featureLimit: null,
    featureNaming: {},
    environments: ['production'],
    members: 0,
    archivedAt: null,
  });
  expect((await call(harness.app, 'GET', '/api/admin/projects/payments')).body).toEqual(response.body);
  const list = await call(harness.app, 'GET', '/api/admin/projects');
  expect(list.body.projects.map((project: { id: string }) => project.id)).toContain('payments');
  const events = await readEvents('payments');
  expect(events).toMatchObject([
    { type: 'project-created', data: { id: 'payments', mode: 'protected', environments: ['production'] } },
  ]);
  expect(events[0].data).not.toHaveProperty('unknown');
});

test('lists each project with its number of active features, its health and its last event', async () => {
  await makeProject(harness.db, { id: 'counted' });
  for (const name of ['counted-1', 'counted-2', 'counted-3', 'counted-4', 'counted-5'])
    await makeFeature(harness.db, 'counted', { name, type: 'release' });
  await call(harness.app, 'POST', '/api/admin/projects/counted/stale', {
    body: { features: ['counted-1'], stale: true },
  });
  await call(harness.app, 'DELETE', '/api/admin/projects/counted/features/counted-5');
  await sql`update features set created_at = now() - interval '41 days' where name = any('{counted-1,counted-2}')`.execute(
    harness.db,
  );

  const findListedProject = async (token?: string) => {
    const options = token === undefined ? {} : { token };
    const { body } = await call(harness.app, 'GET', '/api/admin/projects', options);
    return body.projects.find(({ id }: { id: string }) => id === 'counted');
  };

  const [lastEvent] = await readEvents('counted');
  const figures = {
    featureCount: 4,
    staleFeatureCount: 1,
    potentiallyStaleFeatureCount: 1,
    health: 50,
    technicalDebt: 50,
    lastEventAt: lastEvent.createdAt,
    memberCount: 0,
    owners: [{ ownerType: 'system' }],
  };
  expect(await findListedProject()).toMatchObject(figures);
  const status = await call(harness.app, 'GET', '/api/admin/projects/counted/status');
  expect(status.body.health.current).toBe(50);
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/counted');
  expect(await findListedProject()).toEqual({ ...body, ...figures });
  const viewer = await makeUser(harness.db, 'Viewer');
  expect(await findListedProject(viewer.token)).toMatchObject(figures);
  await call(harness.app, 'PUT', '/api/admin/projects/counted', { body: { name: 'x', mode: 'private' } });
  expect(await findListedProject(viewer.token)).toBeUndefined();
});

test('lists the users and groups that own a project', async () => {
  await makeProject(harness.db, { id: 'owned' });
  const [alice, member] = [
    await makeUser(harness.db, 'Viewer', 'owner-alice'),
    await makeUser(harness.db, 'Viewer'),
  ];
  await sql`update users set name = 'Alice Moreau' where id = ${alice.id}`.execute(harness.db);
  await makeMember(harness.db, alice, 'owned', 'Owner');
  await makeMember(harness.db, member, 'owned', 'Member');
  const group = await call(harness.app, 'POST', '/api/admin/groups', { body: { name: 'Owners', users: [] } });
  await call(harness.app, 'POST', `/api/admin/projects/owned/role/${PROJECT_ROLES.Owner}/access`, {
    body: { groups: [{ id: group.body.id }], users: [] },
  });

  const { body } = await call(harness.app, 'GET', '/api/admin/projects');

  expect(body.projects.find(({ id }: { id: string }) => id === 'owned')).toMatchObject({
    memberCount: 2,
    owners: [
      { ownerType: 'user', name: 'Alice Moreau' },
      { ownerType: 'group', name: 'Owners' },
    ],
  });
});

test('a project without features has a health of 100', async () => {
  await makeProject(harness.db, { id: 'featureless' });

  const { body } = await call(harness.app, 'GET', '/api/admin/projects');

  expect(body.projects.find(({ id }: { id: string }) => id === 'featureless')).toMatchObject({
    featureCount: 0,
    health: 100,
    technicalDebt: 0,
  });
});

test('a user who creates a project becomes its owner in the same change', async () => {
  const editor = await makeUser(harness.db, 'Editor');

  await call(harness.app, 'POST', '/api/admin/projects', {
    token: editor.token,
    body: { id: 'mine', name: 'Mine' },
  });
  const renaming = await call(harness.app, 'PUT', '/api/admin/projects/mine', {
    token: editor.token,
    body: { name: 'Still mine' },
  });

  expect(renaming).toMatchObject({ status: 200, body: { name: 'Still mine', members: 1 } });
  const [grantEvent, creationEvent] = (await readEvents('mine')).slice(1);
  expect([creationEvent.type, grantEvent.type]).toEqual(['project-created', 'project-access-added']);
  expect(grantEvent.groupId).toBe(creationEvent.groupId);
  expect(creationEvent.createdBy).toBe(editor.username);
});

test('derives the id from the name and adds a number if the id is taken', async () => {
  const create = () => call(harness.app, 'POST', '/api/admin/projects', { body: { name: 'Größe & Wert!' } });

  const ids = [(await create()).body.id, (await create()).body.id];

  expect(ids).toEqual(['grosse-wert', 'grosse-wert-2']);
  expect(idsFor('***').next().value).toBe('project');
});

test.each([
  ['a missing name', { id: 'x' }, ['/body/name']],
  ['an empty name', { name: '' }, ['/body/name']],
  [
    'an id with a slash, an unknown mode and a numeric name',
    { id: 'a/b', mode: 'x', name: 1 },
    ['/body/id', '/body/mode', '/body/name'],
  ],
  ['an id that is two dots', { id: '..', name: 'x' }, ['/body/id']],
  ['the id *, which means all projects', { id: '*', name: 'x' }, ['/body/id']],
  ['an id of 101 characters', { id: 'x'.repeat(101), name: 'x' }, ['/body/id']],
  ['an unknown environment', { name: 'x', environments: ['production', 'moon'] }, ['/body/environments']],
  ['a body that is an array', [], ['/body']],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', '/api/admin/projects', { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(
    paths.toSorted(),
  );
});

test('names the reserved ids when it rejects a reserved id', async () => {
  const { body } = await call(harness.app, 'POST', '/api/admin/projects', {
    body: { id: 'archive', name: 'x' },
  });

  expect(body.details[0].message).toBe(
    'id "archive" must contain only letters, digits and - _ . ! ~ * \' ( ), and must not be ".", "..", "*", "archive" or "revive"',
  );
});

test('does not derive a reserved id from a name', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/projects', { body: { name: 'Archive' } });

  expect(response).toMatchObject({ status: 201, body: { id: 'archive-2' } });
});

test('rejects a taken id with 409', async () => {
  await makeProject(harness.db, { id: 'taken' });

  const response = await call(harness.app, 'POST', '/api/admin/projects', {
    body: { id: 'taken', name: 'x' },
  });

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

async function makeDeletedProject(id: string): Promise<void> {
  await makeProject(harness.db, { id, mode: 'private' });
  await call(harness.app, 'DELETE', `/api/admin/projects/${id}`);
}

test('rejects the id of a deleted project with 409 unless the caller is a root admin', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  await makeDeletedProject('gone');
  const create = (options: object) =>
    call(harness.app, 'POST', '/api/admin/projects', { body: { id: 'gone', name: 'Gone' }, ...options });

  const rejection = await create({ token: editor.token });
  const creation = await create({});

  expect(rejection).toMatchObject({
    status: 409,
    body: {
      name: 'NameExistsError',
      message:
        'A deleted project had the id "gone". Its events would become visible to the readers of a new project with this id. Choose another id, or ask a root admin to create the project.',
    },
  });
  expect(creation).toMatchObject({ status: 201, body: { id: 'gone' } });
});

test('rejects the id of a project that is concurrently deleted', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  await makeProject(harness.db, { id: 'going', mode: 'private' });

  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('projects').where('id', '=', 'going').execute();

  const pendingRequest = call(harness.app, 'POST', '/api/admin/projects', {
    token: editor.token,
    body: { id: 'going', name: 'Going' },
  });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRequest).body.message).toContain('A deleted project had the id "going".');
});

test('does not derive the id of a deleted project from a name', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  await makeDeletedProject('former');

  const create = (options: object) =>
    call(harness.app, 'POST', '/api/admin/projects', { body: { name: 'Former' }, ...options });

  expect(await create({ token: editor.token })).toMatchObject({ status: 201, body: { id: 'former-2' } });
  expect(await create({})).toMatchObject({ status: 201, body: { id: 'former-3' } });
});

test('updates each setting independently and records the previous state', async () => {
  await makeProject(harness.db, { id: 'settled' });
  const put = (body: object) => call(harness.app, 'PUT', '/api/admin/projects/settled/settings', { body });

  await put({ featureLimit: 5, defaultStickiness: 'userId' });
  await put({ featureNaming: { pattern: 'pay\\..+', example: 'pay.x', description: 'Starts with pay.' } });
  const lastResponse = await put({ featureLimit: null, mode: 'private' });

  expect(lastResponse.body).toMatchObject({
    mode: 'private',
    defaultStickiness: 'userId',
    featureLimit: null,
    featureNaming: { pattern: 'pay\\..+', example: 'pay.x', description: 'Starts with pay.' },
  });
  const [newestEvent] = await readEvents('settled');
  expect(newestEvent).toMatchObject({
    type: 'project-updated',
    data: { featureLimit: null, mode: 'private' },
    preData: { featureLimit: 5, mode: 'open' },
  });
});

test('an update that changes nothing records no event and keeps updatedAt', async () => {
  const projectBefore = await makeProject(harness.db, { id: 'unchanged', name: 'Same' });

  const response = await call(harness.app, 'PUT', '/api/admin/projects/unchanged', {
    body: { name: 'Same' },
  });

  expect(response.body.updatedAt).toBe(projectBefore.updatedAt);
  expect(await readEvents('unchanged')).toHaveLength(1);
});

test.each([
  ['a pattern that is not valid in RE2', { pattern: '(?<=a)b' }, '/body/featureNaming/pattern'],
  [
    'an example that does not match as a whole',
    { pattern: 'a+', example: 'aab' },
    '/body/featureNaming/example',
  ],
  ['an example without a pattern', { example: 'a' }, '/body/featureNaming/example'],
])('rejects %s with 400', async (_case, featureNaming, path) => {
  const response = await call(harness.app, 'PUT', '/api/admin/projects/default/settings', {
    body: { featureNaming },
  });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError', details: [{ path }] } });
});

test('lists an archived project among the archived projects, and a revived project among the active projects', async () => {
  await makeProject(harness.db, { id: 'resting' });
  const isListed = async (query: string) =>
    (await call(harness.app, 'GET', `/api/admin/projects${query}`)).body.projects.some(
      (project: { id: string }) => project.id === 'resting',
    );

  const response = await call(harness.app, 'POST', '/api/admin/projects/archive/resting');
  await call(harness.app, 'POST', '/api/admin/projects/archive/resting');
  const whileArchived = [await isListed(''), await isListed('?archived=true')];
  await call(harness.app, 'POST', '/api/admin/projects/revive/resting');

  expect(response.status).toBe(202);
  expect(whileArchived).toEqual([false, true]);
  expect(await isListed('')).toBe(true);
  expect((await readEvents('resting')).map((event: { type: string }) => event.type)).toEqual([
    'project-revived',
    'project-archived',
    'project-created',
  ]);
});

test('deletes a project and its grants, and revokes the tokens that give access to no other project', async () => {
  await makeProject(harness.db, { id: 'doomed' });
  await makeMember(harness.db, await makeUser(harness.db, 'Viewer'), 'doomed', 'Member');
  const makeToken = async (projects: string[]) =>
    (
      await call(harness.app, 'POST', '/api/admin/api-tokens', {
        body: { tokenName: 't', type: 'backend', environment: 'production', projects },
      })
    ).body.id;
  const [ownTokenId, sharedTokenId] = [await makeToken(['doomed']), await makeToken(['doomed', 'default'])];

  const response = await call(harness.app, 'DELETE', '/api/admin/projects/doomed');

  expect(response.status).toBe(200);
  expect((await call(harness.app, 'GET', '/api/admin/projects/doomed')).status).toBe(404);
  const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens')).body;
  expect(tokens.find((token: { id: number }) => token.id === ownTokenId)).toBeUndefined();
  expect(tokens.find((token: { id: number }) => token.id === sharedTokenId).projects).toEqual(['default']);
  const [deletion] = (await readEvents('doomed')).filter(
    (event: { type: string }) => event.type === 'project-deleted',
  );
  expect(deletion.preData).toMatchObject({ id: 'doomed' });
  const [revocation] = (await readEvents('doomed')).filter(
    (event: { type: string }) => event.type === 'api-token-deleted',
  );
  expect(revocation).toMatchObject({
    groupId: deletion.groupId,
    preData: { id: ownTokenId, projects: ['doomed'] },
  });
  const { body } = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:api-token-updated');
  expect(body.events).toMatchObject([
    {
      groupId: deletion.groupId,
      project: null,
      data: { id: sharedTokenId, projects: ['default'] },
      preData: { id: sharedTokenId, projects: ['default', 'doomed'] },
    },
  ]);
});

test('the second of two concurrent project deletions revokes a token for both projects', async () => {
  for (const id of ['twin-a', 'twin-b']) await makeProject(harness.db, { id });
  const { id } = (
    await call(harness.app, 'POST', '/api/admin/api-tokens', {
      body: {
        tokenName: 'twins',
        type: 'backend',
        environment: 'production',
        projects: ['twin-a', 'twin-b'],
      },
    })
  ).body;
  // Blocks writing events, so that neither deletion commits before the other has read the token's projects.
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table events in share mode`.execute(blocker);

  const requests = Promise.all(
    ['twin-a', 'twin-b'].map(twin => call(harness.app, 'DELETE', `/api/admin/projects/${twin}`)),
  );
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  expect((await requests).map(({ status }) => status)).toEqual([200, 200]);
  const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens')).body;
  expect(tokens.find((token: { id: number }) => token.id === id)).toBeUndefined();
});

test('rejects archiving or deleting a project with active features, and deletes its archived features', async () => {
  await makeProject(harness.db, { id: 'in-use' });
  await call(harness.app, 'POST', '/api/admin/projects/in-use/features', { body: { name: 'used' } });

  const rejections = [
    await call(harness.app, 'POST', '/api/admin/projects/archive/in-use'),
    await call(harness.app, 'DELETE', '/api/admin/projects/in-use'),
  ];
  await call(harness.app, 'DELETE', '/api/admin/projects/in-use/features/used');
  const deletion = await call(harness.app, 'DELETE', '/api/admin/projects/in-use');

  for (const response of rejections)
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(deletion.status).toBe(200);
  expect((await readEvents('in-use')).slice(0, 2)).toMatchObject([
    { type: 'project-deleted' },
    { type: 'feature-deleted', featureName: 'used', preData: { name: 'used', archived: true } },
  ]);
});

test.each([
  ['DELETE', '/api/admin/projects/default'],
  ['POST', '/api/admin/projects/archive/default'],
] as const)('%s %s is rejected with 403 for the default project', async (method, url) => {
  expect(await call(harness.app, method, url)).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError' },
  });
});

test('applies two concurrent updates, and each event contains the previous state', async () => {
  await makeProject(harness.db, { id: 'contended' });
  const put = (body: object) => call(harness.app, 'PUT', '/api/admin/projects/contended/settings', { body });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('projects').select('id').where('id', '=', 'contended').forUpdate().execute();

  const requests = Promise.all([put({ featureLimit: 9 }), put({ defaultStickiness: 'sessionId' })]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  const project = (await call(harness.app, 'GET', '/api/admin/projects/contended')).body;
  expect(project).toMatchObject({ featureLimit: 9, defaultStickiness: 'sessionId' });
  const [secondEvent, firstEvent] = await readEvents('contended');
  expect(secondEvent.preData).toEqual(firstEvent.data);
});

test('only one of two concurrent transactions creates a project with the same id', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('projects').values({ id: 'raced', name: 'x' }).execute();

  const pendingRequest = call(harness.app, 'POST', '/api/admin/projects', {
    body: { id: 'raced', name: 'x' },
  });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingRequest).status).toBe(409);
  expect(await readEvents('raced')).toEqual([]);
});

test('the overview contains the settings, the default strategies, the features by type and the favorite state', async () => {
  const { app, db } = harness;
  const user = await makeUser(db, 'Viewer');
  await makeProject(db, { id: 'seen', name: 'Seen', description: 'From above', mode: 'private' });
  await makeMember(db, user, 'seen', 'Owner');
  await call(app, 'POST', '/api/admin/projects/seen/environments/production/default-strategy', {
    body: { name: 'flexibleRollout', parameters: { rollout: '25' } },
  });
  for (const [name, type] of [
    ['seen-1', 'release'],
    ['seen-2', 'experiment'],
    ['seen-3', 'release'],
    ['seen-4', 'sunset'],
  ])
    await call(app, 'POST', '/api/admin/projects/seen/features', { body: { name, type } });
  await call(app, 'DELETE', '/api/admin/projects/seen/features/seen-4');
  await sql`insert into favorite_projects (user_id, project) values (${user.id}, 'seen')`.execute(db);

  const { status, body } = await call(app, 'GET', '/api/admin/projects/seen/overview', { token: user.token });

  expect(status).toBe(200);
  expect(body).toEqual({
    version: 1,
    name: 'Seen',
    description: 'From above',
    mode: 'private',
    defaultStickiness: 'default',
    featureLimit: null,
    debtBudget: null,
    requireComment: false,
    featureNaming: {},
    members: 1,
    favorite: true,
    environments: [
      { environment: 'development' },
      {
        environment: 'production',
        defaultStrategy: expect.objectContaining({ name: 'flexibleRollout' }),
      },
    ],
    featureTypeCounts: [
      { type: 'release', count: 2 },
      { type: 'experiment', count: 1 },
    ],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    archivedAt: null,
  });
  expect((await call(app, 'GET', '/api/admin/projects/seen/overview')).body.favorite).toBe(false);
  const stranger = await makeUser(db, 'Editor');
  const rejection = await call(app, 'GET', '/api/admin/projects/seen/overview', { token: stranger.token });
  expect(rejection.status).toBe(404);
});

test('previews which active features a naming pattern does not match, and changes nothing', async () => {
  await makeProject(harness.db, { id: 'named' });
  for (const name of ['pay.named', 'named-1', 'named-2'])
    await call(harness.app, 'POST', '/api/admin/projects/named/features', { body: { name } });
  await call(harness.app, 'DELETE', '/api/admin/projects/named/features/named-2');
  const preview = async (featureNaming: object) =>
    await call(harness.app, 'POST', '/api/admin/projects/named/settings/naming/validate', {
      body: { featureNaming },
    });

  expect(await preview({ pattern: 'pay\\..+' })).toMatchObject({
    status: 200,
    body: { features: 2, violations: 1, names: ['named-1'] },
  });
  expect((await preview({ pattern: '' })).body).toEqual({ features: 2, violations: 0, names: [] });
  expect(await preview({ pattern: '(' })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/featureNaming/pattern' }] },
  });
  expect(await preview({ pattern: 'pay', example: 'other' })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/featureNaming/example' }] },
  });
  expect((await call(harness.app, 'GET', '/api/admin/projects/named')).body.featureNaming).toEqual({});
});

test('creates a project with a naming rule, and rejects an invalid pattern', async () => {
  const create = async (id: string, pattern: string) =>
    await call(harness.app, 'POST', '/api/admin/projects', {
      body: { id, name: 'Ruled', featureNaming: { pattern } },
    });

  expect(await create('ruled', 'pay\\..+')).toMatchObject({
    status: 201,
    body: { featureNaming: { pattern: 'pay\\..+' } },
  });
  expect(await create('unruled', '(')).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/featureNaming/pattern' }] },
  });
  expect((await call(harness.app, 'GET', '/api/admin/projects/unruled')).status).toBe(404);
  expect((await readEvents('ruled'))[0].data.featureNaming).toEqual({ pattern: 'pay\\..+' });
});
