import { expect, test } from 'vitest';
import { readApiDocument } from '../../../../../server/src/test/api-document.ts';
import { makeProject, makeUser } from '../../../../../server/src/test/factories.ts';
import { useHarness } from '../../../../../server/src/test/harness.ts';
import { call } from '../../../../../server/src/test/request.ts';
import type { App } from '../app.ts';
import { makeBuckets } from './rate-limit.ts';

const harness = useHarness();
// Slow enough that nothing is refilled while a test runs.
const LOW = { writeLimit: { perMinute: 1, burst: 12 } };

const newTag = (app: App, token: string, value: string) =>
  call(app, 'POST', '/api/admin/tags', { token, body: { type: 'simple', value } });

test('rejects only the writes of the caller that exceeds the burst, with 429 and Retry-After', async () => {
  const app = await harness.secondServer(LOW);
  const [viewer, other] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];

  const statuses = [];
  for (const value of ['one', 'two', 'three']) statuses.push((await newTag(app, viewer.token, value)).status);
  const rejected = await newTag(app, viewer.token, 'four');
  const readResponse = await call(app, 'GET', '/api/admin/tags', { token: viewer.token });

  expect(statuses).toEqual([201, 201, 429]);
  expect(rejected).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(rejected.body.message).toMatch(/^Too many writes: this server accepts 1 per minute/);
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(60);
  expect(readResponse.status).toBe(200);
  expect((await newTag(app, other.token, 'four')).status).toBe(201);
});

test('counts all tokens of a user together, and counts invalid requests too', async () => {
  const app = await harness.secondServer({ writeLimit: { perMinute: 1, burst: 3 } });
  const user = await makeUser(harness.db, 'Editor');
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const post = (token: string, description: string) =>
    call(app, 'POST', '/api/admin/user/tokens', { token, body: { description, expiresAt } });

  const { secret } = (await post(user.token, 'second')).body;
  const statuses = [
    (await post(secret, '')).status,
    (await post(user.token, 'third')).status,
    (await post(secret, 'fourth')).status,
  ];

  expect(statuses).toEqual([400, 201, 429]);
});

test.each([
  ['favorites', 5, (project: string) => ['POST', `projects/${project}/favorites`, undefined] as const],
  ['tags', 5, () => ['POST', 'tags', { type: 'simple', value: 'costly' }] as const],
  [
    'exports',
    20,
    (project: string) => ['POST', 'features-batch/export', { environment: 'development', project }] as const,
  ],
])('%s count as %i writes', async (_name, cost, request) => {
  const app = await harness.secondServer({ writeLimit: { perMinute: 1, burst: cost * 2 - 1 } });
  const { token } = await makeUser(harness.db, 'Viewer');
  const { id } = await makeProject(harness.db);
  const [method, path, body] = request(id);
  const send = async () => (await call(app, method, `/api/admin/${path}`, { token, body })).status;

  expect(await send()).not.toBe(429);
  expect(await send()).toBe(429);
});

test('adding a favorite again, or removing a missing one, writes no event', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const { id } = await makeProject(harness.db);
  await call(harness.app, 'POST', `/api/admin/projects/${id}/features`, { body: { name: 'starred' } });
  const paths = [`projects/${id}/favorites`, `projects/${id}/features/starred/favorites`];

  for (const path of paths)
    for (const method of ['DELETE', 'POST', 'POST', 'POST', 'DELETE', 'DELETE'] as const)
      expect((await call(harness.app, method, `/api/admin/${path}`, { token })).status).toBe(200);

  const { events } = (await call(harness.app, 'GET', `/api/admin/search/events?project=IS:${id}`)).body;
  expect(
    events.map(({ type }: { type: string }) => type).filter((type: string) => type.includes('favorited')),
  ).toEqual(['feature-unfavorited', 'feature-favorited', 'project-unfavorited', 'project-favorited']);
});

test('creating a tag that exists writes no event', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const statuses = [];
  for (let attempt = 0; attempt < 3; attempt++)
    statuses.push((await newTag(harness.app, token, 'repeated')).status);

  const { total } = (
    await call(harness.app, 'GET', '/api/admin/search/events?type=IS:tag-created&query=repeated')
  ).body;
  expect(statuses).toEqual([201, 409, 409]);
  expect(total).toBe(1);
});

test('a bucket refills over time, but never beyond the burst', () => {
  let now = 0;
  const take = makeBuckets({ perMinute: 60, burst: 2 }, () => now);

  expect([take('a', 1), take('a', 1), take('a', 1)]).toEqual([0, 0, 1]);
  now += 1_000;
  expect([take('a', 1), take('a', 1)]).toEqual([0, 1]);
  now += 3_600_000;
  expect([take('a', 1), take('a', 1), take('a', 1)]).toEqual([0, 0, 1]);
  expect(take('b', 1)).toBe(0);
});

test('a request that costs more than the burst needs a full bucket', () => {
  let now = 0;
  const take = makeBuckets({ perMinute: 60, burst: 3 }, () => now);

  expect([take('a', 20), take('a', 20)]).toEqual([0, 3]);
  now += 3_000;
  expect(take('a', 20)).toBe(0);
});

test('remembers a bounded number of callers, and forgets the caller that was idle longest', () => {
  const take = makeBuckets({ perMinute: 1, burst: 1 }, () => 0, 2);

  expect([take('a', 1), take('b', 1), take('a', 1)]).toEqual([0, 0, 60]);
  // The third caller evicts b.
  expect([take('c', 1), take('a', 1), take('b', 1)]).toEqual([0, 60, 0]);
});

test('the API document lists 429 with Retry-After for every write that requires authentication', () => {
  type DescribedOperation = { 'x-permission'?: unknown; responses: Record<string, { headers?: object }> };
  const { paths } = readApiDocument<{ paths: Record<string, Record<string, DescribedOperation>> }>();
  const writes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method, operation]) => method !== 'get' && operation['x-permission'] !== undefined)
      .map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );

  expect(writes.length).toBeGreaterThan(100);
  expect(
    writes
      .filter(({ operation }) => operation.responses['429']?.headers === undefined)
      .map(({ name }) => name),
  ).toEqual([]);
});
