import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeEnvironment } from '../../test/sdk-documents.ts';
import { useSdkServer } from '../../test/sdk-server.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const PATH = '/api/admin/ui-config/cors';
const SHOP = 'https://shop.example.com';

const allow = async (...frontendApiOrigins: unknown[]) =>
  await call(harness.app, 'POST', PATH, { body: { frontendApiOrigins } });
const readOrigins = async () =>
  (await call(harness.app, 'GET', '/api/admin/ui-config')).body.frontendApiOrigins;
const listEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:setting-updated&limit=100')).body.events;

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  token = await server.token('main', undefined, 'frontend');
});

beforeEach(async () => {
  await sql`update cors_settings set origins = '{*}'`.execute(harness.db);
  await harness.app.serving.refresh();
});

const corsHeader = async (origin: string, method: 'GET' | 'OPTIONS' = 'GET') => {
  const { headers } = await harness.app.sdk.inject({
    method,
    url: '/api/frontend',
    headers: { origin, authorization: token },
  });
  return [headers['access-control-allow-origin'], headers.vary];
};

test('returns the configuration, with every origin by default', async () => {
  const { status, body } = await call(harness.app, 'GET', '/api/admin/ui-config');

  expect(status).toBe(200);
  expect(body).toEqual({
    name: 'Halyard',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    unleashUrl: 'http://localhost:4242',
    baseUriPath: '',
    frontendApiOrigins: ['*'],
  });
});

test('replaces the origins, drops duplicates, and records the change once', async () => {
  const countBefore = (await listEvents()).length;

  const first = await allow(SHOP, 'http://localhost:3000', SHOP);
  const second = await allow(SHOP, 'http://localhost:3000');

  expect([first.status, second.status]).toEqual([204, 204]);
  expect(await readOrigins()).toEqual([SHOP, 'http://localhost:3000']);
  const recordedEvents = await listEvents();
  expect(recordedEvents).toHaveLength(countBefore + 1);
  expect(recordedEvents[0]).toMatchObject({
    data: { id: 'cors', frontendApiOrigins: [SHOP, 'http://localhost:3000'] },
    preData: { id: 'cors', frontendApiOrigins: ['*'] },
  });
});

test('servers send the allowed origin within 1 s, and no header to other origins', async () => {
  expect(await corsHeader(SHOP)).toEqual(['*', 'accept-encoding, origin']);

  await allow(SHOP);

  await expect.poll(() => corsHeader(SHOP)).toEqual([SHOP, 'accept-encoding, origin']);
  expect(await corsHeader(SHOP, 'OPTIONS')).toEqual([SHOP, 'origin']);
  expect(await corsHeader('https://evil.example.com')).toEqual([undefined, 'accept-encoding, origin']);
  expect(await corsHeader('https://evil.example.com', 'OPTIONS')).toEqual([undefined, 'origin']);
});

test('an empty list allows no origin', async () => {
  await allow();
  await harness.app.serving.refresh();

  expect(await readOrigins()).toEqual([]);
  expect(await corsHeader(SHOP)).toEqual([undefined, 'accept-encoding, origin']);
});

test.each(['shop.example.com', `${SHOP}/`, `${SHOP}/path`, 'https://*.example.com', '', 'null', 7])(
  'rejects the origin %j with 400',
  async origin => {
    const { status, body } = await allow(origin);

    expect(status).toBe(400);
    expect(body.details[0].path).toBe('/body/frontendApiOrigins/0');
  },
);

test.each([
  ['https://A.com', 'use "https://a.com"'],
  ['https://b.com:443', 'use "https://b.com"'],
  ['https://ä.com', 'use "https://xn--4ca.com"'],
  ['https://a.com:99999', '"https://a.com:99999" is not a valid origin'],
])('rejects %s, which no browser sends', async (origin, message) => {
  const { status, body } = await allow('*', origin);

  expect(status).toBe(400);
  expect(body.details).toEqual([
    { message: expect.stringContaining(message), path: '/body/frontendApiOrigins/1' },
  ]);
});

test('accepts origins of apps and extensions', async () => {
  expect(
    (await allow('capacitor://localhost', 'chrome-extension://abcdef', 'http://[::1]:3000')).status,
  ).toBe(204);
});

test('rejects more than 100 origins with 400', async () => {
  const list = Array.from({ length: 101 }, (_, index) => `https://shop-${index}.example.com`);

  expect((await allow(...list)).status).toBe(400);
});

test('rejects a caller without UPDATE_CORS with 403', async () => {
  const viewer = await makeUser(harness.db, 'Viewer');
  const body = { frontendApiOrigins: [SHOP] };

  const { status } = await call(harness.app, 'POST', PATH, { body, token: viewer.token });

  expect(status).toBe(403);
  expect(await readOrigins()).toEqual(['*']);
});

test('records two concurrent changes one after the other', async () => {
  const [first, second] = await duringTransaction(
    harness.db,
    tx => sql`select from cors_settings for update`.execute(tx),
    () => Promise.all([allow(SHOP), allow('https://other.example.com')]),
    2,
  );

  expect([first.status, second.status]).toEqual([204, 204]);
  const [lastEvent, earlierEvent] = await listEvents();
  expect(lastEvent.preData.frontendApiOrigins).toEqual(earlierEvent.data.frontendApiOrigins);
  expect(await readOrigins()).toEqual(lastEvent.data.frontendApiOrigins);
});
