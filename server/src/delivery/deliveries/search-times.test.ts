import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
let id = 0;

const readTotal = async (path: string, query: string) =>
  (await call(harness.app, 'GET', `/api/admin/${path}?${query}`)).body.total;

/** Creates one record per day for 100 days, starting on 2020-01-01. The ids have gaps, as if records had been deleted. */
beforeAll(async () => {
  const { body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: {
      provider: 'webhook',
      enabled: false,
      events: ['*'],
      parameters: { url: 'https://example.com' },
    },
  });
  id = body.id;
  await sql`
    insert into integration_deliveries (id, integration_id, event_id, state, created_at)
    overriding system value
    select 1000 + n * n, ${id}::integer, (select max(id) from events), case when n % 3 = 0 then 'failed' else 'success' end,
      '2020-01-01Z'::timestamptz + n * interval '1 day'
    from generate_series(0, 99) as n`.execute(harness.db);
});

test.each([
  ['', 100],
  ['from=2020-01-11T00:00:00Z', 90],
  ['to=2020-01-11T00:00:00Z', 10],
  ['from=2020-01-11T00:00:00Z&to=2020-01-21T00:00:00Z', 10],
  ['from=2020-01-11T00:00:00Z&to=2020-01-21T00:00:00Z&state=IS:failed', 3],
  ['from=2019-01-01T00:00:00Z', 100],
  ['from=2021-01-01T00:00:00Z', 0],
  ['to=2019-01-01T00:00:00Z', 0],
  ['to=2021-01-01T00:00:00Z', 100],
])('finds records between times: %s', async (query, total) => {
  expect(await readTotal(`addons/${id}/events`, query)).toBe(total);
  expect(await readTotal('deliveries', query)).toBe(total);
});

test('finds a record whose transaction took half an hour', async () => {
  // A record's time is the start of its transaction. A long transaction therefore leaves a record whose time is earlier than that of
  // a record with a lower id.
  await sql`
    insert into integration_deliveries (id, integration_id, event_id, state, created_at)
    overriding system value
    select 20000 + n, ${id}::integer, (select max(id) from events), 'success',
      case n when 1 then '2020-06-01T12:00Z'::timestamptz else '2020-06-01T11:30Z' end
    from generate_series(1, 2) as n`.execute(harness.db);

  expect(await readTotal('deliveries', 'from=2020-06-01T11:30:00Z&to=2020-06-01T11:31:00Z')).toBe(1);
});
