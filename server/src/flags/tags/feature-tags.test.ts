import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { during } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

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
const at = (name: string) => `/api/admin/features/${name}/tags`;
const tagsOf = async (name: string) => (await call(harness.app, 'GET', at(name))).body.tags;
const eventsOf = async (name: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events.toReversed();
const typesOf = async (name: string) => (await eventsOf(name)).map(event => event.type).slice(1);
const tagEvents = async (value: string): Promise<RecordedEvent[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?query=${value}`)).body.events
    .toReversed()
    .filter((event: RecordedEvent) => event.type.startsWith('tag-'));

async function makeFeature(name: string, tags: object[] = [], project = 'default') {
  const created = await post(`/api/admin/projects/${project}/features`, { name, tags });
  expect(created.status).toBe(201);
  return created.body;
}

const whileHeld = <T>(statement: ReturnType<typeof sql>, ask: () => Promise<T>, waiters = 1): Promise<T> =>
  during(harness.db, tx => statement.execute(tx), ask, waiters);

test('attaches a tag, creates a new one, and records both', async () => {
  await makeFeature('tagged');

  const first = await post(at('tagged'), { ...tag('  brand-new '), unknown: 1 });
  const again = await post(at('tagged'), tag('brand-new'));

  expect(first).toMatchObject({ status: 201, body: tag('brand-new') });
  expect(again.status).toBe(201);
  expect((await call(harness.app, 'GET', at('tagged'))).body).toEqual({
    version: 1,
    tags: [tag('brand-new')],
  });
  const events = await eventsOf('tagged');
  expect(events.slice(1)).toMatchObject([
    {
      type: 'feature-tagged',
      project: 'default',
      data: tag('brand-new'),
      preData: null,
      tags: [tag('brand-new')],
    },
  ]);
  expect(await tagEvents('brand-new')).toMatchObject([
    { type: 'tag-created', data: tag('brand-new'), groupId: events[1]?.groupId },
  ]);
});

test('creates a feature with tags, and records each tag', async () => {
  const feature = await makeFeature('born-tagged', [tag('zz-born'), tag('aa-born'), tag(' aa-born')]);

  expect(feature.tags).toEqual([tag('aa-born'), tag('zz-born')]);
  expect(await typesOf('born-tagged')).toEqual(['feature-tagged', 'feature-tagged']);
});

test('changes tags in one request, and records only real changes', async () => {
  await makeFeature('changing', [tag('stays'), tag('goes')]);

  const response = await put(at('changing'), {
    addedTags: [tag('comes'), tag('stays')],
    removedTags: [tag('goes'), tag('never-was')],
  });
  await put(at('changing'), { addedTags: [tag('comes')], removedTags: [tag('goes')] });

  expect(response).toMatchObject({ status: 200, body: { version: 1, tags: [tag('comes'), tag('stays')] } });
  expect((await eventsOf('changing')).slice(3)).toMatchObject([
    { type: 'feature-untagged', data: null, preData: tag('goes') },
    { type: 'feature-tagged', data: tag('comes') },
  ]);
});

test('removes a tag from a feature without deleting the tag', async () => {
  await makeFeature('untagged', [tag('by address')]);
  const url = `${at('untagged')}/simple/${encodeURIComponent('by address')}`;

  const responses = [await remove(url), await remove(url)];

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await tagsOf('untagged')).toEqual([]);
  expect(await typesOf('untagged')).toEqual(['feature-tagged', 'feature-untagged']);
  expect((await call(harness.app, 'GET', '/api/admin/tags/simple/by%20address')).status).toBe(200);
});

test('changes the tags of all named features or of none', async () => {
  const bulk = (features: string[], tags: object) =>
    put('/api/admin/projects/default/tags', { features, tags });
  await makeFeature('many-1', [tag('old-one')]);
  await makeFeature('many-2');

  const missing = await bulk(['many-1', 'nowhere'], { addedTags: [tag('no-trace')] });
  const twice = await bulk(['many-1', 'many-1'], { addedTags: [tag('no-trace')] });
  const done = await bulk(['many-2', 'many-1'], {
    addedTags: [tag('new-one'), tag('new-two')],
    removedTags: [tag('old-one')],
  });

  expect([missing.status, twice.status, done.status]).toEqual([404, 400, 200]);
  expect(await tagEvents('no-trace')).toEqual([]);
  for (const name of ['many-1', 'many-2'])
    expect(await tagsOf(name)).toEqual([tag('new-one'), tag('new-two')]);
  expect((await typesOf('many-1')).slice(1)).toEqual([
    'feature-untagged',
    'feature-tagged',
    'feature-tagged',
  ]);
  expect(await typesOf('many-2')).toEqual(['feature-tagged', 'feature-tagged']);
  expect(await tagEvents('new-two')).toHaveLength(1);
});

test('one request can change at most 5,000 feature tags', async () => {
  const features = Array.from({ length: 501 }, (_, number) => `numerous-${number}`);
  const tags = {
    addedTags: Array.from({ length: 9 }, (_, number) => tag(`numerous-${number}`)),
    removedTags: [tag('one-more')],
  };
  const ask = (names: string[]) => put('/api/admin/projects/default/tags', { features: names, tags });

  expect((await ask(features)).body.name).toBe('ExceedsLimitError');
  expect((await ask(features.slice(1))).body.name).toBe('NotFoundError');
});

test('lists every violation in tags with its path', async () => {
  await makeFeature('rejecting');
  const pathsOf = (response: ApiResponse) => [
    response.status,
    ...response.body.details.map(({ path }: { path: string }) => path),
  ];

  expect(pathsOf(await post(at('rejecting'), tag('fine', 'no-such-type')))).toEqual([400, '/body/type']);
  expect(pathsOf(await post(at('rejecting'), tag(' x ')))).toEqual([400, '/body/value']);
  expect(
    pathsOf(await put(at('rejecting'), { addedTags: [tag('fine'), tag('a\nb', 'no-such-type')] })),
  ).toEqual([400, '/body/addedTags/1/type', '/body/addedTags/1/value']);
  expect(
    pathsOf(
      await put('/api/admin/projects/default/tags', {
        features: ['rejecting'],
        tags: { addedTags: [tag('both')], removedTags: [tag('both')] },
      }),
    ),
  ).toEqual([400, '/body/tags/addedTags/0']);
  expect(
    pathsOf(
      await post('/api/admin/projects/default/features', {
        name: 'never-made',
        tags: [tag('fine', 'no-such-type')],
      }),
    ),
  ).toEqual([400, '/body/tags/0/type']);
  expect(await tagEvents('fine')).toEqual([]);
  expect(await typesOf('rejecting')).toEqual([]);
});

test('rejects tags of an archived or missing feature', async () => {
  await makeFeature('shelved', [tag('kept-on')]);
  await remove('/api/admin/projects/default/features/shelved');

  const refused = [
    await post(at('shelved'), tag('late')),
    await remove(`${at('shelved')}/simple/kept-on`),
    await put('/api/admin/projects/default/tags', {
      features: ['shelved'],
      tags: { addedTags: [tag('late')] },
    }),
  ];

  for (const response of refused)
    expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await post(at('nowhere'), tag('late'))).status).toBe(404);
  expect(await tagsOf('shelved')).toEqual([tag('kept-on')]);
});

test('a feature can have at most 100 tags, and a full one can replace a tag', async () => {
  await makeFeature('full');
  for (let start = 0; start < 100; start += 20) {
    const addedTags = Array.from({ length: 20 }, (_, index) => tag(`full-${start + index}`));
    await put(at('full'), { addedTags });
  }

  expect(await post(at('full'), tag('one-too-many'))).toMatchObject({
    status: 400,
    body: { name: 'ExceedsLimitError' },
  });
  const exchanged = await put(at('full'), {
    addedTags: [tag('exchanged')],
    removedTags: [tag('full-0')],
  });
  expect(exchanged.status).toBe(200);
  expect(exchanged.body.tags).toHaveLength(100);
});

test('deleting a tag removes it from its features, with an event in the project of each', async () => {
  const hidden = await makeProject(harness.db, { mode: 'private' });
  const viewer = await makeUser(harness.db, 'Viewer');
  const member = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, hidden.id, 'Reader');
  await makeFeature('doomed-open', [tag('doomed'), tag('other')]);
  await makeFeature('doomed-hidden', [tag('doomed')], hidden.id);
  await remove('/api/admin/projects/default/features/doomed-open');

  expect((await remove('/api/admin/tags/simple/doomed')).status).toBe(200);

  expect(await tagsOf('doomed-open')).toEqual([tag('other')]);
  expect((await eventsOf('doomed-open')).at(-1)).toMatchObject({
    type: 'feature-untagged',
    project: 'default',
    preData: tag('doomed'),
    tags: [tag('other')],
  });
  expect((await eventsOf('doomed-hidden')).at(-1)).toMatchObject({
    type: 'feature-untagged',
    project: hidden.id,
  });
  const seenBy = async (token: string) =>
    (
      await call(harness.app, 'GET', '/api/admin/search/events?query=doomed&type=IS:feature-untagged', {
        token,
      })
    ).body.total;
  expect([await seenBy(viewer.token), await seenBy(member.token)]).toEqual([1, 2]);
});

test('deleting a tag type removes its tags from their features in one change', async () => {
  await post('/api/admin/tag-types', { name: 'crew' });
  await makeFeature('crewed', [tag('red', 'crew'), tag('blue', 'crew'), tag('plain')]);

  expect((await remove('/api/admin/tag-types/crew')).status).toBe(200);

  expect(await tagsOf('crewed')).toEqual([tag('plain')]);
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

test('two concurrent requests create and attach the same new tag once', async () => {
  await makeFeature('contended');
  const held = sql`select from tag_types where name = 'simple' for update`;

  const responses = await whileHeld(held, () =>
    Promise.all([post(at('contended'), tag('contended-tag')), post(at('contended'), tag('contended-tag'))]),
  );

  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(await typesOf('contended')).toEqual(['feature-tagged']);
  expect(await tagEvents('contended-tag')).toHaveLength(1);
});

test('attaching waits for a transaction that creates the tag', async () => {
  await makeFeature('waiting');

  const response = await whileHeld(sql`insert into tags (type, value) values ('simple', 'being-made')`, () =>
    post(at('waiting'), tag('being-made')),
  );

  expect(response.status).toBe(201);
  expect(await typesOf('waiting')).toEqual(['feature-tagged']);
  expect(await tagEvents('being-made')).toEqual([]);
});

test.each([
  ['deletes', sql`delete from tags where value = 'vanishing'`],
  [
    'holds and then deletes',
    sql`with held as materialized (select * from tags where value = 'vanishing' for update)
      delete from tags using held where tags.type = held.type and tags.value = held.value`,
  ],
])('recreates a tag that another transaction %s while it is attached', async (how, statement) => {
  const name = `late-${how.slice(0, 3)}`;
  await makeFeature(name);
  await post('/api/admin/tags', tag('vanishing'));

  const response = await whileHeld(statement, () => post(at(name), tag('vanishing')));

  expect(response.status).toBe(201);
  expect(await tagsOf(name)).toEqual([tag('vanishing')]);
  expect((await tagEvents('vanishing')).at(-1)?.type).toBe('tag-created');
  await remove('/api/admin/tags/simple/vanishing');
});

test('recreates a tag that the lock holder deletes', async () => {
  await makeFeature('patient');
  await post('/api/admin/tags', tag('locked-first'));
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from tags where value = 'locked-first' for update`.execute(blocker);

  const waiting = post(at('patient'), tag('locked-first'));
  await untilWaiting(harness.db);
  await sql`delete from tags where value = 'locked-first'`.execute(blocker);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(201);
  expect(await tagsOf('patient')).toEqual([tag('locked-first')]);
});

test('deleting a tag removes it from a feature that gets it meanwhile', async () => {
  await makeFeature('quick');
  await post('/api/admin/tags', tag('fleeting'));

  const response = await whileHeld(
    sql`insert into feature_tags (feature_name, type, value) values ('quick', 'simple', 'fleeting')`,
    () => remove('/api/admin/tags/simple/fleeting'),
  );

  expect(response.status).toBe(200);
  expect(await tagsOf('quick')).toEqual([]);
  expect(await typesOf('quick')).toEqual(['feature-untagged']);
});

test('attaching a tag waits for the deletion of its type, and is rejected', async () => {
  await post('/api/admin/tag-types', { name: 'brief' });
  await post('/api/admin/tags', tag('first', 'brief'));
  await makeFeature('brief-flag');

  const [deleted, tagged] = await whileHeld(
    sql`select from tags where type = 'brief' for key share`,
    async () => {
      const deleting = remove('/api/admin/tag-types/brief');
      await untilWaiting(harness.db);
      const addedTags = [tag('first', 'brief'), tag('second', 'brief')];
      return await Promise.all([deleting, put(at('brief-flag'), { addedTags })]);
    },
    2,
  );

  expect(deleted.status).toBe(200);
  expect(tagged).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/addedTags/0/type' }, { path: '/body/addedTags/1/type' }] },
  });
  expect(await typesOf('brief-flag')).toEqual([]);
});

test('deleting a tag and removing it from a feature at the same time do not deadlock', async () => {
  const { token } = await makeUser(harness.db, 'Admin');
  await makeFeature('loses', [tag('fought')]);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'loses' for update`.execute(blocker);

  const deleted = call(harness.app, 'DELETE', '/api/admin/tags/simple/fought', { token });
  await untilWaiting(harness.db);
  await sql`delete from feature_tags where feature_name = 'loses'`.execute(blocker);
  await blocker.commit().execute();

  expect((await deleted).status).toBe(200);
  expect(await typesOf('loses')).toEqual(['feature-tagged']);
});

test('tagging requires UPDATE_FEATURE in the project of the feature, and rejects a feature of a private project with 404', async () => {
  const hidden = await makeProject(harness.db, { mode: 'private' });
  await makeFeature('hidden-flag', [], hidden.id);
  await makeFeature('seen-flag');
  const viewer = await makeUser(harness.db, 'Viewer');
  const member = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, hidden.id, 'Member');
  const ask = (method: 'GET' | 'POST', name: string, { token }: { token: string }) =>
    call(harness.app, method, at(name), { token, ...(method === 'POST' ? { body: tag('mine') } : {}) });

  expect((await ask('POST', 'seen-flag', viewer)).status).toBe(403);
  expect((await ask('GET', 'seen-flag', viewer)).status).toBe(200);
  expect((await ask('GET', 'hidden-flag', viewer)).status).toBe(404);
  expect((await ask('POST', 'hidden-flag', viewer)).status).toBe(404);
  expect((await ask('POST', 'hidden-flag', member)).status).toBe(201);
  expect((await ask('POST', 'seen-flag', member)).status).toBe(403);
});

test('rejects tags of a feature that moves to a different project meanwhile with 404', async () => {
  await makeProject(harness.db, { id: 'destination' });
  await makeFeature('moving');

  const response = await whileHeld(
    sql`update features set project = 'destination' where name = 'moving'`,
    () => post(at('moving'), tag('on-the-move')),
  );

  expect(response.status).toBe(404);
  expect(await tagEvents('on-the-move')).toEqual([]);
});

test('the event of a deleted feature contains its tags, even if the project is deleted', async () => {
  const project = await makeProject(harness.db);
  await makeFeature('went-alone', [tag('carried')], project.id);
  await makeFeature('went-with-it', [tag('carried'), tag('more')], project.id);
  await post(`/api/admin/projects/${project.id}/archive`, { features: ['went-alone', 'went-with-it'] });

  await post(`/api/admin/projects/${project.id}/delete`, { features: ['went-alone'] });
  await remove(`/api/admin/projects/${project.id}`);

  expect((await eventsOf('went-alone')).at(-1)).toMatchObject({
    type: 'feature-deleted',
    tags: [tag('carried')],
  });
  const last = (await eventsOf('went-with-it')).at(-1);
  expect(last).toMatchObject({ type: 'feature-deleted', tags: [tag('carried'), tag('more')] });
  expect(Object.keys(last?.preData ?? {}).toSorted()).toEqual(
    Object.keys((await eventsOf('went-alone')).at(-1)?.preData ?? {}).toSorted(),
  );
});

test('the event of a deleted feature contains a tag that was attached just before', async () => {
  const project = await makeProject(harness.db);
  await makeFeature('last-moment', [], project.id);
  await post('/api/admin/tags', tag('just-in-time'));
  await post(`/api/admin/projects/${project.id}/archive`, { features: ['last-moment'] });

  await whileHeld(
    sql`insert into feature_tags (feature_name, type, value) values ('last-moment', 'simple', 'just-in-time')`,
    () => remove(`/api/admin/projects/${project.id}`),
  );

  expect((await eventsOf('last-moment')).at(-1)).toMatchObject({
    type: 'feature-deleted',
    tags: [tag('just-in-time')],
  });
});

test('changing tags takes the same number of statements for 1 and for many features', async () => {
  const counts = [];
  for (const size of [1, 12]) {
    const features = Array.from({ length: size }, (_, number) => `counted-${size}-${number}`);
    for (const name of features) await makeFeature(name, [tag('counted-old')]);
    const addedTags = Array.from({ length: size }, (_, number) => tag(`counted-${size}-${number}`));
    const before = harness.statements.length;
    await put('/api/admin/projects/default/tags', {
      features,
      tags: { addedTags, removedTags: [tag('counted-old')] },
    });
    counts.push(harness.statements.length - before);
    expect(await tagsOf(`counted-${size}-0`)).toHaveLength(size);
  }

  expect(counts[1]).toBe(counts[0]);
});
