import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

type RecordedEvent = {
  type: string;
  project: string | null;
  featureName: string;
  data: object | null;
  preData: object | null;
  tags: object[];
  groupId: string;
};

const tag = (value: string, type = 'simple') => ({ type, value });
const post = (path: string, body: object): Promise<ApiResponse> => call(harness.app, 'POST', path, { body });
const put = (path: string, body: object): Promise<ApiResponse> => call(harness.app, 'PUT', path, { body });
const remove = (path: string): Promise<ApiResponse> => call(harness.app, 'DELETE', path);
const tagsPath = (name: string) => `/api/admin/features/${name}/tags`;
const readTags = async (name: string) => (await call(harness.app, 'GET', tagsPath(name))).body.tags;
const readEvents = async (name: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events.toReversed();
const readLaterEventTypes = async (name: string) =>
  (await readEvents(name)).map(event => event.type).slice(1);
const findTagEvents = async (value: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?query=${value}`)).body.events
    .toReversed()
    .filter((event: RecordedEvent) => event.type.startsWith('tag-'));

async function makeFeature(name: string, tags: object[] = [], project = 'default') {
  const response = await post(`/api/admin/projects/${project}/features`, { name, tags });
  expect(response.status).toBe(201);
  return response.body;
}

const requestWhileLocked = <T>(
  statement: ReturnType<typeof sql>,
  send: () => Promise<T>,
  waiters = 1,
): Promise<T> => duringTransaction(harness.db, tx => statement.execute(tx), send, waiters);

test('attaches and records a new tag, and attaching it again records nothing', async () => {
  await makeFeature('tagged');

  const firstResponse = await post(tagsPath('tagged'), { ...tag('  brand-new '), unknown: 1 });
  const secondResponse = await post(tagsPath('tagged'), tag('brand-new'));

  expect(firstResponse).toMatchObject({ status: 201, body: tag('brand-new') });
  expect(secondResponse.status).toBe(201);
  expect((await call(harness.app, 'GET', tagsPath('tagged'))).body).toEqual({
    version: 1,
    tags: [tag('brand-new')],
  });
  const events = await readEvents('tagged');
  expect(events.slice(1)).toMatchObject([
    {
      type: 'feature-tagged',
      project: 'default',
      data: tag('brand-new'),
      preData: null,
      tags: [tag('brand-new')],
    },
  ]);
  expect(await findTagEvents('brand-new')).toMatchObject([
    { type: 'tag-created', data: tag('brand-new'), groupId: events[1]?.groupId },
  ]);
});

test('creates a feature with tags, and records each tag', async () => {
  const feature = await makeFeature('born-tagged', [tag('zz-born'), tag('aa-born'), tag(' aa-born')]);

  expect(feature.tags).toEqual([tag('aa-born'), tag('zz-born')]);
  expect(await readLaterEventTypes('born-tagged')).toEqual(['feature-tagged', 'feature-tagged']);
});

test('changes tags in one request, and records only actual changes', async () => {
  await makeFeature('changing', [tag('stays'), tag('goes')]);

  const response = await put(tagsPath('changing'), {
    addedTags: [tag('comes'), tag('stays')],
    removedTags: [tag('goes'), tag('never-was')],
  });
  await put(tagsPath('changing'), { addedTags: [tag('comes')], removedTags: [tag('goes')] });

  expect(response).toMatchObject({ status: 200, body: { version: 1, tags: [tag('comes'), tag('stays')] } });
  expect((await readEvents('changing')).slice(3)).toMatchObject([
    { type: 'feature-untagged', data: null, preData: tag('goes') },
    { type: 'feature-tagged', data: tag('comes') },
  ]);
});

test('attaches an existing tag and a new tag in one request, and records both', async () => {
  await makeFeature('doubly-tagged');
  await post('/api/admin/tags', tag('known-before'));

  const response = await put(tagsPath('doubly-tagged'), {
    addedTags: [tag('known-before'), tag('made-with-it')],
  });

  expect(response).toMatchObject({ status: 200, body: { tags: [tag('known-before'), tag('made-with-it')] } });
  const events = (await readEvents('doubly-tagged')).slice(1);
  expect(events).toMatchObject([
    { type: 'feature-tagged', data: tag('known-before'), preData: null },
    { type: 'feature-tagged', data: tag('made-with-it'), preData: null },
  ]);
  const [known, created] = [await findTagEvents('known-before'), await findTagEvents('made-with-it')];
  expect(created).toMatchObject([{ type: 'tag-created', groupId: events[0]?.groupId }]);
  expect(known).toMatchObject([{ type: 'tag-created' }]);
});

test('removes a tag from a feature without deleting the tag', async () => {
  await makeFeature('untagged', [tag('by address')]);
  const url = `${tagsPath('untagged')}/simple/${encodeURIComponent('by address')}`;

  const responses = [await remove(url), await remove(url)];

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await readTags('untagged')).toEqual([]);
  expect(await readLaterEventTypes('untagged')).toEqual(['feature-tagged', 'feature-untagged']);
  expect((await call(harness.app, 'GET', '/api/admin/tags/simple/by%20address')).status).toBe(200);
});

test('changes the tags of all given features or of none of them', async () => {
  const bulk = (features: string[], tags: object) =>
    put('/api/admin/projects/default/tags', { features, tags });
  await makeFeature('many-1', [tag('old-one')]);
  await makeFeature('many-2');

  const missingFeature = await bulk(['many-1', 'nowhere'], { addedTags: [tag('no-trace')] });
  const duplicate = await bulk(['many-1', 'many-1'], { addedTags: [tag('no-trace')] });
  const response = await bulk(['many-2', 'many-1'], {
    addedTags: [tag('new-one'), tag('new-two')],
    removedTags: [tag('old-one')],
  });

  expect([missingFeature.status, duplicate.status, response.status]).toEqual([404, 400, 200]);
  expect(await findTagEvents('no-trace')).toEqual([]);
  for (const name of ['many-1', 'many-2'])
    expect(await readTags(name)).toEqual([tag('new-one'), tag('new-two')]);
  expect((await readLaterEventTypes('many-1')).slice(1)).toEqual([
    'feature-untagged',
    'feature-tagged',
    'feature-tagged',
  ]);
  expect(await readLaterEventTypes('many-2')).toEqual(['feature-tagged', 'feature-tagged']);
  expect(await findTagEvents('new-two')).toHaveLength(1);
});

test('a request can change at most 5,000 feature tags', async () => {
  const features = Array.from({ length: 501 }, (_, number) => `numerous-${number}`);
  const tags = {
    addedTags: Array.from({ length: 9 }, (_, number) => tag(`numerous-${number}`)),
    removedTags: [tag('one-more')],
  };
  const send = (names: string[]) => put('/api/admin/projects/default/tags', { features: names, tags });

  expect((await send(features)).body.name).toBe('ExceedsLimitError');
  expect((await send(features.slice(1))).body.name).toBe('NotFoundError');
});

test('lists every violation in the tags of a request with its path', async () => {
  await makeFeature('rejecting');
  const getStatusAndPaths = (response: ApiResponse) => [
    response.status,
    ...response.body.details.map(({ path }: { path: string }) => path),
  ];

  expect(getStatusAndPaths(await post(tagsPath('rejecting'), tag('fine', 'no-such-type')))).toEqual([
    400,
    '/body/type',
  ]);
  expect(getStatusAndPaths(await post(tagsPath('rejecting'), tag(' x ')))).toEqual([400, '/body/value']);
  expect(
    getStatusAndPaths(
      await put(tagsPath('rejecting'), { addedTags: [tag('fine'), tag('a\nb', 'no-such-type')] }),
    ),
  ).toEqual([400, '/body/addedTags/1/type', '/body/addedTags/1/value']);
  expect(
    getStatusAndPaths(
      await put('/api/admin/projects/default/tags', {
        features: ['rejecting'],
        tags: { addedTags: [tag('both')], removedTags: [tag('both')] },
      }),
    ),
  ).toEqual([400, '/body/tags/addedTags/0']);
  expect(
    getStatusAndPaths(
      await post('/api/admin/projects/default/features', {
        name: 'never-made',
        tags: [tag('fine', 'no-such-type')],
      }),
    ),
  ).toEqual([400, '/body/tags/0/type']);
  expect(await findTagEvents('fine')).toEqual([]);
  expect(await readLaterEventTypes('rejecting')).toEqual([]);
});

test('rejects tags of an archived or missing feature', async () => {
  await makeFeature('shelved', [tag('kept-on')]);
  await remove('/api/admin/projects/default/features/shelved');

  const rejections = [
    await post(tagsPath('shelved'), tag('late')),
    await remove(`${tagsPath('shelved')}/simple/kept-on`),
    await put('/api/admin/projects/default/tags', {
      features: ['shelved'],
      tags: { addedTags: [tag('late')] },
    }),
  ];

  for (const response of rejections)
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await post(tagsPath('nowhere'), tag('late'))).status).toBe(404);
  expect(await readTags('shelved')).toEqual([tag('kept-on')]);
});

test('a feature with 100 tags can replace a tag but not add one more', async () => {
  await makeFeature('full');
  for (let start = 0; start < 100; start += 20) {
    const addedTags = Array.from({ length: 20 }, (_, index) => tag(`full-${start + index}`));
    await put(tagsPath('full'), { addedTags });
  }

  expect(await post(tagsPath('full'), tag('one-too-many'))).toMatchObject({
    status: 400,
    body: { name: 'ExceedsLimitError' },
  });
  const exchanged = await put(tagsPath('full'), {
    addedTags: [tag('exchanged')],
    removedTags: [tag('full-0')],
  });
  expect(exchanged.status).toBe(200);
  expect(exchanged.body.tags).toHaveLength(100);
});

test('deleting a tag removes it from its features and records an event in the project of each', async () => {
  const privateProject = await makeProject(harness.db, { mode: 'private' });
  const viewer = await makeUser(harness.db, 'Viewer');
  const member = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, privateProject.id, 'Reader');
  await makeFeature('doomed-open', [tag('doomed'), tag('other')]);
  await makeFeature('doomed-hidden', [tag('doomed')], privateProject.id);
  await remove('/api/admin/projects/default/features/doomed-open');

  expect((await remove('/api/admin/tags/simple/doomed')).status).toBe(200);

  expect(await readTags('doomed-open')).toEqual([tag('other')]);
  expect((await readEvents('doomed-open')).at(-1)).toMatchObject({
    type: 'feature-untagged',
    project: 'default',
    preData: tag('doomed'),
    tags: [tag('other')],
  });
  expect((await readEvents('doomed-hidden')).at(-1)).toMatchObject({
    type: 'feature-untagged',
    project: privateProject.id,
  });
  const countVisibleTo = async (token: string) =>
    (
      await call(harness.app, 'GET', '/api/admin/search/events?query=doomed&type=IS:feature-untagged', {
        token,
      })
    ).body.total;
  expect([await countVisibleTo(viewer.token), await countVisibleTo(member.token)]).toEqual([1, 2]);
});

test('deleting a tag type removes its tags from their features in one change', async () => {
  await post('/api/admin/tag-types', { name: 'crew' });
  await makeFeature('crewed', [tag('red', 'crew'), tag('blue', 'crew'), tag('plain')]);

  expect((await remove('/api/admin/tag-types/crew')).status).toBe(200);

  expect(await readTags('crewed')).toEqual([tag('plain')]);
  const { body } = await call(harness.app, 'GET', '/api/admin/search/events?query=crew&limit=5');
  expect(body.events.map((event: RecordedEvent) => event.type)).toEqual([
    'tag-type-deleted',
    'tag-deleted',
    'tag-deleted',
    'feature-untagged',
    'feature-untagged',
  ]);
  expect(new Set(body.events.map((event: RecordedEvent) => event.groupId)).size).toBe(1);
});

test('two concurrent requests create and attach the same new tag only once', async () => {
  await makeFeature('contended');
  const tagTypeLock = sql`select from tag_types where name = 'simple' for update`;

  const responses = await requestWhileLocked(tagTypeLock, () =>
    Promise.all([
      post(tagsPath('contended'), tag('contended-tag')),
      post(tagsPath('contended'), tag('contended-tag')),
    ]),
  );

  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(await readLaterEventTypes('contended')).toEqual(['feature-tagged']);
  expect(await findTagEvents('contended-tag')).toHaveLength(1);
});

test('attaching waits for a transaction that creates the tag', async () => {
  await makeFeature('waiting');

  const response = await requestWhileLocked(
    sql`insert into tags (type, value) values ('simple', 'being-made')`,
    () => post(tagsPath('waiting'), tag('being-made')),
  );

  expect(response.status).toBe(201);
  expect(await readLaterEventTypes('waiting')).toEqual(['feature-tagged']);
  expect(await findTagEvents('being-made')).toEqual([]);
});

test.each([
  ['deletes', sql`delete from tags where value = 'vanishing'`],
  [
    'locks and then deletes',
    sql`with locked as materialized (select * from tags where value = 'vanishing' for update)
      delete from tags using locked where tags.type = locked.type and tags.value = locked.value`,
  ],
])('recreates a tag that another transaction %s while a request attaches it', async (action, statement) => {
  const name = `late-${action.slice(0, 3)}`;
  await makeFeature(name);
  await post('/api/admin/tags', tag('vanishing'));

  const response = await requestWhileLocked(statement, () => post(tagsPath(name), tag('vanishing')));

  expect(response.status).toBe(201);
  expect(await readTags(name)).toEqual([tag('vanishing')]);
  expect((await findTagEvents('vanishing')).at(-1)?.type).toBe('tag-created');
  await remove('/api/admin/tags/simple/vanishing');
});

test('recreates a tag that another transaction locks first and deletes while the request waits', async () => {
  await makeFeature('patient');
  await post('/api/admin/tags', tag('locked-first'));
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from tags where value = 'locked-first' for update`.execute(blocker);

  const pendingRequest = post(tagsPath('patient'), tag('locked-first'));
  await waitForLockWaiters(harness.db);
  await sql`delete from tags where value = 'locked-first'`.execute(blocker);
  await blocker.commit().execute();

  expect((await pendingRequest).status).toBe(201);
  expect(await readTags('patient')).toEqual([tag('locked-first')]);
});

test('deleting a tag also removes it from a feature that is concurrently tagged with it', async () => {
  await makeFeature('quick');
  await post('/api/admin/tags', tag('fleeting'));

  const response = await requestWhileLocked(
    sql`insert into feature_tags (feature_name, type, value) values ('quick', 'simple', 'fleeting')`,
    () => remove('/api/admin/tags/simple/fleeting'),
  );

  expect(response.status).toBe(200);
  expect(await readTags('quick')).toEqual([]);
  expect(await readLaterEventTypes('quick')).toEqual(['feature-untagged']);
});

test('attaching a tag waits for a deletion of its type and is then rejected', async () => {
  await post('/api/admin/tag-types', { name: 'brief' });
  await post('/api/admin/tags', tag('first', 'brief'));
  await makeFeature('brief-flag');

  const [deletion, tagging] = await requestWhileLocked(
    sql`select from tags where type = 'brief' for key share`,
    async () => {
      const pendingDeletion = remove('/api/admin/tag-types/brief');
      await waitForLockWaiters(harness.db);
      const addedTags = [tag('first', 'brief'), tag('second', 'brief')];
      return await Promise.all([pendingDeletion, put(tagsPath('brief-flag'), { addedTags })]);
    },
    2,
  );

  expect(deletion.status).toBe(200);
  expect(tagging).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/addedTags/0/type' }, { path: '/body/addedTags/1/type' }] },
  });
  expect(await readLaterEventTypes('brief-flag')).toEqual([]);
});

test('deleting a tag and removing it from a feature at the same time do not deadlock', async () => {
  const { token } = await makeUser(harness.db, 'Admin');
  await makeFeature('loses', [tag('fought')]);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'loses' for update`.execute(blocker);

  const pendingDeletion = call(harness.app, 'DELETE', '/api/admin/tags/simple/fought', { token });
  await waitForLockWaiters(harness.db);
  await sql`delete from feature_tags where feature_name = 'loses'`.execute(blocker);
  await blocker.commit().execute();

  expect((await pendingDeletion).status).toBe(200);
  expect(await readLaterEventTypes('loses')).toEqual(['feature-tagged']);
});

test('tagging requires UPDATE_FEATURE in the project that has the feature, and returns 404 if the caller cannot read it', async () => {
  const privateProject = await makeProject(harness.db, { mode: 'private' });
  await makeFeature('hidden-flag', [], privateProject.id);
  await makeFeature('seen-flag');
  const viewer = await makeUser(harness.db, 'Viewer');
  const member = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, privateProject.id, 'Member');
  const send = (method: 'GET' | 'POST', name: string, { token }: { token: string }) =>
    call(harness.app, method, tagsPath(name), { token, ...(method === 'POST' ? { body: tag('mine') } : {}) });

  expect((await send('POST', 'seen-flag', viewer)).status).toBe(403);
  expect((await send('GET', 'seen-flag', viewer)).status).toBe(200);
  expect((await send('GET', 'hidden-flag', viewer)).status).toBe(404);
  expect((await send('POST', 'hidden-flag', viewer)).status).toBe(404);
  expect((await send('POST', 'hidden-flag', member)).status).toBe(201);
  expect((await send('POST', 'seen-flag', member)).status).toBe(403);
});

test('tagging returns 404 if the feature is concurrently moved to a different project', async () => {
  await makeProject(harness.db, { id: 'destination' });
  await makeFeature('moving');

  const response = await requestWhileLocked(
    sql`update features set project = 'destination' where name = 'moving'`,
    () => post(tagsPath('moving'), tag('on-the-move')),
  );

  expect(response.status).toBe(404);
  expect(await findTagEvents('on-the-move')).toEqual([]);
});

test('the event for a deleted feature contains its tags, even if the whole project is deleted', async () => {
  const project = await makeProject(harness.db);
  await makeFeature('went-alone', [tag('carried')], project.id);
  await makeFeature('went-with-it', [tag('carried'), tag('more')], project.id);
  await post(`/api/admin/projects/${project.id}/archive`, { features: ['went-alone', 'went-with-it'] });

  await post(`/api/admin/projects/${project.id}/delete`, { features: ['went-alone'] });
  await remove(`/api/admin/projects/${project.id}`);

  expect((await readEvents('went-alone')).at(-1)).toMatchObject({
    type: 'feature-deleted',
    tags: [tag('carried')],
  });
  const lastEvent = (await readEvents('went-with-it')).at(-1);
  expect(lastEvent).toMatchObject({ type: 'feature-deleted', tags: [tag('carried'), tag('more')] });
  expect(Object.keys(lastEvent?.preData ?? {}).toSorted()).toEqual(
    Object.keys((await readEvents('went-alone')).at(-1)?.preData ?? {}).toSorted(),
  );
});

test('the event for a deleted feature contains a tag that was attached just before the deletion', async () => {
  const project = await makeProject(harness.db);
  await makeFeature('last-moment', [], project.id);
  await post('/api/admin/tags', tag('just-in-time'));
  await post(`/api/admin/projects/${project.id}/archive`, { features: ['last-moment'] });

  await requestWhileLocked(
    sql`insert into feature_tags (feature_name, type, value) values ('last-moment', 'simple', 'just-in-time')`,
    () => remove(`/api/admin/projects/${project.id}`),
  );

  expect((await readEvents('last-moment')).at(-1)).toMatchObject({
    type: 'feature-deleted',
    tags: [tag('just-in-time')],
  });
});

test('changing tags takes the same number of statements for 1 and for 12 features', async () => {
  const counts = [];
  for (const size of [1, 12]) {
    const features = Array.from({ length: size }, (_, number) => `counted-${size}-${number}`);
    for (const name of features) await makeFeature(name, [tag('counted-old')]);
    const addedTags = Array.from({ length: size }, (_, number) => tag(`counted-${size}-${number}`));
    const statementsBefore = harness.statements.length;
    await put('/api/admin/projects/default/tags', {
      features,
      tags: { addedTags, removedTags: [tag('counted-old')] },
    });
    counts.push(harness.statements.length - statementsBefore);
    expect(await readTags(`counted-${size}-0`)).toHaveLength(size);
  }

  expect(counts[1]).toBe(counts[0]);
});
