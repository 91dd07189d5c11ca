import { afterEach, beforeAll, expect, test } from 'vitest';
import { makeFeature, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeEnvironment } from '../../test/sdk-documents.ts';
import { useSdkServer } from '../../test/sdk-server.ts';

const harness = useHarness();
const sdkServer = useSdkServer(harness);
const PATH = '/api/admin/maintenance';
const newTagType = (name: string) => ({ body: { name, description: '' } });

const setMode = (enabled: unknown, method: 'PUT' | 'POST' = 'PUT', token?: string) =>
  call(harness.app, method, PATH, { body: { enabled }, ...(token ? { token } : {}) });
const readMode = async () => (await call(harness.app, 'GET', PATH)).body;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop' });
  await makeFeature(harness.db, 'shop', { name: 'basket' });
  await makeEnvironment(harness.db, 'main');
});
afterEach(async () => void (await setMode(false)));

test('rejects writes on every server immediately, until maintenance mode is disabled', async () => {
  const second = await harness.secondServer();
  const write = (name: string) =>
    Promise.all(
      [harness.app, second].map((app, index) =>
        call(app, 'POST', '/api/admin/tag-types', newTagType(`${name}-${index}`)),
      ),
    );

  expect((await setMode(true)).status).toBe(204);
  const rejections = await write('before');
  expect((await call(second, 'PUT', PATH, { body: { enabled: false } })).status).toBe(204);
  const responses = await write('after');

  expect(rejections.map(({ status }) => status)).toEqual([503, 503]);
  expect(rejections[0]?.body).toMatchObject({
    name: 'MaintenanceError',
    message: expect.stringContaining('Halyard is in maintenance mode'),
  });
  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
});

test.each([
  ['PUT', '/api/admin/projects/shop/features/basket', { description: 'x' }],
  ['PATCH', '/api/admin/projects/shop/features/basket', [{ op: 'replace', path: '/stale', value: true }]],
  ['DELETE', '/api/admin/projects/shop/features/basket', undefined],
  ['POST', '/api/admin/user/change-password', { password: 'x', confirmPassword: 'x', oldPassword: 'x' }],
] as const)('in maintenance mode, rejects %s %s', async (method, url, body) => {
  await setMode(true);

  expect((await call(harness.app, method, url, body ? { body } : {})).status).toBe(503);
});

test('does not affect reads, SDKs or metrics', async () => {
  const token = await sdkServer.token('main');
  await setMode(true);

  const featureResponse = await call(harness.app, 'GET', '/api/admin/projects/shop/features/basket');
  const playground = await call(harness.app, 'POST', '/api/admin/playground', {
    body: { environment: 'main', projects: ['shop'], context: { appName: 'shop' } },
  });
  const headers = { authorization: token, 'content-type': 'application/json' };
  const flags = await fetch(`${sdkServer.url}/api/client/features`, { headers });
  const metrics = await fetch(`${sdkServer.url}/api/client/metrics`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ appName: 'shop', bucket: { start: new Date(), stop: new Date(), toggles: {} } }),
  });

  expect([featureResponse.status, playground.status, flags.status, metrics.status]).toEqual([
    200, 200, 200, 202,
  ]);
});

test('can be enabled with POST as in Unleash, and records each change only once', async () => {
  const settings = '/api/admin/search/events?type=IS:setting-updated&limit=100';
  const totalBefore = (await call(harness.app, 'GET', settings)).body.total;

  expect(await readMode()).toEqual({ enabled: false });
  expect((await setMode(true, 'POST')).status).toBe(204);
  await setMode(true, 'POST');
  expect(await readMode()).toEqual({ enabled: true });

  const { total, events } = (await call(harness.app, 'GET', settings)).body;
  expect(total).toBe(totalBefore + 1);
  expect(events[0]).toMatchObject({
    data: { id: 'maintenance.mode', enabled: true },
    preData: { id: 'maintenance.mode', enabled: false },
  });
});

test('lets every user read the mode, but only admins change it', async () => {
  const editor = await makeUser(harness.db, 'Editor');

  expect((await call(harness.app, 'GET', PATH, { token: editor.token })).status).toBe(200);
  expect((await setMode(true, 'PUT', editor.token)).status).toBe(403);
  expect((await setMode('yes')).status).toBe(400);
  expect(await readMode()).toEqual({ enabled: false });
});
