import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';

const harness = useHarness();
const PROJECTS_PATH = '/api/admin/projects';

let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  [ann, bob] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
});

const favorite = (path: string, user: TestUser, method: 'POST' | 'DELETE' = 'POST'): Promise<ApiResponse> =>
  call(harness.app, method, `${PROJECTS_PATH}/${path}/favorites`, { token: user.token });
const makeFeature = async (name: string, project = 'default') =>
  await call(harness.app, 'POST', `${PROJECTS_PATH}/${project}/features`, { body: { name } });
const readAs = async (path: string, user: TestUser) =>
  (await call(harness.app, 'GET', `${PROJECTS_PATH}/${path}`, { token: user.token })).body;
const readEvents = async (filter: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${filter}`)).body.events.toReversed();

test('a feature is a favorite only of the user who added it, and adding it again changes nothing', async () => {
  await makeFeature('starred');
  const feature = 'default/features/starred';

  const responses = [await favorite(feature, ann), await favorite(feature, ann)];
  const favorites = [(await readAs(feature, ann)).favorite, (await readAs(feature, bob)).favorite];
  const listedFeatures = (await readAs('default/features', ann)).features;
  const removals = [await favorite(feature, ann, 'DELETE'), await favorite(feature, ann, 'DELETE')];

  expect([...responses, ...removals].map(({ status, body }) => [status, body])).toEqual(
    Array(4).fill([200, '']),
  );
  expect(favorites).toEqual([true, false]);
  expect(listedFeatures).toContainEqual(expect.objectContaining({ name: 'starred', favorite: true }));
  expect(await readAs(feature, ann)).toMatchObject({ favorite: false });
  const eventFields = {
    project: 'default',
    createdByUserId: ann.id,
    data: { feature: 'starred' },
    preData: null,
  };
  expect((await readEvents('feature=IS:starred')).slice(1)).toMatchObject([
    { type: 'feature-favorited', ...eventFields },
    { type: 'feature-unfavorited', ...eventFields },
  ]);
});

test('adding a favorite does not make a user a collaborator', async () => {
  await makeFeature('admired');

  await favorite('default/features/admired', ann);

  const { collaborators } = await readAs('default/features/admired', ann);
  expect(collaborators.users.map(({ id }: { id: number }) => id)).toEqual([-42]);
});

test('a project is a favorite only of the user who added it, in the list and in the project itself', async () => {
  const { id } = await makeProject(harness.db);

  const responses = [await favorite(id, ann), await favorite(id, ann)];
  const favorites = [(await readAs(id, ann)).favorite, (await readAs(id, bob)).favorite];
  const listedProjects = (await call(harness.app, 'GET', PROJECTS_PATH, { token: ann.token })).body.projects;
  const removals = [await favorite(id, ann, 'DELETE'), await favorite(id, ann, 'DELETE')];

  expect([...responses, ...removals].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(favorites).toEqual([true, false]);
  expect(listedProjects).toContainEqual(expect.objectContaining({ id, favorite: true }));
  expect((await readEvents(`project=IS:${id}`)).slice(1)).toMatchObject([
    { type: 'project-favorited', createdByUserId: ann.id, data: { project: id } },
    { type: 'project-unfavorited', createdByUserId: ann.id, data: { project: id } },
  ]);
});

test('the event of a changed project does not contain favorites', async () => {
  const { id } = await makeProject(harness.db);
  await makeMember(harness.db, ann, id, 'Owner');
  await favorite(id, ann);

  await call(harness.app, 'PUT', `${PROJECTS_PATH}/${id}`, { token: ann.token, body: { name: 'Renamed' } });

  const [event] = (await readEvents(`project=IS:${id}`)).toReversed();
  expect(event).toMatchObject({ type: 'project-updated', data: { name: 'Renamed' } });
  expect(event.data).not.toHaveProperty('favorite');
});

test('an admin token cannot add favorites', async () => {
  await makeFeature('unstarred');

  for (const path of ['default/features/unstarred', 'default']) {
    expect(await call(harness.app, 'POST', `${PROJECTS_PATH}/${path}/favorites`)).toMatchObject({
      status: 403,
      body: { name: 'InvalidOperationError', message: expect.stringContaining('requires a user') },
    });
  }
});

test('returns 404 for a feature or project that does not exist or is hidden from the caller', async () => {
  const { id } = await makeProject(harness.db, { mode: 'private' });
  await makeFeature('hidden', id);

  const responses = [
    await favorite('default/features/nowhere', ann),
    await favorite('default/features/hidden', ann),
    await favorite(`${id}/features/hidden`, ann),
    await favorite(id, ann),
    await favorite('nowhere', ann),
  ];

  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(404));
  await makeMember(harness.db, bob, id, 'Reader');
  expect((await favorite(`${id}/features/hidden`, bob)).status).toBe(200);
});

test('records nothing if a concurrent transaction adds the same favorite first', async () => {
  await makeFeature('raced');

  const response = await duringTransaction(
    harness.db,
    tx => tx.insertInto('favorite_features').values({ user_id: ann.id, feature_name: 'raced' }).execute(),
    () => favorite('default/features/raced', ann),
  );

  expect(response.status).toBe(200);
  expect(await readEvents('feature=IS:raced')).toHaveLength(1);
});

test('rejects a favorite if the feature is concurrently moved or the project concurrently deleted', async () => {
  const { id } = await makeProject(harness.db);
  await makeFeature('leaving');

  const moveRejection = await duringTransaction(
    harness.db,
    tx => sql`update features set project = ${id} where name = 'leaving'`.execute(tx),
    () => favorite('default/features/leaving', ann),
  );
  await sql`update features set project = 'default' where name = 'leaving'`.execute(harness.db);
  const deletionRejection = await duringTransaction(
    harness.db,
    tx => sql`delete from projects where id = ${id}`.execute(tx),
    () => favorite(id, ann),
  );

  expect(moveRejection.status).toBe(404);
  expect(deletionRejection).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
});
