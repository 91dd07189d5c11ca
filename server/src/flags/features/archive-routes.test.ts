import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const post = (url: string, body?: object, token?: string) =>
  call(harness.app, 'POST', url, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });
const remove = (url: string, token?: string) =>
  call(harness.app, 'DELETE', url, token === undefined ? {} : { token });
const readEventTypes = async (name: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
    .toReversed()
    .map(({ type }: { type: string }) => type);

async function makeFeature(name: string, project = 'default', tags: object[] = []) {
  await post(`/api/admin/projects/${project}/features`, { name, tags });
  return `/api/admin/projects/${project}/features/${name}`;
}

const addParent = (child: string, parent: string) =>
  harness.db.insertInto('feature_dependencies').values({ child, parent }).execute();

test('revives an archived feature without naming its project', async () => {
  const featurePath = await makeFeature('sleeping');
  await remove(featurePath);

  const responses = [
    await post('/api/admin/archive/revive/sleeping'),
    await post('/api/admin/archive/revive/sleeping'),
  ];

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect((await call(harness.app, 'GET', featurePath)).body).toMatchObject({
    archived: false,
    lifecycle: { stage: 'initial' },
  });
  expect(await readEventTypes('sleeping')).toEqual([
    'feature-created',
    'feature-archived',
    'feature-revived',
  ]);
});

test('deletes an archived feature without naming its project, but rejects deleting an active one', async () => {
  const featurePath = await makeFeature('leaving', 'default', [{ type: 'simple', value: 'on-the-way' }]);

  const rejection = await remove('/api/admin/archive/leaving');
  await remove(featurePath);
  const responses = [await remove('/api/admin/archive/leaving'), await remove('/api/admin/archive/leaving')];

  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(responses.map(({ status }) => status)).toEqual([200, 404]);
  const [lastEvent] = (await call(harness.app, 'GET', '/api/admin/search/events?feature=IS:leaving')).body
    .events;
  expect(lastEvent).toMatchObject({
    type: 'feature-deleted',
    project: 'default',
    preData: { name: 'leaving' },
    tags: [{ type: 'simple', value: 'on-the-way' }],
  });
});

test('checks the permission in the project that has the feature, and returns 404 if the caller cannot read it', async () => {
  const project = await makeProject(harness.db, { mode: 'private' });
  const [member, viewer] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, member, project.id, 'Member');
  await remove(await makeFeature('members-own', project.id));
  await remove(await makeFeature('of-default'));

  expect((await post('/api/admin/archive/revive/members-own', undefined, viewer.token)).status).toBe(404);
  expect((await remove('/api/admin/archive/members-own', viewer.token)).status).toBe(404);
  expect((await post('/api/admin/archive/revive/of-default', undefined, member.token)).status).toBe(403);
  expect((await remove('/api/admin/archive/of-default', member.token)).status).toBe(403);
  expect((await remove('/api/admin/archive/members-own', member.token)).status).toBe(200);
});

test('previews which parents would lose active children and whether dependencies would be removed', async () => {
  for (const name of ['grown', 'child-1', 'child-2', 'alone']) await makeFeature(name);
  await addParent('child-1', 'grown');
  await addParent('child-2', 'grown');
  const check = (features: string[]) => post('/api/admin/projects/default/archive/validate', { features });

  expect((await check(['alone'])).body).toEqual({
    parentsWithChildFeatures: [],
    hasDeletedDependencies: false,
  });
  expect((await check(['grown', 'child-1'])).body).toEqual({
    parentsWithChildFeatures: ['grown'],
    hasDeletedDependencies: true,
  });
  expect((await check(['child-1', 'grown', 'child-2'])).body).toEqual({
    parentsWithChildFeatures: [],
    hasDeletedDependencies: true,
  });
  expect((await check(['alone', 'nowhere'])).status).toBe(404);
  expect((await check(['alone', 'alone'])).status).toBe(400);
  expect(await readEventTypes('grown')).toEqual(['feature-created']);
});
