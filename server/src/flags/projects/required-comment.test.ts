import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const REASON = { 'halyard-comment': 'See INC-1234' };
const PROJECT_PATH = '/api/admin/projects/strict';
const FEATURES_PATH = `${PROJECT_PATH}/features`;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const send = (method: Method, url: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(harness.app, method, url, { headers, ...(body === undefined ? {} : { body }) });

async function readLastEventId(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db);
  return rows[0]?.id ?? 0;
}

beforeAll(async () => {
  await makeProject(harness.db, { id: 'strict', name: 'Strict' });
  await makeProject(harness.db, { id: 'relaxed', name: 'Relaxed' });
  for (const name of ['strict.one', 'strict.two', 'strict.parent', 'strict.moved'])
    await makeFeature(harness.db, 'strict', { name });
  for (const name of ['relaxed.one', 'relaxed.tagged']) await makeFeature(harness.db, 'relaxed', { name });
  const { status } = await send('PUT', `${PROJECT_PATH}/settings`, { requireComment: true });
  expect(status).toBe(200);
});

const WRITES: [string, Method, string, unknown?][] = [
  ['create', 'POST', FEATURES_PATH, { name: 'strict.new' }],
  ['update', 'PUT', `${FEATURES_PATH}/strict.one`, { description: 'x', type: 'release' }],
  ['patch', 'PATCH', `${FEATURES_PATH}/strict.one`, [{ op: 'replace', path: '/description', value: 'y' }]],
  [
    'add a strategy',
    'POST',
    `${FEATURES_PATH}/strict.one/environments/production/strategies`,
    { name: 'default' },
  ],
  ['enable', 'POST', `${FEATURES_PATH}/strict.one/environments/production/on`],
  [
    'replace strategies',
    'PUT',
    `${FEATURES_PATH}/strict.one/environments/production/strategies`,
    [{ name: 'default' }],
  ],
  [
    'enable many',
    'POST',
    `${PROJECT_PATH}/bulk_features/environments/development/on`,
    { features: ['strict.one'] },
  ],
  ['tag', 'POST', '/api/admin/features/strict.one/tags', { type: 'simple', value: 'reasoned' }],
  ['link', 'POST', `${FEATURES_PATH}/strict.one/link`, { url: 'https://example.com/1', title: 'Ticket' }],
  ['add a parent', 'POST', `${FEATURES_PATH}/strict.one/dependencies`, { feature: 'strict.parent' }],
  ['set owners', 'PUT', `${FEATURES_PATH}/strict.one/owners`, { owners: [] }],
  ['mark as stale', 'POST', `${PROJECT_PATH}/stale`, { features: ['strict.two'], stale: true }],
  [
    'clone into the project',
    'POST',
    '/api/admin/projects/relaxed/features/relaxed.one/clone',
    { name: 'strict.clone', project: 'strict' },
  ],
  [
    'move into the project',
    'POST',
    '/api/admin/projects/relaxed/features/relaxed.one/changeProject',
    { newProjectId: 'strict' },
  ],
  [
    'move out of the project',
    'POST',
    `${FEATURES_PATH}/strict.moved/changeProject`,
    { newProjectId: 'relaxed' },
  ],
  ['archive', 'DELETE', `${FEATURES_PATH}/strict.two`],
  ['revive', 'POST', '/api/admin/archive/revive/strict.two'],
];

test.each(WRITES)('requires a comment: %s', async (operation, method, url, body) => {
  const lastIdBefore = await readLastEventId();

  const withoutComment = await send(method, url, body);

  // Setting the same owners changes nothing, so it needs no comment.
  if (operation === 'set owners') expect(withoutComment.status).toBe(200);
  else {
    expect(withoutComment.status).toBe(400);
    expect(withoutComment.body.details).toEqual([
      {
        message: expect.stringMatching(
          /^Project "strict" requires a reason .* in the Halyard-Comment header/,
        ),
        path: '/headers/halyard-comment',
      },
    ]);
  }
  expect(await readLastEventId()).toBe(lastIdBefore);

  const { status } = await send(method, url, body, REASON);
  expect(status).toBeLessThan(300);
});

test('an import without a comment is rejected and changes nothing', async () => {
  const { body: data } = await send('POST', '/api/admin/features-batch/export', {
    environment: 'production',
    features: ['relaxed.tagged'],
  });
  const renamedData = JSON.parse(JSON.stringify(data).replaceAll('relaxed.tagged', 'strict.imported'));
  const body = { project: 'strict', environment: 'production', data: renamedData };

  expect((await send('POST', '/api/admin/features-batch/import', body)).status).toBe(400);
  expect((await send('GET', `${FEATURES_PATH}/strict.imported`)).status).toBe(404);
  expect((await send('POST', '/api/admin/features-batch/import', body, REASON)).status).toBeLessThan(300);
  expect((await send('GET', `${FEATURES_PATH}/strict.imported`)).status).toBe(200);
});

test('a request that changes flags of several projects needs a comment if one of them requires it', async () => {
  const tag = { type: 'simple', value: 'everywhere' };
  await send('POST', '/api/admin/features/relaxed.tagged/tags', tag);
  await send('POST', '/api/admin/features/strict.parent/tags', tag, REASON);

  const withoutComment = await send('DELETE', '/api/admin/tags/simple/everywhere');

  expect(withoutComment.status).toBe(400);
  const { body } = await send('GET', '/api/admin/features/relaxed.tagged/tags');
  expect(body.tags).toContainEqual(tag);
  expect((await send('DELETE', '/api/admin/tags/simple/everywhere', undefined, REASON)).status).toBe(200);
});

test('flags of other projects, favorites and settings need no comment', async () => {
  const { token } = await makeUser(harness.db, 'Admin');
  const favorite = await call(harness.app, 'POST', `${FEATURES_PATH}/strict.parent/favorites`, { token });
  const otherProject = await send('POST', '/api/admin/projects/relaxed/features', { name: 'relaxed.new' });
  const settings = await send('PUT', `${PROJECT_PATH}/settings`, { featureLimit: 500 });

  expect([favorite.status, otherProject.status, settings.status]).toEqual([200, 201, 200]);
});

test('changes by the server itself need no comment', async () => {
  const lastIdBefore = await readLastEventId();

  await change(harness.db, SYSTEM, async ({ record }) =>
    record({ type: 'feature-potentially-stale-on', project: 'strict', featureName: 'strict.one' }),
  );

  expect(await readLastEventId()).toBeGreaterThan(lastIdBefore);
});

test('returns the setting with the project and records disabling it', async () => {
  const lastIdBefore = await readLastEventId();

  const rejection = await send('PUT', `${PROJECT_PATH}/settings`, { requireComment: 'yes' });
  const { body } = await send('PUT', `${PROJECT_PATH}/settings`, { requireComment: false });

  expect(rejection.status).toBe(400);
  expect(body.requireComment).toBe(false);
  const { rows } = await sql<{ type: string; after: boolean; before: boolean }>`
    select type, data -> 'requireComment' as after, pre_data -> 'requireComment' as before
    from events where id > ${lastIdBefore}`.execute(harness.db);
  expect(rows).toEqual([{ type: 'project-updated', after: false, before: true }]);
  expect((await send('POST', FEATURES_PATH, { name: 'strict.silent' })).status).toBe(201);
});
