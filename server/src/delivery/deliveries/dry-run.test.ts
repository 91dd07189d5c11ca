import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);
const PAST = '2020-01-01T00:00:00Z';

let id = 0;
const post = (path: string, body?: object) =>
  call(harness.app, 'POST', `/api/admin/addons/${path}`, body === undefined ? {} : { body });
/** Reads all data that a request could change, except idempotency keys. */
const readWrittenState = async () => {
  const { rows } = await sql<{ state: string }>`
    select jsonb_build_array((select count(*) from events), (select count(*) from pgboss.job),
      (select jsonb_agg(d order by d.id) from integration_deliveries d))::text as state`.execute(harness.db);
  return rows[0]?.state;
};

// Each test has its own integration, because failures open an integration's circuit breaker.
beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  id = (await deliveries.addWebhook()).id;
});

/** Makes three deliveries fail, and returns their records, oldest first. */
const createThreeFailures = async () => {
  deliveries.receiver.respondWith(404);
  for (let n = 0; n < 3; n++) await deliveries.recordEvent();
  return (await deliveries.waitUntilSettled(id)).toReversed() as {
    id: string;
    createdAt: string;
    event: { id: number };
  }[];
};

test('reports how many failed records a redelivery would send, and writes nothing', async () => {
  const records = await createThreeFailures();
  const writtenBefore = await readWrittenState();

  const plan = await post(`${id}/redeliver?dryRun=true`, { since: PAST });

  expect(plan.status).toBe(200);
  expect(plan.body).toMatchObject({
    deliveries: 3,
    complete: true,
    firstEvent: { id: records[0]?.event.id, summary: expect.any(String) },
    lastEvent: { id: records[2]?.event.id },
  });
  expect(await readWrittenState()).toBe(writtenBefore);
  const execution = await post(`${id}/redeliver`, { since: PAST });
  expect(execution).toMatchObject({ status: 202, body: { deliveries: 3, complete: true } });
  await deliveries.waitUntilSettled(id);
});

test('redelivers only the failed records that were created in the time range', async () => {
  const [first, second] = await createThreeFailures();
  const range = { since: first?.createdAt, until: second?.createdAt };

  const plan = await post(`${id}/redeliver?dryRun=true`, range);
  const execution = await post(`${id}/redeliver`, range);

  expect(plan.body).toMatchObject({ deliveries: 1, lastEvent: { id: first?.event.id } });
  expect(execution.body).toEqual({ deliveries: 1, complete: true });
  await deliveries.waitUntilSettled(id);
});

test('reports what a redelivery of one record would send', async () => {
  const [record] = await createThreeFailures();
  const writtenBefore = await readWrittenState();

  const plan = await post(`${id}/events/${record?.id}/redeliver?dryRun=true`);

  expect(plan).toMatchObject({
    status: 200,
    body: {
      deliveries: 1,
      complete: true,
      firstEvent: { id: record?.event.id },
      lastEvent: { id: record?.event.id },
    },
  });
  expect(await readWrittenState()).toBe(writtenBefore);
});

test('rejects a dry run for an open record with 409, and for a missing record with 404', async () => {
  const [record] = await createThreeFailures();
  await sql`update integration_deliveries set state = 'retrying' where id = ${record?.id}`.execute(
    harness.db,
  );

  expect((await post(`${id}/events/${record?.id}/redeliver?dryRun=true`)).status).toBe(409);
  expect((await post(`${id}/events/99999999/redeliver?dryRun=true`)).status).toBe(404);
  expect((await post('99999/redeliver?dryRun=true', { since: PAST })).status).toBe(404);
});

test('reports how many events a backfill would send, and writes nothing', async () => {
  const [first, , last] = await createThreeFailures();
  const range = { from: first?.createdAt };
  const writtenBefore = await readWrittenState();

  const plan = await post(`${id}/backfill?dryRun=true`, range);

  expect(plan.status).toBe(200);
  expect(plan.body).toMatchObject({
    deliveries: 3,
    complete: true,
    firstEvent: { id: first?.event.id },
    lastEvent: { id: last?.event.id },
  });
  expect(await readWrittenState()).toBe(writtenBefore);
  const execution = await post(`${id}/backfill`, range);
  expect(execution).toMatchObject({ status: 202, body: { deliveries: 3, complete: true } });
  const replays = (await deliveries.waitUntilSettled(id)).filter(delivery => delivery.replayOf !== null);
  expect(replays).toHaveLength(3);
});

test('reports 0 deliveries if there is nothing to send', async () => {
  const emptyPlan = { deliveries: 0, complete: true, firstEvent: null, lastEvent: null };
  const future = '2100-01-01T00:00:00Z';

  expect((await post(`${id}/redeliver?dryRun=true`, { since: future })).body).toEqual(emptyPlan);
  expect((await post(`${id}/backfill?dryRun=true`, { from: future })).body).toEqual(emptyPlan);
});

test('rejects invalid times, an invalid value of dryRun, and the parameter dryrun', async () => {
  expect((await post(`${id}/redeliver?dryRun=true`, { since: '2026-13-01T00:00:00Z' })).status).toBe(400);
  expect((await post(`${id}/redeliver?dryRun=true`, { since: PAST, until: 'now' })).status).toBe(400);
  expect((await post(`${id}/backfill?dryRun=yes`, { from: PAST })).status).toBe(400);
  expect((await post(`${id}/backfill?dryrun=true`, { from: PAST })).status).toBe(400);
});

test.each([
  ['redeliver', { since: '2026-11-15T00:00:00Z', until: PAST }, 'until'],
  ['backfill', { from: '2026-11-15T00:00:00Z', to: PAST }, 'to'],
])('%s rejects an end before the start', async (operation, body, field) => {
  for (const query of ['', '?dryRun=true']) {
    const rejectedResponse = await post(`${id}/${operation}${query}`, body);

    expect(rejectedResponse.status).toBe(400);
    expect(rejectedResponse.body.details).toEqual([
      { message: expect.stringContaining(`${field} "${PAST}" must not be before`), path: `/body/${field}` },
    ]);
  }
});

test('rejects a dry run for a disabled integration, or from a caller without ADMIN', async () => {
  const { id: disabledId } = await deliveries.addWebhook({ enabled: false });
  const { token } = await makeUser(harness.db, 'Editor');

  expect((await post(`${disabledId}/backfill?dryRun=true`, { from: PAST })).body.message).toContain(
    'is disabled',
  );
  for (const path of ['redeliver', 'backfill', 'events/1/redeliver']) {
    const { status } = await call(harness.app, 'POST', `/api/admin/addons/${id}/${path}?dryRun=true`, {
      token,
      ...(path.includes('events') ? {} : { body: path === 'backfill' ? { from: PAST } : { since: PAST } }),
    });
    expect({ path, status }).toEqual({ path, status: 403 });
  }
});
