import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { cleanUpDeliveries } from '../sending/clean-up.ts';
import { countAttempts } from '../sending/count-attempts.ts';
import { computePercentile, countDurations } from '../sending/durations.ts';
import { finishAttempts } from '../sending/store.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.respondWith(200);
});

const readStats = async (id: number) => {
  const { status, body } = await call(harness.app, 'GET', `/api/admin/addons/${id}/stats`);
  expect(status).toBe(200);
  return body;
};

test('counts deliveries and attempts by hour and by day', async () => {
  const { id } = await deliveries.addWebhook();
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);
  // One delivery fails twice and then succeeds. The other fails three times.
  let requestCount = 0;
  deliveries.receiver.respondWith((_, response) =>
    response.writeHead(++requestCount === 3 ? 200 : 500).end(),
  );
  for (let n = 0; n < 2; n++) {
    await deliveries.recordEvent();
    await deliveries.waitUntilSettled(id);
  }

  const stats = await readStats(id);

  const expectedCounts = {
    delivered: 2,
    deliveredFirst: 1,
    failed: 1,
    retried: 4,
    successRate: 2 / 3,
    p50Ms: expect.any(Number),
    p95Ms: expect.any(Number),
  };
  expect(stats.last24Hours).toEqual(expectedCounts);
  expect(stats.last30Days).toEqual(expectedCounts);
  expect([stats.hours.length, stats.days.length]).toEqual([24, 30]);
  const sum = (periods: { delivered: number }[]) =>
    periods.reduce((all, period) => all + period.delivered, 0);
  expect([sum(stats.hours), sum(stats.days)]).toEqual([2, 2]);
  expect(stats.days.at(-1).start).toBe(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
});

test('counts open deliveries', async () => {
  deliveries.receiver.respondWith(503);
  const { id } = await deliveries.addWebhook();
  for (let n = 0; n < 3; n++) await deliveries.recordEvent();
  const [first, second] = await deliveries.waitUntilSettled(id);
  await deliveries.stopAll();
  await sql`update integration_deliveries set state = 'retrying', due_at = now() + interval '1 day'
    where id = any(${[first?.id, second?.id]}::bigint[])`.execute(harness.db);
  await deliveries.recordEvent();

  expect(await readStats(id)).toMatchObject({ pending: 1, retrying: 2, last24Hours: { delivered: 0 } });
  await deliveries.start();
});

test('returns nulls for an integration without attempts', async () => {
  const { id } = await deliveries.addWebhook();

  const stats = await readStats(id);

  const emptyCounts = {
    delivered: 0,
    deliveredFirst: 0,
    failed: 0,
    retried: 0,
    successRate: null,
    p50Ms: null,
    p95Ms: null,
  };
  expect(stats.last24Hours).toEqual(emptyCounts);
  expect(stats.hours[0]).toEqual({ start: expect.any(String), ...emptyCounts });
});

test('assigns hourly counts to the right periods and omits older hours', async () => {
  const { id } = await deliveries.addWebhook();
  const insertHour = (age: string) =>
    sql`insert into integration_hours (integration_id, hour, delivered, delivered_first, failed, retried, durations)
      values (${id}, date_trunc('hour', now(), 'UTC') - ${age}::interval, 1, 1, 0, 0, array[0, 1])`.execute(
      harness.db,
    );
  for (const age of ['0 hours', '23 hours', '24 hours', '28 days', '31 days']) await insertHour(age);

  const stats = await readStats(id);

  expect(stats.last24Hours.delivered).toBe(2);
  expect([stats.hours[0].delivered, stats.hours[23].delivered]).toEqual([1, 1]);
  expect(stats.last30Days.delivered).toBe(4);
});

test('counts an outcome once even if it is written twice', async () => {
  const { id } = await deliveries.addWebhook();
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);
  const results = deliveries.results.filter(({ integration }) => integration === id);

  await harness.db.transaction().execute(async tx => {
    await countAttempts(tx, results, await finishAttempts(tx, results));
  });

  expect(results).toHaveLength(1);
  expect((await readStats(id)).last24Hours).toMatchObject({ delivered: 1, failed: 0, retried: 0 });
});

test('removes old counts and those of deleted integrations', async () => {
  const { id } = await deliveries.addWebhook();
  const { id: deleted } = await deliveries.addWebhook();
  for (const [integration, age] of [
    [id, '40 days'],
    [id, '1 day'],
    [deleted, '1 day'],
  ]) {
    await sql`insert into integration_hours (integration_id, hour, delivered, delivered_first, failed, retried, durations)
      values (${integration}, date_trunc('hour', now()) - ${age}::interval, 1, 1, 0, 0, '{}')`.execute(
      harness.db,
    );
  }
  await call(harness.app, 'DELETE', `/api/admin/addons/${deleted}`);

  await cleanUpDeliveries(harness.db);

  const { rows } = await sql<{ integration: number; hours: number }>`
    select integration_id as integration, count(*) as hours from integration_hours
    where integration_id in (${id}, ${deleted}) group by integration_id`.execute(harness.db);
  expect(rows).toEqual([{ integration: id, hours: 1 }]);
});

test('estimates percentiles to within 10 %', () => {
  const durations = Array.from({ length: 1_000 }, (_, n) => n + 1);
  const counts = countDurations(durations);

  expect(Math.abs((computePercentile(counts, 0.5) ?? 0) - 500)).toBeLessThan(50);
  expect(Math.abs((computePercentile(counts, 0.95) ?? 0) - 950)).toBeLessThan(95);
  expect(computePercentile(countDurations([0]), 0.5)).toBe(0);
  expect(computePercentile(countDurations([15_000]), 0.95)).toBeGreaterThan(13_500);
  expect(computePercentile([], 0.5)).toBeNull();
});

test('requires ADMIN and an existing integration', async () => {
  const { id } = await deliveries.addWebhook();
  const { token } = await makeUser(harness.db, 'Editor');
  const get = (which: unknown, options: object = {}) =>
    call(harness.app, 'GET', `/api/admin/addons/${which}/stats`, options);

  expect((await get(id, { token })).status).toBe(403);
  expect((await get(id, { token: null })).status).toBe(401);
  expect((await get(9999)).status).toBe(404);
  expect((await get('x')).status).toBe(400);
});
