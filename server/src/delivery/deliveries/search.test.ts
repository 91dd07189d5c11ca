import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { MAX_EXAMINED } from './search.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const ids: Record<string, number> = {};
type SearchResult = {
  integrationEvents: Record<string, unknown>[];
  total: number;
  isTotalExact: boolean;
  next?: number;
};

const search = async (where: string, query = ''): Promise<SearchResult> => {
  const path = where === 'all' ? 'deliveries' : `addons/${ids[where]}/events`;
  const { status, body } = await call(harness.app, 'GET', `/api/admin/${path}?${query}`);
  expect({ status, details: body.details }).toEqual({ status: 200, details: undefined });
  return body;
};
const findNames = async (where: string, query: string) =>
  (await search(where, query)).integrationEvents.map(
    integrationEvent => `${integrationEvent.integrationId}:${integrationEvent.lastStatus}`,
  );

beforeAll(async () => {
  const { receiver } = deliveries;
  receiver.respondWith((request, response) => response.writeHead(Number(request.path.slice(1, 4))).end());
  const add = async (name: string, url: string, fields: object = {}) => {
    ids[name] = (await deliveries.addWebhook(fields, { url })).id;
  };
  await add('ok', `${receiver.url}/200`);
  await add('missing', `${receiver.url}/404`);
  await add('busy', `${receiver.url}/503`, { events: ['tag-type-created', 'feature-created'] });
  await add('unreachable', 'http://127.0.0.1:1/');
  for (let n = 0; n < 2; n++) await deliveries.recordEvent();
  const { token } = await makeUser(harness.db, 'Editor', 'grace');
  await call(harness.app, 'POST', '/api/admin/projects/default/features', {
    body: { name: 'checkout_100' },
    token,
  });
  for (const name of Object.keys(ids)) await deliveries.waitUntilSettled(ids[name] ?? 0);
  await add('gone', `${receiver.url}/200`);
});

test('shows the status of the last response', async () => {
  expect(await findNames('busy', 'limit=1')).toEqual([`${ids.busy}:503`]);
  expect(await findNames('unreachable', 'limit=1')).toEqual([`${ids.unreachable}:null`]);
  expect(await findNames('ok', '')).toEqual([`${ids.ok}:200`, `${ids.ok}:200`]);
});

test('finds records of several states', async () => {
  expect((await search('ok', 'state=IS_ANY_OF:failed,pending')).total).toBe(0);
  expect((await search('ok', 'state=IS_ANY_OF:success,failed')).total).toBe(2);
  expect((await search('ok', 'state=IS:success')).total).toBe(2);
  expect((await search('ok', 'state=success')).total).toBe(2);
  expect((await search('all', 'state=IS_ANY_OF:success,failed')).total).toBe(9);
  expect((await search('all', 'state=IS_ANY_OF:failed,retrying')).total).toBe(7);
});

test('finds records by the status of the last response, by its class, and without a response', async () => {
  expect((await search('busy', 'status=IS:503')).total).toBe(3);
  expect((await search('busy', 'status=IS:500')).total).toBe(0);
  expect((await search('all', 'status=IS:5xx')).total).toBe(3);
  expect((await search('all', 'status=IS_ANY_OF:5xx,404')).total).toBe(5);
  expect((await search('all', 'status=IS:2xx')).total).toBe(2);
  expect((await search('all', 'status=IS_ANY_OF:2xx,none')).total).toBe(4);
  expect((await search('unreachable', 'status=IS:none')).total).toBe(2);
  expect((await search('all', 'status=IS:2xx&state=IS:failed')).total).toBe(0);
});

test('finds records by event type', async () => {
  expect(await findNames('all', 'type=IS:feature-created')).toEqual([`${ids.busy}:503`]);
  expect((await search('busy', 'type=IS_ANY_OF:feature-created,tag-type-created')).total).toBe(3);
});

test('finds text in the feature name, project, creator and error, case-insensitively and literally', async () => {
  expect((await search('all', `query=${encodeURIComponent('ECKOUT_10')}`)).total).toBe(1);
  expect((await search('all', `query=${encodeURIComponent('checkout%100')}`)).total).toBe(0);
  expect((await search('all', 'query=Default')).total).toBe(1);
  expect(await findNames('all', 'query=GRAC')).toEqual([`${ids.busy}:503`]);
  expect((await search('all', 'query=responded with 404')).total).toBe(2);
  expect((await search('unreachable', 'query=econnrefused')).total).toBe(2);
  expect((await search('ok', 'query=econnrefused')).total).toBe(0);
});

test('combines filters', async () => {
  expect(
    (await search('busy', 'state=IS:failed&status=IS:5xx&type=IS:feature-created&query=checkout')).total,
  ).toBe(1);
  expect((await search('busy', 'state=IS:success&status=IS:5xx')).total).toBe(0);
});

test.each(['', 'state=IS_ANY_OF:failed,success', 'status=IS_ANY_OF:4xx,5xx,none', 'query=responded'])(
  'pages by cursor without gaps or overlaps: %s',
  async filters => {
    const allRecords = await search('all', filters);
    const pages: unknown[] = [];
    let cursor: number | undefined;
    do {
      const page = await search(
        'all',
        `${filters}&limit=2${cursor === undefined ? '' : `&before=${cursor}`}`,
      );
      expect(page.total).toBe(allRecords.total);
      pages.push(...page.integrationEvents.map(integrationEvent => integrationEvent.id));
      cursor = page.next;
    } while (cursor !== undefined);

    expect(pages).toEqual(allRecords.integrationEvents.map(integrationEvent => integrationEvent.id));
    expect(pages).toHaveLength(allRecords.total);
    expect(allRecords.next).toBeUndefined();
  },
);

test('counts at most 10,000 records and says so, but pages of a text search continue beyond this limit', async () => {
  const { rows } = await sql<{ id: string }>`
    with inserted as (
      insert into integration_deliveries (integration_id, event_id, state, attempts)
      select ${ids.gone}::integer, (select max(id) from events where type = 'feature-created'), 'success', 1
      from generate_series(1, ${MAX_EXAMINED + 5}) returning id
    ),
    attempted as (
      insert into integration_attempts (delivery_id, number, outcome, status, error)
      select min(id), 1, 'success', 418, 'needle' from inserted
    )
    select min(id)::text as id from inserted`.execute(harness.db);

  const unfilteredPage = await search('gone', 'limit=1');
  const first = await search('gone', 'query=needle');
  const second = await search('gone', `query=needle&before=${first.next}`);

  expect(unfilteredPage).toMatchObject({
    total: MAX_EXAMINED,
    isTotalExact: false,
    next: expect.any(Number),
  });
  expect(first).toMatchObject({
    integrationEvents: [],
    total: 0,
    isTotalExact: false,
    next: expect.any(Number),
  });
  expect(second.integrationEvents.map(integrationEvent => integrationEvent.id)).toEqual([rows[0]?.id]);
  expect(second.next).toBeUndefined();
});

test('omits records of deleted integrations from the list of all deliveries', async () => {
  await call(harness.app, 'DELETE', `/api/admin/addons/${ids.gone}`);

  expect(await search('all', 'limit=1')).toMatchObject({ total: 9, isTotalExact: true });
});

test('lists every violation of a query', async () => {
  const { status, body } = await call(
    harness.app,
    'GET',
    '/api/admin/deliveries?state=IS:lost&status=IS:600&type=feature-created&before=x&from=now&query[]=x',
  );
  const response = await call(harness.app, 'GET', '/api/admin/deliveries?offset=1&before=5');

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(
    ['before', 'from', 'query', 'state', 'status', 'type'].map(name => `/query/${name}`),
  );
  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/query/offset' }] } });
});

test('requires ADMIN for the list of all deliveries', async () => {
  const { token } = await makeUser(harness.db, 'Editor');

  expect((await call(harness.app, 'GET', '/api/admin/deliveries', { token })).status).toBe(403);
  expect((await call(harness.app, 'GET', '/api/admin/deliveries', { token: null })).status).toBe(401);
});
