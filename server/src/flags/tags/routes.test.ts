import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
import { createTag, createTagType } from './create.ts';
import type { NewTagType } from './schema.ts';

const harness = useHarness();

const makeType = (fields: NewTagType) =>
  change(harness.db, SYSTEM, current => createTagType(current, fields));
const makeTag = (type: string, value: string) =>
  change(harness.db, SYSTEM, current => createTag(current, { type, value }));

const eventsOf = async (text: string) => {
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?query=${encodeURIComponent(`"${text}"`)}`,
  );
  return body.events;
};

const pathsOf = (answer: { body: { details: { path: string }[] } }) =>
  answer.body.details.map(detail => detail.path).toSorted();

test('after migration there is the tag type simple', async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/tag-types/simple');

  expect(body).toEqual({
    version: 1,
    tagType: { name: 'simple', description: expect.any(String), icon: '#', color: null },
  });
});

test('a created tag type is answered, listed and recorded', async () => {
  const fields = { name: 'team', description: 'Who to ask', icon: 'T', color: '#1a2B3c' };

  const created = await call(harness.app, 'POST', '/api/admin/tag-types', {
    body: { ...fields, unknown: 1 },
  });

  expect(created).toMatchObject({ status: 201, body: fields });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/team')).body).toEqual({
    version: 1,
    tagType: fields,
  });
  const list = await call(harness.app, 'GET', '/api/admin/tag-types');
  expect(list.body.version).toBe(1);
  expect(list.body.tagTypes).toContainEqual(fields);
  const [event] = await eventsOf('team');
  expect(event).toMatchObject({ type: 'tag-type-created', project: null, preData: null });
  expect(event.data).toEqual(fields);
});

test('tag types are listed by name', async () => {
  await makeType({ name: 'zz-last' });
  await makeType({ name: 'aa-first' });

  const { tagTypes } = (await call(harness.app, 'GET', '/api/admin/tag-types')).body;

  const names = tagTypes.map((tagType: { name: string }) => tagType.name);
  expect([names.at(0), names.at(-1)]).toEqual(['aa-first', 'zz-last']);
});

test.each([
  ['no name', {}, ['/body/name']],
  ['a name of one character', { name: 'x' }, ['/body/name']],
  ['a name of 51 characters', { name: 'x'.repeat(51) }, ['/body/name']],
  ['a name with a blank', { name: 'a b' }, ['/body/name']],
  ['a name of two dots', { name: '..' }, ['/body/name']],
  ['a colour that is a word', { name: 'xx', color: 'red' }, ['/body/color']],
  [
    'an icon that is a number and a description that is too long',
    { name: 'xx', icon: 1, description: 'x'.repeat(1_001) },
    ['/body/description', '/body/icon'],
  ],
])('a tag type with %s is refused, and not valid either', async (_case, body, paths) => {
  for (const url of ['/api/admin/tag-types', '/api/admin/tag-types/validate']) {
    const answer = await call(harness.app, 'POST', url, { body });

    expect(answer).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(pathsOf(answer)).toEqual(paths);
  }
});

test('a taken name of a tag type is refused, and not valid either', async () => {
  for (const url of ['/api/admin/tag-types', '/api/admin/tag-types/validate']) {
    const answer = await call(harness.app, 'POST', url, { body: { name: 'simple' } });

    expect(answer).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  }
});

test('a valid tag type is answered as it would be created, and is not created', async () => {
  const answer = await call(harness.app, 'POST', '/api/admin/tag-types/validate', {
    body: { name: 'free', icon: 'F', unknown: 1 },
  });

  const tagType = { name: 'free', description: null, icon: 'F', color: null };
  expect(answer).toMatchObject({ status: 200, body: { valid: true, tagType } });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/free')).status).toBe(404);
});

test('an updated tag type keeps what is left out, and is recorded with what was before', async () => {
  const before = await makeType({ name: 'area', description: 'Old', icon: 'A', color: '#000000' });

  const answer = await call(harness.app, 'PUT', '/api/admin/tag-types/area', {
    body: { name: 'ignored', description: 'New', color: null },
  });

  const after = { name: 'area', description: 'New', icon: 'A', color: null };
  expect(answer).toMatchObject({ status: 200, body: after });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/area')).body.tagType).toEqual(after);
  const [event] = await eventsOf('area');
  expect(event).toMatchObject({ type: 'tag-type-updated', data: after, preData: before });
});

test('an update of a tag type that changes nothing writes no event', async () => {
  await makeType({ name: 'still', description: 'Same' });

  const answer = await call(harness.app, 'PUT', '/api/admin/tag-types/still', {
    body: { description: 'Same', icon: null },
  });

  expect(answer.status).toBe(200);
  expect(await eventsOf('still')).toHaveLength(1);
});

test('a bad colour in an update is refused', async () => {
  const answer = await call(harness.app, 'PUT', '/api/admin/tag-types/simple', { body: { color: '#12345' } });

  expect(answer).toMatchObject({ status: 400, body: { details: [{ path: '/body/color' }] } });
});

test('a deleted tag type is gone with its tags, each with an event of the same change', async () => {
  await makeType({ name: 'doomed', color: '#000000' });
  await makeTag('doomed', 'one');
  await makeTag('doomed', 'two');

  const answer = await call(harness.app, 'DELETE', '/api/admin/tag-types/doomed');

  expect(answer).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', '/api/admin/tag-types/doomed')).status).toBe(404);
  expect((await call(harness.app, 'GET', '/api/admin/tags/doomed')).body.tags).toEqual([]);
  const [deleted, ...ofTags] = (await eventsOf('doomed')).slice(0, 3);
  expect(deleted).toMatchObject({
    type: 'tag-type-deleted',
    data: null,
    preData: { name: 'doomed', color: '#000000' },
  });
  for (const event of ofTags) {
    expect(event).toMatchObject({
      type: 'tag-deleted',
      preData: { type: 'doomed' },
      groupId: deleted.groupId,
    });
  }
});

test('a created tag is trimmed, answered, listed and recorded', async () => {
  const created = await call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: '  check out / 50 %  ', unknown: 1 },
  });

  const tag = { type: 'simple', value: 'check out / 50 %' };
  expect(created.status).toBe(201);
  expect(created.body).toEqual(tag);
  const address = `/api/admin/tags/simple/${encodeURIComponent(tag.value)}`;
  expect((await call(harness.app, 'GET', address)).body).toEqual({ version: 1, tag });
  expect((await call(harness.app, 'GET', '/api/admin/tags')).body.tags).toContainEqual(tag);
  const [event] = await eventsOf(tag.value);
  expect(event).toMatchObject({ type: 'tag-created', project: null, data: tag, preData: null });
});

test('tags are listed by type and value; those of one type alone, none for an unknown type', async () => {
  await makeType({ name: 'list-b' });
  await makeType({ name: 'list-a' });
  await makeTag('list-b', 'one');
  await makeTag('list-a', 'two');
  await makeTag('list-a', 'one');
  const list = async (url: string) => {
    const { body } = await call(harness.app, 'GET', url);
    expect(body.version).toBe(1);
    return body.tags.map((tag: { type: string; value: string }) => `${tag.type}:${tag.value}`);
  };

  const all = (await list('/api/admin/tags')).filter((tag: string) => tag.startsWith('list-'));

  expect(all).toEqual(['list-a:one', 'list-a:two', 'list-b:one']);
  expect(await list('/api/admin/tags/list-a')).toEqual(['list-a:one', 'list-a:two']);
  expect(await list('/api/admin/tags/nope')).toEqual([]);
});

test.each([
  ['no type and no value', {}, ['/body/type', '/body/value']],
  ['a type of one character', { type: 'x', value: 'ok' }, ['/body/type']],
  ['an unknown type', { type: 'unknown', value: 'ok' }, ['/body/type']],
  ['a value of one character', { type: 'simple', value: 'x' }, ['/body/value']],
  ['one character between blanks', { type: 'simple', value: '  x  ' }, ['/body/value']],
  ['a value of 51 characters', { type: 'simple', value: 'x'.repeat(51) }, ['/body/value']],
  ['a line break in the value', { type: 'simple', value: 'a\nb' }, ['/body/value']],
])('a tag with %s is refused', async (_case, body, paths) => {
  const answer = await call(harness.app, 'POST', '/api/admin/tags', { body });

  expect(answer).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(pathsOf(answer)).toEqual(paths);
});

test('fifty characters are fifty, whatever they take in memory', async () => {
  const body = { type: 'simple', value: '🚩'.repeat(50) };

  expect((await call(harness.app, 'POST', '/api/admin/tags', { body })).status).toBe(201);
});

test('a tag that exists is refused', async () => {
  await makeTag('simple', 'taken');

  const answer = await call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: ' taken' },
  });

  expect(answer).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await eventsOf('taken')).toHaveLength(1);
});

test('a deleted tag is gone and recorded', async () => {
  await makeTag('simple', 'short-lived');

  const answer = await call(harness.app, 'DELETE', '/api/admin/tags/simple/short-lived');

  expect(answer).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', '/api/admin/tags/simple/short-lived')).status).toBe(404);
  const [event] = await eventsOf('short-lived');
  const tag = { type: 'simple', value: 'short-lived' };
  expect(event).toMatchObject({ type: 'tag-deleted', data: null, preData: tag });
});

test.each([
  ['GET', '/api/admin/tag-types/nope', undefined, 'Tag type nope'],
  ['PUT', '/api/admin/tag-types/nope', {}, 'Tag type nope'],
  ['DELETE', '/api/admin/tag-types/nope', undefined, 'Tag type nope'],
  ['GET', '/api/admin/tags/simple/nope', undefined, 'Tag simple:nope'],
  ['DELETE', '/api/admin/tags/simple/nope', undefined, 'Tag simple:nope'],
] as const)('%s %s: what does not exist', async (method, url, body, what) => {
  expect(await call(harness.app, method, url, { body })).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: `${what} does not exist.` },
  });
});

test('everyone may create a tag; deleting it takes UPDATE_FEATURE from a root role', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const editor = await makeUser(harness.db, 'Editor');
  const url = '/api/admin/tags/simple/shared';

  const created = await call(harness.app, 'POST', '/api/admin/tags', {
    token: viewer.token,
    body: { type: 'simple', value: 'shared' },
  });
  // An Editor has the permission in the default project only.
  const refused = await call(harness.app, 'DELETE', url, { token: editor.token });
  await giveRoleWith(viewer.id, 'UPDATE_FEATURE');
  const deleted = await call(harness.app, 'DELETE', url, { token: viewer.token });

  expect(created.status).toBe(201);
  expect(refused).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(deleted.status).toBe(200);
});

async function giveRoleWith(userId: number, permission: string): Promise<void> {
  await sql`
    with role as (insert into roles (name, type, description) values ('Tidier', 'root', '') returning id),
    granted as (insert into role_permissions (role_id, permission) select id, ${permission} from role)
    update user_roles set role_id = role.id from role where user_id = ${userId}`.execute(harness.db);
}

test('two changes of one tag type at once leave both, and each event tells the state it found', async () => {
  await makeType({ name: 'contended' });
  const put = (body: object) => call(harness.app, 'PUT', '/api/admin/tag-types/contended', { body });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('tag_types').select('name').where('name', '=', 'contended').forUpdate().execute();

  const both = Promise.all([put({ icon: 'C' }), put({ color: '#ffffff' })]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  await both;

  const { tagType } = (await call(harness.app, 'GET', '/api/admin/tag-types/contended')).body;
  expect(tagType).toMatchObject({ icon: 'C', color: '#ffffff' });
  const [second, first] = await eventsOf('contended');
  expect(second.preData).toEqual(first.data);
});

test('two open transactions cannot both make the same tag type', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tag_types').values({ name: 'raced' }).execute();

  const waiting = call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: 'raced' } });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await eventsOf('raced')).toEqual([]);
});

test('two open transactions cannot both make the same tag', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tags').values({ type: 'simple', value: 'raced-tag' }).execute();

  const waiting = call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: 'raced-tag' },
  });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect(await waiting).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await eventsOf('raced-tag')).toEqual([]);
});

test('a tag whose type is deleted meanwhile is refused', async () => {
  await makeType({ name: 'vanishing' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('tag_types').where('name', '=', 'vanishing').execute();

  const waiting = call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'vanishing', value: 'late' },
  });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  const answer = await waiting;
  expect(answer.status).toBe(400);
  expect(pathsOf(answer)).toEqual(['/body/type']);
  expect(await eventsOf('late')).toEqual([]);
});

test('a tag type takes the tag with it that was being made, and tells of it', async () => {
  await makeType({ name: 'crowded' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tags').values({ type: 'crowded', value: 'just-made' }).execute();

  const waiting = call(harness.app, 'DELETE', '/api/admin/tag-types/crowded');
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).status).toBe(200);
  expect((await eventsOf('just-made')).map((event: { type: string }) => event.type)).toEqual(['tag-deleted']);
});

test('two deletes of one tag at once: one does it, the other finds it gone', async () => {
  await makeTag('simple', 'fought-over');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('tags').select('value').where('value', '=', 'fought-over').forUpdate().execute();

  const remove = () => call(harness.app, 'DELETE', '/api/admin/tags/simple/fought-over');
  const both = Promise.all([remove(), remove()]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();

  expect((await both).map(answer => answer.status).toSorted()).toEqual([200, 404]);
  expect(await eventsOf('fought-over')).toHaveLength(2);
});
