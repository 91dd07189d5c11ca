import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeUser, markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const FEATURES = '/api/admin/projects/default/features';
const OUTDATED = '"an-etag-of-nothing"';

let number = 0;
let name: string;
let featurePath: string;
let environmentPath: string;
let strategyPath: string;

const get = (url: string, headers: Record<string, string> = {}) => call(harness.app, 'GET', url, { headers });
const readEtag = async (url: string) => String((await get(url)).headers.etag);
const send = (
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  etag: string | undefined,
  body?: unknown,
) =>
  call(harness.app, method, url, {
    ...(etag === undefined ? {} : { headers: { 'if-match': etag } }),
    ...(body === undefined ? {} : { body }),
  });

beforeEach(async () => {
  name = `tagged-${++number}`;
  featurePath = `${FEATURES}/${name}`;
  environmentPath = `${featurePath}/environments/development`;
  await call(harness.app, 'POST', FEATURES, { body: { name } });
  const addition = await call(harness.app, 'POST', `${environmentPath}/strategies`, {
    body: { name: 'default' },
  });
  strategyPath = `${environmentPath}/strategies/${addition.body.id}`;
});

test('a response has a strong ETag that stays the same until the resource changes', async () => {
  for (const url of [featurePath, environmentPath, `${environmentPath}/strategies`, strategyPath]) {
    const etagBefore = await readEtag(url);
    expect(etagBefore).toMatch(/^"[\w.-]+"$/);
    expect(await readEtag(url)).toBe(etagBefore);

    await call(harness.app, 'PATCH', strategyPath, {
      body: [{ op: 'add', path: '/title', value: `changed after ${etagBefore.slice(1, 20)}` }],
    });

    expect(await readEtag(url)).not.toBe(etagBefore);
  }
});

test('responds with 304 and no body if If-None-Match has the current ETag', async () => {
  for (const url of [featurePath, environmentPath, `${environmentPath}/strategies`, strategyPath]) {
    const etag = await readEtag(url);

    for (const knownEtags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(url, { 'if-none-match': knownEtags });
      expect([response.status, response.body, response.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await get(url, { 'if-none-match': OUTDATED })).status).toBe(200);
  }
});

test('an SDK request and a new favorite change the response, but an update with the old ETag still succeeds', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const caller = { token: user.token };
  const { headers } = await call(harness.app, 'GET', featurePath, caller);

  await markSeen(harness.db, name);
  await call(harness.app, 'POST', `${featurePath}/favorites`, caller);

  const ifNoneMatch = { 'if-none-match': String(headers.etag) };
  expect((await call(harness.app, 'GET', featurePath, { ...caller, headers: ifNoneMatch })).status).toBe(200);
  const ifMatch = { 'if-match': String(headers.etag) };
  const body = { description: 'still mine' };
  expect((await call(harness.app, 'PUT', featurePath, { ...caller, headers: ifMatch, body })).status).toBe(
    200,
  );
});

const writes: [string, 'POST' | 'PUT' | 'PATCH' | 'DELETE', () => string, () => string[], unknown?][] = [
  ['updates a feature', 'PUT', () => featurePath, () => [featurePath], { description: 'x' }],
  [
    'patches a feature',
    'PATCH',
    () => featurePath,
    () => [featurePath],
    [{ op: 'replace', path: '/stale', value: true }],
  ],
  ['archives a feature', 'DELETE', () => featurePath, () => [featurePath]],
  ['enables a feature', 'POST', () => `${environmentPath}/on`, () => [environmentPath, featurePath]],
  [
    'sorts strategies',
    'POST',
    () => `${environmentPath}/strategies/set-sort-order`,
    () => [`${environmentPath}/strategies`, environmentPath, featurePath],
    () => [{ id: strategyPath.split('/').at(-1), sortOrder: 7 }],
  ],
  [
    'replaces a strategy',
    'PUT',
    () => strategyPath,
    () => [strategyPath, `${environmentPath}/strategies`, environmentPath, featurePath],
    { name: 'default', title: 'new' },
  ],
  [
    'patches a strategy',
    'PATCH',
    () => strategyPath,
    () => [strategyPath, `${environmentPath}/strategies`, environmentPath, featurePath],
    [{ op: 'replace', path: '/disabled', value: true }],
  ],
  [
    'replaces variants',
    'PUT',
    () => `${environmentPath}/variants`,
    () => [environmentPath, featurePath],
    [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
  ],
  [
    'patches variants',
    'PATCH',
    () => `${environmentPath}/variants`,
    () => [environmentPath, featurePath],
    [
      {
        op: 'add',
        path: '/0',
        value: { name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' },
      },
    ],
  ],
  [
    'copies an environment',
    'POST',
    () => `${environmentPath}/copy`,
    () => [environmentPath, featurePath],
    { from: 'production' },
  ],
  [
    'deletes a strategy',
    'DELETE',
    () => strategyPath,
    () => [strategyPath, `${environmentPath}/strategies`, environmentPath, featurePath],
  ],
];
const resolveBody = (body: unknown): unknown => (typeof body === 'function' ? body() : body);

test.each(writes)('%s only if If-Match contains the current ETag', async (_, method, url, sources, body) => {
  const featureBefore = (await get(featurePath)).body;

  const rejection = await send(method, url(), OUTDATED, resolveBody(body));

  expect(rejection).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
  expect(rejection.body.message).toMatch(/has changed since you read it, so the request was not carried out/);
  expect(rejection.body.details[0].path).toBe('/headers/if-match');
  expect((await get(featurePath)).body).toEqual(featureBefore);
  const weak = await send(method, url(), `W/${await readEtag(sources()[0] ?? '')}`, resolveBody(body));
  expect(weak.status).toBe(412);
  expect(weak.body.message).toMatch(/only weak ETags/);

  const response = await send(
    method,
    url(),
    `"other" , ${await readEtag(sources()[0] ?? '')}`,
    resolveBody(body),
  );
  expect(response.status).toBeLessThan(300);
  expect((await get(featurePath)).body).not.toEqual(featureBefore);
});

test.each(writes)('%s with the ETag of the feature', async (_, method, url, sources, body) => {
  const container = sources().at(-1) ?? '';

  const response = await send(method, url(), await readEtag(container), resolveBody(body));

  expect(response.status).toBeLessThan(300);
});

test.each(writes)('%s with If-Match: *', async (_, method, url, _sources, body) => {
  expect((await send(method, url(), '*', resolveBody(body))).status).toBeLessThan(300);
});

test('other errors take precedence over 412', async () => {
  expect((await send('PUT', strategyPath, OUTDATED, { name: 'moonPhase' })).status).toBe(400);
  expect((await send('PUT', `${FEATURES}/nope`, OUTDATED, {})).status).toBe(404);
  expect((await send('PUT', `${FEATURES}/nope`, '*', {})).status).toBe(404);
  const viewer = await makeUser(harness.db, 'Viewer');
  const headers = { 'if-match': OUTDATED };
  expect(
    await call(harness.app, 'PUT', featurePath, { token: viewer.token, headers, body: {} }),
  ).toMatchObject({
    status: 403,
  });
});

test.each(['tag', '"open', '', '"a" b', "'a'"])('rejects If-Match: %s', async header => {
  expect(await send('PUT', featurePath, header, { description: 'x' })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/headers/if-match' }] },
  });
});

test('accepts one of two concurrent writes with the same ETag, and rejects the other with 412', async () => {
  const etag = await readEtag(strategyPath);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = ${name} for update`.execute(blocker);

  const requests = Promise.all(
    ['first', 'second'].map(title => send('PUT', strategyPath, etag, { name: 'default', title })),
  );
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  const responses = await requests;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const winner = responses.find(({ status }) => status === 200);
  expect((await get(strategyPath)).body).toEqual(winner?.body);
});

test('one of two concurrent toggles with the same ETag is rejected with 412', async () => {
  const etag = await readEtag(environmentPath);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = ${name} for update`.execute(blocker);

  const requests = Promise.all([
    send('POST', `${environmentPath}/on`, etag),
    send('POST', `${environmentPath}/on`, etag),
  ]);
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();

  expect((await requests).map(({ status }) => status).toSorted()).toEqual([200, 412]);
});
