import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeFeature, makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

// Gravatar identifies an image by a SHA-256 hash, here that of "admin token".
const ADMIN_IMAGE =
  'https://gravatar.com/avatar/a8da00649b02165ebd2130561ba32f57577f538127a3a4a6f096c60f83b6abe8?s=42&d=retro&r=g';

const harness = useHarness();
const FEATURES_PATH = '/api/admin/projects/default/features';

type RecordedEvent = {
  type: string;
  data: Record<string, unknown>;
  preData: Record<string, unknown>;
  groupId: string;
  environment: string;
};

const create = (name: string, fields: object = {}, project = 'default'): Promise<ApiResponse> =>
  call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name, ...fields } });
const get = async (name: string) => (await call(harness.app, 'GET', `${FEATURES_PATH}/${name}`)).body;
const readEvents = async (feature: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${feature}`)).body.events.toReversed();
const readEventTypes = async (feature: string) => (await readEvents(feature)).map(event => event.type);

test('shows the display names of the creator and the collaborators, or their usernames', async () => {
  const namedUser = await makeUser(harness.db, 'Admin', 'ada');
  const unnamedUser = await makeUser(harness.db, 'Admin', 'grace');
  await sql`update users set name = 'Ada Lovelace' where id = ${namedUser.id}`.execute(harness.db);
  await sql`update users set name = null where id = ${unnamedUser.id}`.execute(harness.db);
  const featuresPath = '/api/admin/projects/default/features';
  await call(harness.app, 'POST', featuresPath, { token: namedUser.token, body: { name: 'of-ada' } });
  await call(harness.app, 'PUT', `${featuresPath}/of-ada`, {
    token: unnamedUser.token,
    body: { description: 'x' },
  });

  const { body } = await call(harness.app, 'GET', `${featuresPath}/of-ada`);
  const searchResponse = await call(harness.app, 'GET', '/api/admin/search/features?query=of-ada');

  expect(body.createdBy).toMatchObject({ id: namedUser.id, name: 'Ada Lovelace' });
  expect(body.collaborators.users).toMatchObject([{ name: 'Ada Lovelace' }, { name: 'grace' }]);
  expect(searchResponse.body.features).toMatchObject([{ createdBy: body.createdBy }]);
});

test('creates a feature that is disabled in every environment, returns it and records an event', async () => {
  const response = await create('checkout', {
    type: 'experiment',
    description: 'New',
    impressionData: true,
    unknown: 1,
  });

  expect(response).toMatchObject({
    status: 201,
    body: {
      name: 'checkout',
      type: 'experiment',
      description: 'New',
      project: 'default',
      enabled: false,
      stale: false,
      impressionData: true,
      archived: false,
      createdBy: { id: -42, name: 'admin token', imageUrl: ADMIN_IMAGE },
      environments: [
        { name: 'development', enabled: false, strategies: [], hasStrategies: false, variantCount: 0 },
        { name: 'production', type: 'production', enabled: false },
      ],
    },
  });
  expect(await get('checkout')).toEqual(response.body);
  expect(await readEvents('checkout')).toMatchObject([
    {
      type: 'feature-created',
      data: { name: 'checkout', type: 'experiment', project: 'default', impressionData: true },
    },
  ]);
});

test.each([
  ['a name with a space', { name: 'a b' }, '/body/name'],
  ['a name with a slash', { name: 'a/b' }, '/body/name'],
  ['a name that is a dot', { name: '.' }, '/body/name'],
  ['an empty name', { name: '' }, '/body/name'],
  ['a name with 101 characters', { name: 'x'.repeat(101) }, '/body/name'],
  ['an unknown type', { name: 'typed', type: 'moon' }, '/body/type'],
  ['a number for a description', { name: 'described', description: 1 }, '/body/description'],
])('rejects %s', async (_case, body, path) => {
  const rejection = await call(harness.app, 'POST', FEATURES_PATH, { body });
  expect(rejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(new Set(rejection.body.details.map((detail: { path: string }) => detail.path))).toEqual(
    new Set([path]),
  );
});

test('a name is unique in the instance, including archived features', async () => {
  await makeProject(harness.db, { id: 'elsewhere' });
  await create('taken', {}, 'elsewhere');
  await call(harness.app, 'DELETE', '/api/admin/projects/elsewhere/features/taken');

  const validate = (name: string) =>
    call(harness.app, 'POST', '/api/admin/features/validate', { body: { name } });

  const message =
    'Feature "taken" already exists in project "elsewhere" (archived). Choose another name, or delete the archived feature.';
  for (const response of [await create('taken'), await validate('taken')])
    expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError', message } });
  expect((await validate('free')).status).toBe(200);
  expect((await validate('not free')).status).toBe(400);
});

test.each([
  ['member', 'Feature "taken-for-member" already exists in project "home-of-member". Choose another name.'],
  ['non-member', 'Feature "taken-for-non-member" already exists. Choose another name.'],
])('names the private project of a taken name only to its members: %s', async (kind, message) => {
  const { db, app } = harness;
  const [home, name] = [`home-of-${kind}`, `taken-for-${kind}`];
  await makeProject(db, { id: home, mode: 'private' });
  await makeFeature(db, home, { name });
  const user = await makeUser(db, 'Viewer');
  await makeMember(db, user, 'default', 'Owner');
  if (kind === 'member') await makeMember(db, user, home, 'Member');

  const response = await call(app, 'POST', FEATURES_PATH, { token: user.token, body: { name } });

  expect(response).toMatchObject({ status: 409, body: { message } });
});

test('names the project of a taken name even if the name was taken while the request waited', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await sql`insert into features (name, project, type) values ('raced', 'default', 'release')`.execute(
    blocker,
  );
  const pendingRequest = create('raced');
  await waitForLockWaiters(harness.db, 1);
  await blocker.commit().execute();

  const message = 'Feature "raced" already exists in project "default". Choose another name.';
  expect(await pendingRequest).toMatchObject({ status: 409, body: { message } });
});

test('enforces the naming pattern, and the feature limit even for concurrent requests', async () => {
  await makeProject(harness.db, { id: 'strict' });
  await call(harness.app, 'PUT', '/api/admin/projects/strict/settings', {
    body: {
      featureLimit: 1,
      featureNaming: { pattern: 'pay\\..+', example: 'pay.x', description: 'Starts with pay.' },
    },
  });

  const rejection = await create('checkout-3', {}, 'strict');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from projects where id = 'strict' for update`.execute(blocker);
  const requests = Promise.all([create('pay.one', {}, 'strict'), create('pay.two', {}, 'strict')]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  const message =
    'Name "checkout-3" does not match the naming pattern of project "strict": pay\\..+. Example: "pay.x". Description: "Starts with pay."';
  expect(rejection).toMatchObject({
    status: 400,
    body: { name: 'PatternError', message, details: [{ message, path: '/body/name' }] },
  });
  const responses = await requests;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect(responses.find(({ status }) => status === 403)?.body.name).toBe('InvalidOperationError');
});

test('a feature is found only in its own project', async () => {
  await makeProject(harness.db, { id: 'other' });
  await create('at-home');

  for (const path of ['', '/environments/development', '/environments/development/strategies']) {
    const url = `/api/admin/projects/other/features/at-home${path}`;
    expect(await call(harness.app, 'GET', url)).toMatchObject({
      status: 404,
      body: { name: 'NotFoundError' },
    });
  }
  const put = await call(harness.app, 'PUT', '/api/admin/projects/other/features/at-home', {
    body: { stale: true },
  });
  expect(put.status).toBe(404);
});

test('an update changes the given fields, and records a separate event for stale', async () => {
  await create('updated', { description: 'before' });
  const put = (body: object) => call(harness.app, 'PUT', `${FEATURES_PATH}/updated`, { body });

  const response = await put({ description: 'after', stale: true });
  await put({ description: 'after' });

  expect(response.body).toMatchObject({ description: 'after', stale: true, type: 'release' });
  expect(await readEvents('updated')).toMatchObject([
    { type: 'feature-created' },
    { type: 'feature-metadata-updated', data: { description: 'after' }, preData: { description: 'before' } },
    { type: 'feature-stale-on' },
  ]);
});

test('an update keeps an omitted description and impressionData', async () => {
  await create('kept', { description: 'before', impressionData: true });

  const { body } = await call(harness.app, 'PUT', `${FEATURES_PATH}/kept`, { body: { type: 'experiment' } });

  expect(body).toMatchObject({ type: 'experiment', description: 'before', impressionData: true });
});

test('a JSON Patch changes a feature, and an invalid patch is rejected', async () => {
  await create('patched');
  const patch = (body: unknown) => call(harness.app, 'PATCH', `${FEATURES_PATH}/patched`, { body });

  const acceptedPatch = await patch([{ op: 'replace', path: '/description', value: 'by patch' }]);
  const rejections = [
    await patch([{ op: 'replace', path: '/stale', value: 'yes' }]),
    await patch([{ op: 'test', path: '/description', value: 'else' }]),
    await patch([{ op: 'replace', path: '/nowhere/deep', value: 1 }]),
    await patch({ description: 'not a list' }),
  ];

  expect(acceptedPatch).toMatchObject({ status: 200, body: { description: 'by patch' } });
  expect(rejections.map(({ status, body }) => [status, body.name])).toEqual(
    Array(4).fill([400, 'BadDataError']),
  );
  await patch([{ op: 'add', path: '/__proto__/polluted', value: 1 }]);
  expect({}).not.toHaveProperty('polluted');
});

test.each([
  ['adds a field that cannot be patched', { op: 'add', path: '/archived', value: true }, 'path'],
  ['replaces the name', { op: 'replace', path: '/name', value: 'other' }, 'path'],
  ['tests the name', { op: 'test', path: '/name', value: 'strict' }, 'path'],
  ['copies from the name', { op: 'copy', from: '/name', path: '/description' }, 'from'],
])('rejects a patch that %s, and lists the patchable fields', async (_case, operation, member) => {
  await create('strict');

  const response = await call(harness.app, 'PATCH', `${FEATURES_PATH}/strict`, { body: [operation] });

  const field = operation[member as 'path'];
  expect(response).toMatchObject({
    status: 400,
    body: {
      details: [
        {
          message: `"${field}" cannot be patched. Patchable fields: /type, /description, /impressionData, /stale`,
          path: `/body/0/${member}`,
        },
      ],
    },
  });
});

test.each([
  { op: 'remove', path: '/type' },
  { op: 'remove', path: '/stale' },
  { op: 'move', from: '/type', path: '/description' },
])('rejects a patch that removes a required field: %j', async operation => {
  await create('whole');

  const response = await call(harness.app, 'PATCH', `${FEATURES_PATH}/whole`, { body: [operation] });

  const field = operation.from ?? operation.path;
  expect(response).toMatchObject({
    status: 400,
    body: { details: [{ message: `"${field}" is required, but missing after the patch` }] },
  });
});

test.each([
  ['PUT', { description: null }],
  ['PATCH', [{ op: 'replace', path: '/description', value: null }]],
  ['PATCH', [{ op: 'remove', path: '/description' }]],
] as const)(
  '%s %j removes the description from the response, the feature and the event',
  async (method, body) => {
    const name = `described-${method}-${JSON.stringify(body).length}`;
    await create(name, { description: 'before' });

    const response = await call(harness.app, method, `${FEATURES_PATH}/${name}`, { body });

    expect(response.status).toBe(200);
    expect(response.body).not.toHaveProperty('description');
    expect((await call(harness.app, 'GET', `${FEATURES_PATH}/${name}`)).body).toEqual(response.body);
    const [, updateEvent] = await readEvents(name);
    expect(updateEvent).toMatchObject({
      type: 'feature-metadata-updated',
      data: { description: null },
      preData: { description: 'before' },
    });
  },
);

test('an archived feature is not listed, cannot be changed, and is disabled everywhere when it is revived', async () => {
  await create('resting');
  await call(harness.app, 'POST', `${FEATURES_PATH}/resting/environments/production/on`);
  const isListed = async () =>
    (await call(harness.app, 'GET', FEATURES_PATH)).body.features.some(
      ({ name }: { name: string }) => name === 'resting',
    );

  await call(harness.app, 'DELETE', `${FEATURES_PATH}/resting`);
  const rejection = await call(harness.app, 'PUT', `${FEATURES_PATH}/resting`, { body: { stale: true } });
  const isListedWhileArchived = await isListed();
  await call(harness.app, 'POST', '/api/admin/projects/default/revive', { body: { features: ['resting'] } });

  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect([isListedWhileArchived, await isListed()]).toEqual([false, true]);
  expect(await get('resting')).toMatchObject({ archived: false, enabled: false });
  expect(await readEventTypes('resting')).toEqual([
    'feature-created',
    'feature-strategy-add',
    'feature-environment-enabled',
    'feature-archived',
    'feature-revived',
    'feature-environment-disabled',
  ]);
});

test('deletes only archived features, either all of the given features or none', async () => {
  await create('gone');
  await create('kept');
  await call(harness.app, 'DELETE', `${FEATURES_PATH}/gone`);
  const remove = (features: string[]) =>
    call(harness.app, 'POST', '/api/admin/projects/default/delete', { body: { features } });

  expect((await remove(['gone', 'kept'])).status).toBe(403);
  expect((await remove(['gone', 'nowhere'])).status).toBe(404);
  expect((await remove(['gone', 'gone'])).status).toBe(400);
  expect((await call(harness.app, 'GET', `${FEATURES_PATH}/gone`)).status).toBe(200);
  expect((await remove(['gone'])).status).toBe(200);

  expect((await call(harness.app, 'GET', `${FEATURES_PATH}/gone`)).status).toBe(404);
  expect((await create('gone')).status).toBe(201);
});

test('marks many features as stale or archives them in one change, and records only actual changes', async () => {
  await create('bulk-1', {});
  await create('bulk-2', {});
  await call(harness.app, 'PUT', `${FEATURES_PATH}/bulk-1`, { body: { stale: true } });

  const post = (path: string, body: object) =>
    call(harness.app, 'POST', `/api/admin/projects/default/${path}`, { body });
  const staleResponse = await post('stale', { features: ['bulk-2', 'bulk-1'], stale: true });
  const archiveResponse = await post('archive', { features: ['bulk-1', 'bulk-2'] });

  expect([staleResponse.status, archiveResponse.status]).toEqual([202, 202]);
  expect(await readEventTypes('bulk-1')).toEqual(['feature-created', 'feature-stale-on', 'feature-archived']);
  const [firstEvents, secondEvents] = [await readEvents('bulk-1'), await readEvents('bulk-2')];
  expect(firstEvents.at(-1)?.groupId).toBe(secondEvents.at(-1)?.groupId);
});

test('an Editor can change features of the default project, and a Viewer can only read them', async () => {
  const [editor, viewer] = [await makeUser(harness.db, 'Editor'), await makeUser(harness.db, 'Viewer')];
  const body = { name: 'by-editor' };

  expect((await call(harness.app, 'POST', FEATURES_PATH, { token: viewer.token, body })).status).toBe(403);
  expect((await call(harness.app, 'POST', FEATURES_PATH, { token: editor.token, body })).status).toBe(201);
  expect(
    (await call(harness.app, 'GET', `${FEATURES_PATH}/by-editor`, { token: viewer.token })).body.createdBy
      .name,
  ).toBe(editor.username);
});
