import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { MAX_KEYS, MAX_STORED_BODY_BYTES, MAX_STORED_BYTES } from './limits.ts';

const harness = useHarness();

let number = 0;
const makeKeyHeader = (): { 'idempotency-key': string } => ({ 'idempotency-key': `key-${++number}` });

const post = (
  url: string,
  body: object,
  token: string,
  headers: Record<string, string>,
): Promise<ApiResponse> => call(harness.app, 'POST', `/api/admin/${url}`, { body, token, headers });

/** Creates a user with a role in a project of the given mode, and returns the user with the request that creates a flag there. */
async function setUpMember(mode: 'open' | 'private', role: 'Member' | 'Owner' = 'Member') {
  const user = await makeUser(harness.db, 'Viewer');
  const { id } = await makeProject(harness.db, { mode });
  await makeMember(harness.db, user, id, role);
  const headers = makeKeyHeader();
  const create = (): Promise<ApiResponse> =>
    post(`projects/${id}/features`, { name: `${id}-flag` }, user.token, headers);
  return { user, project: id, headers, create };
}

const removeFrom = ({ id }: TestUser, project: string) =>
  sql`delete from user_roles where user_id = ${id} and project = ${project}`.execute(harness.db);

test('a retried export runs again, and returns 404 after the caller is removed from the private project', async () => {
  const { user, project, create, headers } = await setUpMember('private');
  await create();
  const retryHeaders = { ...headers, ...makeKeyHeader() };
  const request = () =>
    post(
      'features-batch/export',
      { features: [`${project}-flag`], environment: 'development' },
      user.token,
      retryHeaders,
    );
  const first = await request();
  await removeFrom(user, project);

  expect(first.status).toBe(200);
  expect((await request()).status).toBe(404);
});

test('a replay also requires a permission that the operation itself checks', async () => {
  const { user, project } = await setUpMember('private');
  const source = await makeProject(harness.db);
  await makeMember(harness.db, user, source.id, 'Member');
  const { token } = user;
  await post(`projects/${source.id}/features`, { name: `${source.id}-flag` }, token, makeKeyHeader());
  const headers = makeKeyHeader();
  const clone = () =>
    post(
      `projects/${source.id}/features/${source.id}-flag/clone`,
      { name: `${project}-copy`, project },
      token,
      headers,
    );
  const [first, second] = [await clone(), await clone()];
  await removeFrom(user, project);

  const retryAfterChange = await clone();

  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect(retryAfterChange).toMatchObject({ status: 409, body: { name: 'AlreadyCarriedOutError' } });
  expect(JSON.stringify(retryAfterChange.body)).not.toContain(project);
});

test('a replay is rejected after the project in its response becomes private', async () => {
  const user = await makeUser(harness.db, 'Viewer');
  const { id } = await makeProject(harness.db, { mode: 'open' });
  const otherProject = await makeProject(harness.db);
  await makeMember(harness.db, user, otherProject.id, 'Member');
  await call(harness.app, 'POST', `/api/admin/projects/${id}/features`, { body: { name: `${id}-source` } });
  const headers = makeKeyHeader();
  const clone = () =>
    post(
      `projects/${otherProject.id}/features/${id}-source/clone`,
      { name: `${otherProject.id}-copy` },
      user.token,
      headers,
    );
  const first = await clone();
  await call(harness.app, 'PUT', `/api/admin/projects/${id}`, {
    body: { name: 'now private', mode: 'private' },
  });

  expect(first.status).toBe(200);
  expect((await clone()).status).toBe(409);
});

test("a replay is rejected after the caller's role loses a permission", async () => {
  const role = await call(harness.app, 'POST', '/api/admin/roles', {
    body: { name: 'Segments', type: 'root-custom', permissions: [{ name: 'CREATE_SEGMENT' }] },
  });
  const user = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'PUT', `/api/admin/user-admin/${user.id}`, {
    body: { rootRole: role.body.roles.id },
  });
  const headers = makeKeyHeader();
  const create = () => post('segments', { name: 'of a role', constraints: [] }, user.token, headers);
  const [first, second] = [await create(), await create()];
  await call(harness.app, 'PUT', `/api/admin/roles/${role.body.roles.id}`, {
    body: { name: 'Segments', permissions: [] },
  });

  const retryAfterChange = await create();

  expect([first.status, second.status]).toEqual([201, 201]);
  expect(retryAfterChange.status).toBe(409);
});

test('replays still work after the caller is granted another role, even by the request itself', async () => {
  const user = await makeUser(harness.db, 'Editor');
  const headers = makeKeyHeader();
  const create = () => post('projects', { name: 'Mine', id: 'mine-by-key' }, user.token, headers);
  const [first, second] = [await create(), await create()];
  const { id } = await makeProject(harness.db, { mode: 'private' });
  await makeMember(harness.db, user, id, 'Reader');

  const third = await create();
  await removeFrom(user, 'mine-by-key');
  const fourth = await create();

  expect([first.status, second.status, third.status, fourth.status]).toEqual([201, 201, 201, 409]);
});

test('a response above the size limit is not stored, and the request is not carried out twice', async () => {
  const { create, headers } = await setUpMember('open');
  const user = await makeUser(harness.db, 'Admin');
  const { id } = await makeProject(harness.db);
  const legalValues = Array.from({ length: 800 }, (_, index) => ({
    value: `${index}`,
    description: 'x'.repeat(90),
  }));
  const retryHeaders = { ...headers, ...makeKeyHeader() };
  const request = () =>
    post(`projects/${id}/context`, { name: `${id}-field`, legalValues }, user.token, retryHeaders);
  const [first, second] = [await request(), await request()];

  expect(JSON.stringify(first.body).length).toBeGreaterThan(MAX_STORED_BODY_BYTES);
  expect(first.status).toBe(201);
  expect(second).toMatchObject({ status: 409, body: { name: 'AlreadyCarriedOutError' } });
  expect((await create()).status).toBe(201);
});

test('a rejection with hundreds of reasons is short enough to be stored', async () => {
  const { token } = await makeUser(harness.db, 'Admin');
  const { id } = await makeProject(harness.db);
  const headers = makeKeyHeader();
  const names = Array.from({ length: 900 }, (_, index) => `${'missing-'.repeat(11)}${index}`);
  const request = () => post(`projects/${id}/archive`, { features: names }, token, headers);

  const [first, second] = [await request(), await request()];

  expect(first.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(first.body).length).toBeLessThan(MAX_STORED_BODY_BYTES);
  expect(second).toMatchObject({ status: first.status, body: { id: first.body.id } });
});

const setUsage = (keys: number, bytes: number) =>
  sql`update idempotency_usage set keys = ${keys}, bytes = ${bytes}`.execute(harness.db);

test('beyond the daily limit of stored bytes, responses are not stored, but nothing runs twice', async () => {
  const { create, headers, user, project } = await setUpMember('open');
  await create();
  await setUsage(1, MAX_STORED_BYTES);
  const retryHeaders = { ...headers, ...makeKeyHeader() };
  const request = () =>
    post(`projects/${project}/features`, { name: `${project}-2` }, user.token, retryHeaders);

  const [first, second] = [await request(), await request()];

  expect([first.status, second.status]).toEqual([201, 409]);
  expect(second.body.name).toBe('AlreadyCarriedOutError');
});

test('beyond the daily limit of keys, a new key is rejected with 429, and a known one still works', async () => {
  const { create, headers, user, project } = await setUpMember('open');
  const otherMember = await setUpMember('open');
  await create();
  await setUsage(MAX_KEYS, 0);

  const rejection = await post(`projects/${project}/features`, { name: `${project}-3` }, user.token, {
    ...headers,
    ...makeKeyHeader(),
  });

  expect(rejection).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(Number(rejection.headers['retry-after'])).toBeGreaterThan(86_000);
  expect((await create()).headers['idempotent-replayed']).toBe('true');
  expect((await otherMember.create()).status).toBe(201);
  expect(
    (await call(harness.app, 'GET', `/api/admin/projects/${project}/features/${project}-3`)).status,
  ).toBe(404);
});

test('the daily limits reset after a day', async () => {
  const { create, headers, user, project } = await setUpMember('open');
  await create();
  await setUsage(MAX_KEYS, MAX_STORED_BYTES);
  await sql`update idempotency_usage set ends_at = now()`.execute(harness.db);
  const retryHeaders = { ...headers, ...makeKeyHeader() };
  const request = () =>
    post(`projects/${project}/features`, { name: `${project}-4` }, user.token, retryHeaders);

  expect([(await request()).status, (await request()).status]).toEqual([201, 201]);
});
