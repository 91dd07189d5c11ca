import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeApiToken, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const ids: Record<string, number> = {};
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const { receiver } = deliveries;
  receiver.respondWith((request, response) => response.writeHead(request.path === '/fail' ? 500 : 200).end());
  ids.ok = (await deliveries.addWebhook({}, { url: `${receiver.url}/ok` })).id;
  for (let n = 0; n < 58; n++) await deliveries.recordEvent();
  ids.fail = (await deliveries.addWebhook({}, { url: `${receiver.url}/fail` })).id;
  ids.unreachable = (await deliveries.addWebhook({}, { url: 'http://127.0.0.1:1/nobody-listens' })).id;
  ids.idle = (await deliveries.addWebhook({ events: ['feature-archived'] })).id;
  for (let n = 0; n < 2; n++) await deliveries.recordEvent();
  for (const name of ['ok', 'fail', 'unreachable']) await deliveries.waitUntilSettled(ids[name] ?? 0);
  tokens.viewer = (await makeUser(harness.db, 'Viewer')).token;
  tokens.editor = (await makeUser(harness.db, 'Editor')).token;
  tokens.client = (
    await makeApiToken(harness.db, { tokenName: 'c', type: 'client', environment: 'production' })
  ).secret;
  tokens.wrong = '*:*.bad';
});

type Case = {
  name: string;
  path: string;
  /** Undefined for an admin. */
  token?: string | null;
  status: number;
  error?: string;
  records?: { count: number; state?: string };
  /** Unleash's response, if ours deliberately differs. */
  unleashResponse?: string;
};

/** Requests recorded from Unleash, with our responses. */
const CASES: Case[] = [
  {
    name: 'success deliveries',
    path: 'ok/events?limit=2',
    status: 200,
    records: { count: 2, state: 'success' },
  },
  {
    name: 'failing receiver (500)',
    path: 'fail/events?limit=2',
    status: 200,
    records: { count: 2, state: 'failed' },
  },
  {
    name: 'connection refused by the receiver',
    path: 'unreachable/events?limit=2',
    status: 200,
    records: { count: 2, state: 'failed' },
  },
  { name: 'addon without deliveries', path: 'idle/events', status: 200, records: { count: 0 } },
  { name: 'default page', path: 'ok/events', status: 200, records: { count: 50 } },
  { name: 'offset', path: 'ok/events?limit=2&offset=2', status: 200, records: { count: 2 } },
  {
    name: 'limit=0',
    path: 'ok/events?limit=0',
    status: 400,
    error: 'BadDataError',
    unleashResponse: '50 records',
  },
  {
    name: 'limit=5000',
    path: 'ok/events?limit=5000',
    status: 400,
    error: 'BadDataError',
    unleashResponse: '50 records',
  },
  {
    name: 'limit=abc',
    path: 'ok/events?limit=abc',
    status: 400,
    error: 'BadDataError',
    unleashResponse: '50 records',
  },
  {
    name: 'limit=-1',
    path: 'ok/events?limit=-1',
    status: 400,
    error: 'BadDataError',
    unleashResponse: '50 records',
  },
  {
    name: 'offset=-1',
    path: 'ok/events?offset=-1',
    status: 400,
    error: 'BadDataError',
    unleashResponse: 'offset 0',
  },
  {
    name: 'offset=abc',
    path: 'ok/events?offset=abc',
    status: 400,
    error: 'BadDataError',
    unleashResponse: 'offset 0',
  },
  {
    name: 'missing addon',
    path: '9999/events',
    status: 404,
    error: 'NotFoundError',
    unleashResponse: 'an empty list',
  },
  { name: 'id not a number', path: 'abc/events', status: 400, error: 'BadDataError' },
  {
    name: 'id negative',
    path: '-1/events',
    status: 400,
    error: 'BadDataError',
    unleashResponse: 'an empty list',
  },
  {
    name: 'id too large',
    path: '99999999999/events',
    status: 404,
    error: 'NotFoundError',
    unleashResponse: '500',
  },
  { name: 'no token', path: 'ok/events', token: null, status: 401, error: 'AuthenticationRequired' },
  {
    name: 'wrong token',
    path: 'ok/events',
    token: 'wrong',
    status: 401,
    error: 'AuthenticationRequired',
    unleashResponse: 'a different error name',
  },
  { name: 'client token', path: 'ok/events', token: 'client', status: 403, error: 'NoAccessError' },
  { name: 'viewer PAT', path: 'ok/events', token: 'viewer', status: 403, error: 'NoAccessError' },
  { name: 'editor PAT', path: 'ok/events', token: 'editor', status: 403, error: 'NoAccessError' },
];

test.each(CASES)('responds as documented: $name', async ({ path, token, status, error, records }) => {
  const [name = '', rest] = path.split('/');
  const url = `/api/admin/addons/${ids[name] ?? name}/${rest}`;

  const response = await call(harness.app, 'GET', url, {
    token: token === undefined ? ADMIN_TOKEN : token === null ? null : (tokens[token] ?? ''),
  });

  expect(response.status).toBe(status);
  if (error) expect(response.body.name).toBe(error);
  if (records) {
    expect(response.body.integrationEvents).toHaveLength(records.count);
    for (const record of response.body.integrationEvents) {
      expect(record).toMatchObject({
        integrationId: ids[name],
        details: { contentType: 'application/json', body: { id: record.event.id } },
        ...(records.state === undefined ? {} : { state: records.state }),
      });
    }
  }
});

test('rejects invalid custom headers when they are saved (Unleash saves them and sends requests without them)', async () => {
  await expect(deliveries.addWebhook({}, { customHeaders: 'no json' })).rejects.toThrow('customHeaders');
});

test('returns pages newest first, without gaps or overlaps', async () => {
  const allRecords = await deliveries.records(ids.ok ?? 0, '?limit=1000');
  const pages = await Promise.all(
    [0, 20, 40].map(offset => deliveries.records(ids.ok ?? 0, `?limit=20&offset=${offset}`)),
  );

  expect(pages.flat().map(record => record.id)).toEqual(allRecords.map(record => record.id));
  const numbers = allRecords.map(record => Number(record.id));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
});

test('filters records by state and time', async () => {
  const id = ids.ok ?? 0;
  const allRecords = await deliveries.records(id, '?limit=1000');
  const middle = String(allRecords[30]?.createdAt);

  expect(await deliveries.records(id, '?state=failed')).toEqual([]);
  expect(await deliveries.records(id, '?state=success&limit=1000')).toHaveLength(60);
  const recordsFrom = await deliveries.records(id, `?limit=1000&from=${middle}`);
  const recordsTo = await deliveries.records(id, `?limit=1000&to=${middle}`);
  expect(recordsFrom.length + recordsTo.length).toBe(60);
  expect(recordsFrom.every(record => String(record.createdAt) >= middle)).toBe(true);
});

test('lists every violation of a query', async () => {
  const { status, body } = await call(
    harness.app,
    'GET',
    `/api/admin/addons/${ids.ok}/events?limit=x&offset=-1&state=lost`,
  );
  const times = await call(
    harness.app,
    'GET',
    `/api/admin/addons/${ids.ok}/events?from=now&to=2026-13-01T00:00:00Z`,
  );

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/query/limit',
    '/query/offset',
    '/query/state',
  ]);
  expect(times.body.details.map(({ path }: { path: string }) => path)).toEqual(['/query/from', '/query/to']);
});

test('finds a record only under its own integration', async () => {
  const [record] = await deliveries.records(ids.ok ?? 0);

  expect((await call(harness.app, 'GET', `/api/admin/addons/${ids.ok}/events/${record?.id}`)).status).toBe(
    200,
  );
  expect((await call(harness.app, 'GET', `/api/admin/addons/${ids.fail}/events/${record?.id}`)).status).toBe(
    404,
  );
  expect(
    (await call(harness.app, 'POST', `/api/admin/addons/${ids.fail}/events/${record?.id}/redeliver`)).status,
  ).toBe(404);
});

test('disables an integration at the next failure after disableAfterHours of failures', async () => {
  const id = ids.fail ?? 0;
  await sql`update integrations set failing_since = now() - interval '6 days', failed_attempts = 20 where id = ${id}`.execute(
    harness.db,
  );
  deliveries.settings.disableAfterHours = 120;

  await deliveries.recordEvent();

  await expect
    .poll(async () => (await call(harness.app, 'GET', `/api/admin/addons/${id}`)).body)
    .toMatchObject({ enabled: false, disabledBecause: expect.stringContaining('failed') });
  const otherIntegration = (await call(harness.app, 'GET', `/api/admin/addons/${ids.ok}`)).body;
  expect(otherIntegration).toMatchObject({ enabled: true, failingSince: null });
});
