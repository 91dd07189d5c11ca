import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { MAX_VIEWS } from './schema.ts';

const harness = useHarness();
const VIEWS = '/api/admin/user/views';
const view = (name: string, fields: object = {}) => ({
  name,
  page: '/events',
  query: 'project=IS:a',
  ...fields,
});
let user: TestUser;

const save = (body: unknown, token = user.token) => call(harness.app, 'POST', VIEWS, { token, body });
const list = async (token = user.token) => (await call(harness.app, 'GET', VIEWS, { token })).body.views;
const readNewestEventId = async () =>
  (await sql<{ id: number | null }>`select max(id) as id from events`.execute(harness.db)).rows[0]?.id;

beforeEach(async () => {
  user = await makeUser(harness.db, 'Viewer');
});

test('saves, lists, updates and deletes views of the user without recording events', async () => {
  const eventIdBefore = await readNewestEventId();

  const staleView = await save(view(' stale '));
  const ownView = await save(view('mine', { query: '' }));
  const update = await call(harness.app, 'PUT', `${VIEWS}/${staleView.body.id}`, {
    token: user.token,
    body: view('older', { page: '/' }),
  });

  expect([staleView.status, ownView.status, update.status]).toEqual([201, 201, 200]);
  expect(staleView.body).toEqual({
    id: expect.any(Number),
    ...view('stale'),
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: staleView.body.createdAt,
  });
  expect(update.body).toMatchObject({ ...view('older', { page: '/' }), createdAt: staleView.body.createdAt });
  expect(await list()).toEqual([ownView.body, update.body]);

  const deletion = await call(harness.app, 'DELETE', `${VIEWS}/${ownView.body.id}`, { token: user.token });
  expect([deletion.status, await list()]).toEqual([200, [update.body]]);
  expect(await readNewestEventId()).toBe(eventIdBefore);
});

test("a user cannot see or change a different user's views", async () => {
  const otherUser = await makeUser(harness.db, 'Admin');
  const { id } = (await save(view('mine'))).body;
  const url = `${VIEWS}/${id}`;

  expect(await list(otherUser.token)).toEqual([]);
  expect((await call(harness.app, 'PUT', url, { token: otherUser.token, body: view('x') })).status).toBe(404);
  expect((await call(harness.app, 'DELETE', url, { token: otherUser.token })).status).toBe(404);
  expect((await save(view('mine'), otherUser.token)).status).toBe(201);
  expect(await list()).toHaveLength(1);
});

test('rejects a taken name, even in an update', async () => {
  await save(view('taken'));
  const { id } = (await save(view('free'))).body;

  expect(await save(view('taken '))).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError', message: 'A saved view with the name "taken" already exists.' },
  });
  const rename = await call(harness.app, 'PUT', `${VIEWS}/${id}`, {
    token: user.token,
    body: view('taken'),
  });
  expect(rename.status).toBe(409);
});

test.each([
  ['a blank name', view(' '), '/body/name'],
  ['an invisible name', view('\u200b'), '/body/name'],
  ['a name of 101 characters', view('x'.repeat(101)), '/body/name'],
  ['a URL on a different host', view('x', { page: '//evil.example' }), '/body/page'],
  ['a backslash, which browsers read as a slash', view('x', { page: '/\\evil.example' }), '/body/page'],
  ['a tab, which browsers remove', view('x', { page: '/\t/evil.example' }), '/body/page'],
  ['a page that is not a path', view('x', { page: 'https://evil.example' }), '/body/page'],
  ['a query with a question mark', view('x', { query: '?a=b' }), '/body/query'],
  ['a query of 8,001 characters', view('x', { query: 'q'.repeat(8_001) }), '/body/query'],
  ['no query', { name: 'x', page: '/' }, '/body/query'],
])('rejects a view with %s', async (_, body, path) => {
  expect(await save(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects an admin token and an unknown id', async () => {
  expect(await call(harness.app, 'GET', VIEWS)).toMatchObject({
    status: 403,
    body: { name: 'InvalidOperationError' },
  });
  expect((await call(harness.app, 'POST', VIEWS, { body: view('x') })).status).toBe(403);
  expect((await call(harness.app, 'DELETE', `${VIEWS}/999999`, { token: user.token })).status).toBe(404);
});

test('applies the view limit to concurrent requests', async () => {
  await sql`
    insert into user_views (user_id, name, page, query)
    select ${user.id}, 'view ' || n, '/', '' from generate_series(2, ${MAX_VIEWS}) as n`.execute(harness.db);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${user.id} for update`.execute(blocker);

  const requests = Promise.all([save(view('one')), save(view('two'))]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  const responses = await requests;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(responses.find(({ status }) => status === 400)?.body.name).toBe('ExceedsLimitError');
  expect(await list()).toHaveLength(MAX_VIEWS);
});

test('deleting the user deletes their views', async () => {
  await save(view('mine'));

  await call(harness.app, 'DELETE', `/api/admin/user-admin/${user.id}`);

  const { rows } = await sql`select from user_views where user_id = ${user.id}`.execute(harness.db);
  expect(rows).toEqual([]);
});
