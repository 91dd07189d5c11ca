import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeProject, makeScopedToken, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { MAX_PROJECT_VIEWS } from './schema.ts';

const harness = useHarness();
let owner: TestUser;
let member: TestUser;
let viewer: TestUser;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop', name: 'Shop' });
  await makeProject(harness.db, { id: 'hidden', name: 'Hidden', mode: 'private' });
  [owner, member, viewer] = [
    await makeUser(harness.db, 'Viewer', 'ada'),
    await makeUser(harness.db, 'Viewer', 'ben'),
    await makeUser(harness.db, 'Viewer', 'cleo'),
  ];
  await makeMember(harness.db, owner, 'shop', 'Owner');
  await makeMember(harness.db, member, 'shop', 'Member');
});

const viewsPath = (project: string) => `/api/admin/projects/${project}/views`;
const view = (name: string, fields: object = {}) => ({
  name,
  page: '/projects/shop/events',
  query: 'environment=IS:production',
  ...fields,
});
const share = (body: unknown, { token }: TestUser, project = 'shop') =>
  call(harness.app, 'POST', viewsPath(project), { token, body });
const update = (id: number, body: unknown, { token }: { token: string }, project = 'shop', headers = {}) =>
  call(harness.app, 'PUT', `${viewsPath(project)}/${id}`, { token, body, headers });
const remove = (id: number, { token }: { token: string }, project = 'shop') =>
  call(harness.app, 'DELETE', `${viewsPath(project)}/${id}`, { token });
const listNames = async ({ token }: TestUser, project = 'shop') =>
  (await call(harness.app, 'GET', viewsPath(project), { token })).body.views.map(
    (sharedView: { name: string }) => sharedView.name,
  );
const readLastEvent = async () =>
  (
    await sql<{ type: string; project: string; data: object | null; pre_data: object | null }>`
      select type, project, data, pre_data from events order by id desc limit 1`.execute(harness.db)
  ).rows[0];

test('shares a view with everyone who can read the project, and records it', async () => {
  const { status, body } = await share(view(' this week '), member);

  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(Number),
    ...view('this week'),
    createdByUserId: member.id,
    createdBy: 'ben',
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(await listNames(viewer)).toEqual(['this week']);
  expect(await readLastEvent()).toMatchObject({
    type: 'project-view-created',
    project: 'shop',
    data: { id: body.id, ...view('this week') },
  });

  expect((await remove(body.id, member)).status).toBe(200);
  expect(await listNames(viewer)).toEqual([]);
  expect(await readLastEvent()).toMatchObject({
    type: 'project-view-deleted',
    pre_data: { id: body.id, ...view('this week') },
  });
});

test('only the user who shared a view and users who can update the project can delete it', async () => {
  const { id } = (await share(view('mine'), member)).body;

  expect((await remove(id, viewer)).status).toBe(403);
  expect(await listNames(viewer)).toEqual(['mine']);
  expect((await remove(id, owner)).status).toBe(200);
  const byOwner = (await share(view('of the owner'), owner)).body;
  expect((await remove(byOwner.id, member)).status).toBe(403);
  expect((await remove(byOwner.id, { token: ADMIN_TOKEN })).status).toBe(200);
  expect((await remove(byOwner.id, owner)).status).toBe(404);
});

test('the user who shared a view and users who can update the project can update it', async () => {
  const { id } = (await share(view('before'), member)).body;

  expect((await update(id, view('by a viewer'), viewer)).status).toBe(403);
  const updated = await update(id, view(' after ', { query: '' }), member);

  expect(updated.status).toBe(200);
  expect(updated.body).toMatchObject({ id, ...view('after', { query: '' }), createdByUserId: member.id });
  expect(await readLastEvent()).toMatchObject({
    type: 'project-view-updated',
    project: 'shop',
    pre_data: { id, ...view('before') },
    data: { id, ...view('after', { query: '' }) },
  });
  const read = await call(harness.app, 'GET', `${viewsPath('shop')}/${id}`, { token: viewer.token });
  expect(read.body).toEqual(updated.body);
  expect((await update(id, view('by the owner'), owner)).status).toBe(200);
  const headers = { 'if-match': String(read.headers.etag) };
  expect((await update(id, view('too late'), member, 'shop', headers)).status).toBe(412);
  const other = (await share(view('taken'), owner)).body;
  expect((await update(id, view('taken'), member)).status).toBe(409);
  expect((await update(id, view(''), member)).status).toBe(400);
  for (const shared of [id, other.id]) expect((await remove(shared, owner)).status).toBe(200);
  expect((await update(id, view('gone'), member)).status).toBe(404);
  expect((await call(harness.app, 'GET', `${viewsPath('shop')}/${id}`)).status).toBe(404);
});

test('an update that changes nothing records no event', async () => {
  const { id } = (await share(view('same'), member)).body;

  expect((await update(id, view(' same '), member)).status).toBe(200);

  expect(await readLastEvent()).toMatchObject({ type: 'project-view-created' });
  expect((await remove(id, member)).status).toBe(200);
});

test('a scoped token needs UPDATE_PROJECT to update or delete views, even views that its owner shared', async () => {
  const scopedToken = (permissions: string[]) =>
    makeScopedToken(harness.db, owner, { projects: ['shop'], permissions });
  const { id } = (await share(view('scoped'), owner)).body;

  const weakToken = { token: await scopedToken(['CREATE_FEATURE']) };
  expect((await update(id, view('x'), weakToken)).status).toBe(403);
  expect((await remove(id, weakToken)).status).toBe(403);
  const token = { token: await scopedToken(['UPDATE_PROJECT']) };
  expect((await update(id, view('y'), token)).status).toBe(200);
  expect((await remove(id, token)).status).toBe(200);
});

test('sharing requires a user with a permission in the project', async () => {
  expect((await share(view('x'), viewer)).status).toBe(403);
  const byToken = await call(harness.app, 'POST', viewsPath('shop'), { body: view('x') });
  expect(byToken.status).toBe(403);
  expect((await share(view('x'), member, 'hidden')).status).toBe(404);
  expect((await call(harness.app, 'GET', viewsPath('hidden'), { token: viewer.token })).status).toBe(404);
  expect((await call(harness.app, 'GET', viewsPath('unknown'))).status).toBe(404);
});

test('returns 404 for a view of a different project', async () => {
  await makeProject(harness.db, { id: 'other', name: 'Other' });
  const { id } = (await share(view('here'), owner)).body;

  expect((await update(id, view('there'), { token: ADMIN_TOKEN }, 'other')).status).toBe(404);
  expect((await remove(id, { token: ADMIN_TOKEN }, 'other')).status).toBe(404);
  expect((await remove(id, owner)).status).toBe(200);
});

test.each([
  ['', '/events', ''],
  ['x'.repeat(101), '/events', ''],
  ['x', 'https://example.com', ''],
  ['x', '//example.com', ''],
  ['x', `/${'x'.repeat(200)}`, ''],
  ['x', '/events', `?a=b`],
  ['x', '/events', 'x'.repeat(8_001)],
])('rejects the name %j, page %j and query %j with 400', async (name, page, query) => {
  expect((await share({ name, page, query }, owner)).status).toBe(400);
});

test('rejects a taken name with 409, and a view over the limit with 400, even for concurrent requests', async () => {
  await makeProject(harness.db, { id: 'full', name: 'Full' });
  await makeMember(harness.db, owner, 'full', 'Owner');
  for (let count = 1; count < MAX_PROJECT_VIEWS; count++)
    expect((await share(view(`view ${count}`), owner, 'full')).status).toBe(201);

  expect((await share(view('view 1'), owner, 'full')).status).toBe(409);
  const responses = await Promise.all(['a', 'b', 'c'].map(name => share(view(name), owner, 'full')));

  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  expect(responses.find(({ status }) => status === 400)?.body.name).toBe('ExceedsLimitError');
});

test('deleting a project deletes its views', async () => {
  await makeProject(harness.db, { id: 'gone', name: 'Gone' });
  await makeMember(harness.db, owner, 'gone', 'Owner');
  await share(view('x'), owner, 'gone');

  expect((await call(harness.app, 'DELETE', '/api/admin/projects/gone')).status).toBe(200);
  const { rows } = await sql`select from project_views where project = 'gone'`.execute(harness.db);
  expect(rows).toEqual([]);
});
