import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const OUTDATED = { 'if-match': '"an-etag-of-nothing"' };
let segmentCount = 0;
let url: string;
let body: { name: string; constraints: object[] };

beforeEach(async () => {
  body = { name: `segment-${++segmentCount}`, constraints: [] };
  const created = await call(harness.app, 'POST', '/api/admin/segments', { body });
  url = `/api/admin/segments/${created.body.id}`;
});

const readEtag = async () => String((await call(harness.app, 'GET', url)).headers.etag);
const update = (description: string, etag: string) =>
  call(harness.app, 'PUT', url, { body: { ...body, description }, headers: { 'if-match': etag } });

test('updates and deletes a segment only if If-Match has its ETag', async () => {
  const firstEtag = await readEtag();
  expect((await update('first', firstEtag)).status).toBe(204);

  expect(await update('second', firstEtag)).toMatchObject({
    status: 412,
    body: { name: 'PreconditionFailedError', message: expect.stringMatching(/^Segment \d+ has changed/) },
  });
  expect((await call(harness.app, 'DELETE', url, { headers: { 'if-match': firstEtag } })).status).toBe(412);
  expect((await call(harness.app, 'GET', url)).body.description).toBe('first');

  const headers = { 'if-match': await readEtag() };
  expect((await call(harness.app, 'DELETE', url, { headers })).status).toBe(204);
});

test('responds with 304 to the current ETag, and using the segment in a strategy does not make an update fail', async () => {
  const etag = await readEtag();
  const requestWithEtag = { headers: { 'if-none-match': etag } };
  expect((await call(harness.app, 'GET', url, requestWithEtag)).status).toBe(304);
  const features = '/api/admin/projects/default/features';
  await call(harness.app, 'POST', features, { body: { name: body.name } });

  await call(harness.app, 'POST', `${features}/${body.name}/environments/development/strategies`, {
    body: { name: 'default', segments: [Number(url.split('/').at(-1))] },
  });

  const response = await call(harness.app, 'GET', url, requestWithEtag);
  expect([response.status, response.body.usedInFeatures]).toEqual([200, 1]);
  expect((await update('used', etag)).status).toBe(204);
});

test('other rejections take precedence over 412', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const request = (headers: Record<string, string>) =>
    call(harness.app, 'PUT', url, { token, body, headers });

  expect((await request(OUTDATED)).status).toBe(403);

  const { id } = await makeProject(harness.db, { mode: 'private' });
  await call(harness.app, 'PUT', url, { body: { ...body, project: id } });
  expect((await request(OUTDATED)).status).toBe(404);
});

test('one of two concurrent writers with the same ETag gets 412', async () => {
  const etag = await readEtag();
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from segments where name = ${body.name} for update`.execute(blocker);

  const responses = Promise.all([update('first', etag), update('second', etag)]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  expect((await responses).map(({ status }) => status).toSorted()).toEqual([204, 412]);
});
