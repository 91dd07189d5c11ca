import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const OUTDATED = { 'if-match': '"an-etag-of-nothing"' };
let url: string;
const body = (fields: object = {}) => ({
  provider: 'webhook',
  enabled: true,
  parameters: { url: 'https://example.com/hook' },
  events: ['feature-created'],
  ...fields,
});

beforeEach(async () => {
  const creation = await call(harness.app, 'POST', '/api/admin/addons', { body: body() });
  url = `/api/admin/addons/${creation.body.id}`;
});

const readEtag = async () => String((await call(harness.app, 'GET', url)).headers.etag);
const update = (etag: string, fields: object) =>
  call(harness.app, 'PUT', url, { body: body(fields), headers: { 'if-match': etag } });
const lastEvent = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?limit=1')).body.events[0];

test('updates, toggles and deletes an integration only if If-Match has its ETag', async () => {
  const first = await readEtag();
  expect((await update(first, { description: 'first' })).status).toBe(200);
  const outdatedOptions = { headers: { 'if-match': first } };

  expect(await update(first, { description: 'second' })).toMatchObject({
    status: 412,
    body: { name: 'PreconditionFailedError', message: expect.stringMatching(/^Integration \d+ has changed/) },
  });
  expect((await call(harness.app, 'POST', `${url}/off`, outdatedOptions)).status).toBe(412);
  expect((await call(harness.app, 'DELETE', url, outdatedOptions)).status).toBe(412);
  expect((await call(harness.app, 'GET', url)).body).toMatchObject({ description: 'first', enabled: true });

  const current = { headers: { 'if-match': await readEtag() } };
  expect((await call(harness.app, 'DELETE', url, current)).status).toBe(200);
});

test('changing a secret changes the ETag, although its mask stays the same', async () => {
  const etag = await readEtag();
  await call(harness.app, 'PUT', url, {
    body: body({ parameters: { url: 'https://example.com/other', authorization: 'first' } }),
  });
  const second = await readEtag();
  await call(harness.app, 'PUT', url, {
    body: body({ parameters: { url: 'https://example.com/other', authorization: 'second' } }),
  });

  expect(new Set([etag, second, await readEtag()]).size).toBe(3);
});

test('If-Match ignores the fields that a failed delivery changes', async () => {
  const etag = await readEtag();
  await sql`update integrations set failing_since = now(), failed_attempts = 3`.execute(harness.db);

  const cachedResponse = await call(harness.app, 'GET', url, { headers: { 'if-none-match': etag } });
  expect(cachedResponse.status).toBe(200);
  expect((await update(etag, { description: 'still possible' })).status).toBe(200);
});

test('responds with 304 to a known ETag', async () => {
  const headers = { 'if-none-match': await readEtag() };

  expect((await call(harness.app, 'GET', url, { headers })).status).toBe(304);
});

test('toggles an integration without changing its other settings', async () => {
  await call(harness.app, 'PUT', url, { body: body({ description: 'newer' }) });

  const off = await call(harness.app, 'POST', `${url}/off`);
  expect(off).toMatchObject({ status: 200, body: { enabled: false, description: 'newer' } });
  expect(off.body.disabledAt).not.toBeNull();
  expect(await lastEvent()).toMatchObject({
    type: 'addon-config-updated',
    preData: { enabled: true, description: 'newer' },
    data: { enabled: false, description: 'newer' },
  });
  const response = await call(harness.app, 'POST', `${url}/on`);
  expect(response).toMatchObject({ status: 200, body: { enabled: true, failingSince: null } });

  const eventBefore = await lastEvent();
  expect((await call(harness.app, 'POST', `${url}/on`)).status).toBe(200);
  expect((await lastEvent()).id).toBe(eventBefore.id);
});

test('a toggle requires UPDATE_ADDON, and returns 404 for an unknown integration', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');

  expect((await call(harness.app, 'POST', `${url}/off`, { token })).status).toBe(403);
  expect((await call(harness.app, 'POST', '/api/admin/addons/999999/off')).status).toBe(404);
});

test('other rejections take precedence over 412', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const rejectedUpdate = await call(harness.app, 'PUT', url, { token, body: body(), headers: OUTDATED });
  const invalidUpdate = await call(harness.app, 'PUT', url, {
    body: body({ parameters: { url: 'no address' } }),
    headers: OUTDATED,
  });

  expect([rejectedUpdate.status, invalidUpdate.status]).toEqual([403, 400]);
});

test('only one of two updates with the same ETag succeeds', async () => {
  const etag = await readEtag();
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from integrations for update`.execute(blocker);
  const updates = ['one', 'two'].map(description => update(etag, { description }));
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(updates)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 412]);
});
