import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeUser, markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();
const FEATURES = '/api/admin/projects/default/features';
const OUTDATED = '"an-etag-of-nothing"';

let number = 0;
let name: string;
let feature: string;
let here: string;
let strategy: string;

const get = (url: string, headers: Record<string, string> = {}) => call(harness.app, 'GET', url, { headers });
const etagOf = async (url: string) => String((await get(url)).headers.etag);
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
  feature = `${FEATURES}/${name}`;
  here = `${feature}/environments/development`;
  await call(harness.app, 'POST', FEATURES, { body: { name } });
  const added = await call(harness.app, 'POST', `${here}/strategies`, { body: { name: 'default' } });
  strategy = `${here}/strategies/${added.body.id}`;
});

test('a response has a strong ETag that stays the same until somebody changes the resource', async () => {
  for (const url of [feature, here, `${here}/strategies`, strategy]) {
    const before = await etagOf(url);
    expect(before).toMatch(/^"[\w.-]+"$/);
    expect(await etagOf(url)).toBe(before);

    await call(harness.app, 'PATCH', strategy, {
      body: [{ op: 'add', path: '/title', value: `changed after ${before.slice(1, 20)}` }],
    });

    expect(await etagOf(url)).not.toBe(before);
  }
});

test('responds with 304 without a body to the ETag of the current state', async () => {
  for (const url of [feature, here, `${here}/strategies`, strategy]) {
    const etag = await etagOf(url);

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(url, { 'if-none-match': known });
      expect([response.status, response.body, response.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await get(url, { 'if-none-match': OUTDATED })).status).toBe(200);
  }
});

test('an SDK request and a favorite change the response, but do not make an update fail', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const as = { token: user.token };
  const { headers } = await call(harness.app, 'GET', feature, as);

  await markSeen(harness.db, name);
  await call(harness.app, 'POST', `${feature}/favorites`, as);

  const known = { 'if-none-match': String(headers.etag) };
  expect((await call(harness.app, 'GET', feature, { ...as, headers: known })).status).toBe(200);
  const expected = { 'if-match': String(headers.etag) };
  const body = { description: 'still mine' };
  expect((await call(harness.app, 'PUT', feature, { ...as, headers: expected, body })).status).toBe(200);
});

const writes: [string, 'POST' | 'PUT' | 'PATCH' | 'DELETE', () => string, () => string[], unknown?][] = [
  ['updates a feature', 'PUT', () => feature, () => [feature], { description: 'x' }],
  [
    'patches a feature',
    'PATCH',
    () => feature,
    () => [feature],
    [{ op: 'replace', path: '/stale', value: true }],
  ],
  ['archives a feature', 'DELETE', () => feature, () => [feature]],
  ['enables a feature', 'POST', () => `${here}/on`, () => [here, feature]],
  [
    'sorts strategies',
    'POST',
    () => `${here}/strategies/set-sort-order`,
    () => [`${here}/strategies`, here, feature],
    () => [{ id: strategy.split('/').at(-1), sortOrder: 7 }],
  ],
  [
    'replaces a strategy',
    'PUT',
    () => strategy,
    () => [strategy, `${here}/strategies`, here, feature],
    { name: 'default', title: 'new' },
  ],
  [
    'patches a strategy',
    'PATCH',
    () => strategy,
    () => [strategy, `${here}/strategies`, here, feature],
    [{ op: 'replace', path: '/disabled', value: true }],
  ],
  [
    'replaces variants',
    'PUT',
    () => `${here}/variants`,
    () => [here, feature],
    [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
  ],
  [
    'patches variants',
    'PATCH',
    () => `${here}/variants`,
    () => [here, feature],
    [
      {
        op: 'add',
        path: '/0',
        value: { name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' },
      },
    ],
  ],
  ['copies an environment', 'POST', () => `${here}/copy`, () => [here, feature], { from: 'production' }],
  ['deletes a strategy', 'DELETE', () => strategy, () => [strategy, `${here}/strategies`, here, feature]],
];
const bodyOf = (body: unknown): unknown => (typeof body === 'function' ? body() : body);

test.each(writes)('%s only if If-Match has its ETag', async (_, method, url, sources, body) => {
  const before = (await get(feature)).body;

  const rejected = await send(method, url(), OUTDATED, bodyOf(body));

  expect(rejected).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
  expect(rejected.body.message).toMatch(/has changed since you read it, so the request was not carried out/);
  expect(rejected.body.details[0].path).toBe('/headers/if-match');
  expect((await get(feature)).body).toEqual(before);
  const weak = await send(method, url(), `W/${await etagOf(sources()[0] ?? '')}`, bodyOf(body));
  expect(weak.status).toBe(412);
  expect(weak.body.message).toMatch(/only weak ETags/);

  const accepted = await send(method, url(), `"other" , ${await etagOf(sources()[0] ?? '')}`, bodyOf(body));
  expect(accepted.status).toBeLessThan(300);
  expect((await get(feature)).body).not.toEqual(before);
});

test.each(writes)('%s with the ETag of what contains it', async (_, method, url, sources, body) => {
  const container = sources().at(-1) ?? '';

  const accepted = await send(method, url(), await etagOf(container), bodyOf(body));

  expect(accepted.status).toBeLessThan(300);
});

test.each(writes)('%s without If-Match, and with *', async (_, method, url, _sources, body) => {
  expect((await send(method, url(), '*', bodyOf(body))).status).toBeLessThan(300);
});

test('other rejections take precedence over 412, and a missing feature returns 404', async () => {
  expect((await send('PUT', strategy, OUTDATED, { name: 'moonPhase' })).status).toBe(400);
  expect((await send('PUT', `${FEATURES}/nope`, OUTDATED, {})).status).toBe(404);
  expect((await send('PUT', `${FEATURES}/nope`, '*', {})).status).toBe(404);
  const viewer = await makeUser(harness.db, 'Viewer');
  const headers = { 'if-match': OUTDATED };
  expect(await call(harness.app, 'PUT', feature, { token: viewer.token, headers, body: {} })).toMatchObject({
    status: 403,
  });
});

test.each(['tag', '"open', '', '"a" b', "'a'"])('rejects If-Match: %s', async header => {
  expect(await send('PUT', feature, header, { description: 'x' })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/headers/if-match' }] },
  });
});

test('one of two concurrent writers with the same ETag wins, and the other gets 412', async () => {
  const etag = await etagOf(strategy);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = ${name} for update`.execute(blocker);

  const both = Promise.all(
    ['first', 'second'].map(title => send('PUT', strategy, etag, { name: 'default', title })),
  );
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();

  const responses = await both;
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const winner = responses.find(({ status }) => status === 200);
  expect((await get(strategy)).body).toEqual(winner?.body);
});

test('a toggle that waited for another toggle gets 412', async () => {
  const etag = await etagOf(here);
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = ${name} for update`.execute(blocker);

  const both = Promise.all([send('POST', `${here}/on`, etag), send('POST', `${here}/on`, etag)]);
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();

  expect((await both).map(({ status }) => status).toSorted()).toEqual([200, 412]);
});
