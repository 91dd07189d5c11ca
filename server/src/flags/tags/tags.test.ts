import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { getErrorPaths, tagRequests } from '../../test/tag-requests.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const { makeType, makeTag, readEvents } = tagRequests(harness);

test('a created tag is trimmed, returned, listed and recorded', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: '  check out / 50 %  ', unknown: 1 },
  });

  const tag = { type: 'simple', value: 'check out / 50 %' };
  expect(response.status).toBe(201);
  expect(response.body).toEqual({ version: 1, tag });
  const url = `/api/admin/tags/simple/${encodeURIComponent(tag.value)}`;
  expect((await call(harness.app, 'GET', url)).body).toEqual({ version: 1, tag });
  expect((await call(harness.app, 'GET', '/api/admin/tags')).body.tags).toContainEqual(tag);
  const [event] = await readEvents(tag.value);
  expect(event).toMatchObject({ type: 'tag-created', project: null, data: tag, preData: null });
});

test('lists all tags, or the tags of one type, sorted by type and value', async () => {
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

  const listedTags = (await list('/api/admin/tags')).filter((tag: string) => tag.startsWith('list-'));

  expect(listedTags).toEqual(['list-a:one', 'list-a:two', 'list-b:one']);
  expect(await list('/api/admin/tags/list-a')).toEqual(['list-a:one', 'list-a:two']);
  expect(await list('/api/admin/tags/nope')).toEqual([]);
});

test.each([
  ['a missing type and a missing value', {}, ['/body/type', '/body/value']],
  ['a type of one character', { type: 'x', value: 'ok' }, ['/body/type']],
  ['an unknown type', { type: 'unknown', value: 'ok' }, ['/body/type']],
  ['a value of one character', { type: 'simple', value: 'x' }, ['/body/value']],
  ['one character between spaces', { type: 'simple', value: '  x  ' }, ['/body/value']],
  ['a value of 51 characters', { type: 'simple', value: 'x'.repeat(51) }, ['/body/value']],
  ['a line break in the value', { type: 'simple', value: 'a\nb' }, ['/body/value']],
])('rejects a tag with %s', async (_case, body, paths) => {
  const response = await call(harness.app, 'POST', '/api/admin/tags', { body });

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(getErrorPaths(response)).toEqual(paths);
});

test('counts the characters of a tag rather than its UTF-16 units', async () => {
  const body = { type: 'simple', value: '🚩'.repeat(50) };

  expect((await call(harness.app, 'POST', '/api/admin/tags', { body })).status).toBe(201);
});

test('rejects an existing tag with 409', async () => {
  await makeTag('simple', 'taken');

  const response = await call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: ' taken' },
  });

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await readEvents('taken')).toHaveLength(1);
});

test('deletes a tag and records the deletion', async () => {
  await makeTag('simple', 'short-lived');

  const response = await call(harness.app, 'DELETE', '/api/admin/tags/simple/short-lived');

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', '/api/admin/tags/simple/short-lived')).status).toBe(404);
  const [event] = await readEvents('short-lived');
  const tag = { type: 'simple', value: 'short-lived' };
  expect(event).toMatchObject({ type: 'tag-deleted', data: null, preData: tag });
});

test('deletes a tag or a tag type only if at most 1,000 features use it', async () => {
  await makeType({ name: 'popular' });
  await makeTag('popular', 'everywhere');
  await sql`insert into features (name, project, type) select 'popular-' || n, 'default', 'release' from generate_series(1, 1001) as n`.execute(
    harness.db,
  );
  await sql`insert into feature_tags (feature_name, type, value)
    select name, 'popular', 'everywhere' from features where name like 'popular-%'`.execute(harness.db);

  const tag = await call(harness.app, 'DELETE', '/api/admin/tags/popular/everywhere');
  const type = await call(harness.app, 'DELETE', '/api/admin/tag-types/popular');
  expect([tag.status, tag.body.name]).toEqual([400, 'ExceedsLimitError']);
  expect(tag.body.message).toContain(
    'Tag "popular:everywhere" is attached to features more than 1000 times.',
  );
  expect([type.status, type.body.name]).toEqual([400, 'ExceedsLimitError']);
  expect(type.body.message).toContain('Tags of type "popular" are attached');

  await call(harness.app, 'DELETE', '/api/admin/features/popular-1/tags/popular/everywhere');
  expect((await call(harness.app, 'DELETE', '/api/admin/tags/popular/everywhere')).status).toBe(200);
});

test.each([
  ['GET', '/api/admin/tag-types/nope', undefined, 'Tag type "nope"'],
  ['PUT', '/api/admin/tag-types/nope', {}, 'Tag type "nope"'],
  ['DELETE', '/api/admin/tag-types/nope', undefined, 'Tag type "nope"'],
  ['GET', '/api/admin/tags/simple/nope', undefined, 'Tag "simple:nope"'],
  ['DELETE', '/api/admin/tags/simple/nope', undefined, 'Tag "simple:nope"'],
] as const)('%s %s returns 404', async (method, url, body, resource) => {
  expect(await call(harness.app, method, url, { body })).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: `${resource} does not exist.` },
  });
});

test('every user can create a tag, and deleting it requires UPDATE_FEATURE from a root role', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const editor = await makeUser(harness.db, 'Editor');
  const url = '/api/admin/tags/simple/shared';

  const response = await call(harness.app, 'POST', '/api/admin/tags', {
    token: viewer.token,
    body: { type: 'simple', value: 'shared' },
  });
  // An Editor has the permission only in the default project.
  const rejection = await call(harness.app, 'DELETE', url, { token: editor.token });
  await grantRoleWith(viewer.id, 'UPDATE_FEATURE');
  const deletion = await call(harness.app, 'DELETE', url, { token: viewer.token });

  expect(response.status).toBe(201);
  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(deletion.status).toBe(200);
});

async function grantRoleWith(userId: number, permission: string): Promise<void> {
  await sql`
    with role as (insert into roles (name, type, description) values ('Tidier', 'root', '') returning id),
    granted as (insert into role_permissions (role_id, permission) select id, ${permission} from role)
    update user_roles set role_id = role.id from role where user_id = ${userId}`.execute(harness.db);
}

test('two open transactions cannot both create the same tag', async () => {
  const blocker = await harness.db.startTransaction().execute();
  await blocker.insertInto('tags').values({ type: 'simple', value: 'raced-tag' }).execute();

  const pendingRequest = call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'simple', value: 'raced-tag' },
  });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect(await pendingRequest).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect(await readEvents('raced-tag')).toEqual([]);
});

test('rejects a tag whose type is concurrently deleted', async () => {
  await makeType({ name: 'vanishing' });
  const blocker = await harness.db.startTransaction().execute();
  await blocker.deleteFrom('tag_types').where('name', '=', 'vanishing').execute();

  const pendingRequest = call(harness.app, 'POST', '/api/admin/tags', {
    body: { type: 'vanishing', value: 'late' },
  });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  const response = await pendingRequest;
  expect(response.status).toBe(400);
  expect(getErrorPaths(response)).toEqual(['/body/type']);
  expect(await readEvents('late')).toEqual([]);
});

test('returns 404 for the second of two concurrent deletions of a tag', async () => {
  await makeTag('simple', 'fought-over');
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('tags').select('value').where('value', '=', 'fought-over').forUpdate().execute();

  const remove = () => call(harness.app, 'DELETE', '/api/admin/tags/simple/fought-over');
  const requests = Promise.all([remove(), remove()]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  expect((await requests).map(response => response.status).toSorted()).toEqual([200, 404]);
  expect(await readEvents('fought-over')).toHaveLength(2);
});
