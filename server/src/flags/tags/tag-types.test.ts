import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { getErrorPaths, tagRequests } from '../../test/tag-requests.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const { makeType, makeTag, readEvents } = tagRequests(harness);

test('the tag type simple exists after the migration', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/tag-types/simple');

  expect(body).toEqual({
    version: 1,
    tagType: { name: 'simple', description: expect.any(String), icon: '#', color: null },
  });
});

test('a created tag type is returned, listed and recorded', async () => {
  const fields = { name: 'team', description: 'The team to ask', icon: 'T', color: '#1a2B3c' };

  const response = await call(harness.app, 'POST', '/api/admin/tag-types', {
    body: { ...fields, unknown: 1 },
  });

  expect(response).toMatchObject({ status: 201, body: fields });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/team')).body).toEqual({
    version: 1,
    tagType: fields,
  });
  const list = await call(harness.app, 'GET', '/api/admin/tag-types');
  expect(list.body.version).toBe(1);
  expect(list.body.tagTypes).toContainEqual(fields);
  const [event] = await readEvents('team');
  expect(event).toMatchObject({ type: 'tag-type-created', project: null, preData: null });
  expect(event.data).toEqual(fields);
});

test('lists tag types by name', async () => {
  await makeType({ name: 'zz-last' });
  await makeType({ name: 'aa-first' });

  const { tagTypes } = (await call(harness.app, 'GET', '/api/admin/tag-types')).body;

  const names = tagTypes.map((tagType: { name: string }) => tagType.name);
  expect([names.at(0), names.at(-1)]).toEqual(['aa-first', 'zz-last']);
});

test.each([
  ['a missing name', {}, ['/body/name']],
  ['a name of one character', { name: 'x' }, ['/body/name']],
  ['a name of 51 characters', { name: 'x'.repeat(51) }, ['/body/name']],
  ['a name with a space', { name: 'a b' }, ['/body/name']],
  ['a name of two dots', { name: '..' }, ['/body/name']],
  ['a color that is a word', { name: 'xx', color: 'red' }, ['/body/color']],
  [
    'an icon that is a number and a description that is too long',
    { name: 'xx', icon: 1, description: 'x'.repeat(1_001) },
    ['/body/description', '/body/icon'],
  ],
])('rejects creating or validating a tag type with %s', async (_case, body, paths) => {
  for (const url of ['/api/admin/tag-types', '/api/admin/tag-types/validate']) {
    const response = await call(harness.app, 'POST', url, { body });

    expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(getErrorPaths(response)).toEqual(paths);
  }
});

test('rejects creating or validating a tag type with a taken name with 409', async () => {
  for (const url of ['/api/admin/tag-types', '/api/admin/tag-types/validate']) {
    const response = await call(harness.app, 'POST', url, { body: { name: 'simple' } });

    expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  }
});

test('validating a tag type returns it with its defaults and does not create it', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/tag-types/validate', {
    body: { name: 'free', icon: 'F', unknown: 1 },
  });

  const tagType = { name: 'free', description: null, icon: 'F', color: null };
  expect(response).toMatchObject({ status: 200, body: { valid: true, tagType } });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/free')).status).toBe(404);
});

test('an updated tag type keeps omitted fields, and its previous state is recorded', async () => {
  const tagTypeBefore = await makeType({ name: 'area', description: 'Old', icon: 'A', color: '#000000' });

  const response = await call(harness.app, 'PUT', '/api/admin/tag-types/area', {
    body: { name: 'ignored', description: 'New', color: null },
  });

  const tagTypeAfter = { name: 'area', description: 'New', icon: 'A', color: null };
  expect(response).toMatchObject({ status: 200, body: tagTypeAfter });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/area')).body.tagType).toEqual(tagTypeAfter);
  const [event] = await readEvents('area');
  expect(event).toMatchObject({ type: 'tag-type-updated', data: tagTypeAfter, preData: tagTypeBefore });
});

test('an update of a tag type that changes nothing records nothing', async () => {
  await makeType({ name: 'still', description: 'Same' });

  const response = await call(harness.app, 'PUT', '/api/admin/tag-types/still', {
    body: { description: 'Same', icon: null },
  });

  expect(response.status).toBe(200);
  expect(await readEvents('still')).toHaveLength(1);
});

test('deletes a tag type with its tags, each with an event of the same change', async () => {
  await makeType({ name: 'doomed', color: '#000000' });
  await makeTag('doomed', 'one');
  await makeTag('doomed', 'two');

  const response = await call(harness.app, 'DELETE', '/api/admin/tag-types/doomed');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/doomed')).status).toBe(404);
  expect((await call(harness.app, 'GET', '/api/admin/tags/doomed')).body.tags).toEqual([]);
  const [typeEvent, ...tagEvents] = (await readEvents('doomed')).slice(0, 3);
  expect(typeEvent).toMatchObject({
    type: 'tag-type-deleted',
    data: null,
    preData: { name: 'doomed', color: '#000000' },
  });
  for (const event of tagEvents) {
    expect(event).toMatchObject({
      type: 'tag-deleted',
      preData: { type: 'doomed' },
      groupId: typeEvent.groupId,
    });
  }
});

test('applies two concurrent updates of a tag type, and each event contains the previous state', async () => {
  await makeType({ name: 'contended' });
  const put = (body: object) => call(harness.app, 'PUT', '/api/admin/tag-types/contended', { body });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('tag_types').select('name').where('name', '=', 'contended').forUpdate().execute();

  const requests = Promise.all([put({ icon: 'C' }), put({ color: '#ffffff' })]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  await requests;

  const { tagType } = (await call(harness.app, 'GET', '/api/admin/tag-types/contended')).body;
  expect(tagType).toMatchObject({ icon: 'C', color: '#ffffff' });
  const [secondEvent, firstEvent] = await readEvents('contended');
  expect(secondEvent.preData).toEqual(firstEvent.data);
});

test('two open transactions cannot both create the same tag type', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tag_types').values({ name: 'raced' }).execute();

  const pendingRequest = call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: 'raced' } });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await pendingRequest).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await readEvents('raced')).toEqual([]);
});

test('deleting a tag type deletes and records a tag that is created concurrently', async () => {
  await makeType({ name: 'crowded' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tags').values({ type: 'crowded', value: 'just-made' }).execute();

  const pendingDeletion = call(harness.app, 'DELETE', '/api/admin/tag-types/crowded');
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingDeletion).status).toBe(200);
  expect((await readEvents('just-made')).map((event: { type: string }) => event.type)).toEqual([
    'tag-deleted',
  ]);
});

test('rejects an invalid color in an update', async () => {
  const response = await call(harness.app, 'PUT', '/api/admin/tag-types/simple', {
    body: { color: '#12345' },
  });

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/color' }] } });
});
