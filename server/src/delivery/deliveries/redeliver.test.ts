import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { lockIntegration } from '../integrations/store.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness, { schedule: [0, 3600, 3600] });

let id = 0;
let record = '';
const redeliver = (query = '') =>
  call(harness.app, 'POST', `/api/admin/addons/${id}/events/${record}/redeliver${query}`);
const listAttempts = async () =>
  (await deliveries.records(id)).map(delivery => [delivery.id, delivery.state, delivery.attempts]);

/** Creates a delivery whose first attempt failed and whose second attempt is due in an hour. */
beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.respondWith(503);
  deliveries.receiver.received.length = 0;
  id = (await deliveries.addWebhook()).id;
  await deliveries.recordEvent();
  await expect.poll(async () => (await deliveries.records(id, '?state=retrying')).length).toBe(1);
  record = String((await deliveries.records(id))[0]?.id);
});

test('makes the next attempt of a retrying delivery due now', async () => {
  deliveries.receiver.respondWith(200);

  const plan = await redeliver('?dryRun=true');
  const redelivery = await redeliver();

  expect(plan).toMatchObject({ status: 200, body: { deliveries: 1 } });
  expect(redelivery).toMatchObject({ status: 202, body: { deliveries: 1, complete: true } });
  await deliveries.waitUntilSettled(id);
  expect(await listAttempts()).toEqual([[record, 'success', 2]]);
  const ids = deliveries.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  const events = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:integration-redelivered&limit=1',
  );
  expect(events.body.events[0].data).toMatchObject({ id, record, deliveries: 1 });
});

test('redelivering a retrying delivery keeps its position in the schedule', async () => {
  await redeliver();

  await expect.poll(listAttempts).toEqual([[record, 'retrying', 2]]);
  await expect.poll(async () => (await redeliver()).status).toBe(202);
  await deliveries.waitUntilSettled(id);
  expect(await listAttempts()).toEqual([[record, 'failed', 3]]);
});

test('after a redelivery, the job for the originally scheduled attempt sends nothing', async () => {
  deliveries.receiver.respondWith(200);
  await redeliver();
  await deliveries.waitUntilSettled(id);

  await sql`update pgboss.job set start_after = now() where name = 'deliver' and group_id = ${String(id)}
    and state = 'created'`.execute(harness.db);

  await expect
    .poll(async () => {
      const { rows } = await sql<{ jobs: number }>`select count(*) as jobs from pgboss.job
        where name = 'deliver' and group_id = ${String(id)} and state < 'completed'`.execute(harness.db);
      return rows[0]?.jobs;
    })
    .toBe(0);
  expect(deliveries.receiver.received).toHaveLength(2);
});

test('rejects the second of two simultaneous redeliveries', async () => {
  await deliveries.stopAll();
  const responses = await harness.db.transaction().execute(async tx => {
    await lockIntegration(tx, id);
    const requests = [redeliver(), redeliver()];
    await new Promise(resolve => setTimeout(resolve, 200));
    return requests;
  });

  const statuses = (await Promise.all(responses)).map(({ status }) => status);

  expect(statuses.toSorted()).toEqual([202, 409]);
  deliveries.receiver.respondWith(200);
  await deliveries.start();
  await deliveries.waitUntilSettled(id);
  expect(await listAttempts()).toEqual([[record, 'success', 2]]);
});

test('rejects a redelivery if an attempt starts while it waits', async () => {
  await deliveries.stopAll();
  await sql`update integration_deliveries set due_at = now() + interval '300 ms' where id = ${record}`.execute(
    harness.db,
  );
  const requests = await harness.db.transaction().execute(async tx => {
    await sql`select from integration_deliveries where id = ${record} for update`.execute(tx);
    const request = [redeliver()];
    await new Promise(resolve => setTimeout(resolve, 500));
    await sql`update integration_deliveries set attempts = 2 where id = ${record}`.execute(tx);
    return request;
  });

  const [rejection] = await Promise.all(requests);

  expect(rejection).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('due or running') },
  });
  await deliveries.start();
});
