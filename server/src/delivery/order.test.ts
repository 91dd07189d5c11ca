import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../test/deliveries.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';
import { waitForLockWaiters } from '../test/waiting.ts';
import { lockOrder } from './order.ts';
import { rescueDeliveries } from './sending/clean-up.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.received.length = 0;
  deliveries.receiver.respondWith(200);
});

const url = (id: number, rest = '') => `/api/admin/addons/${id}${rest}`;
const post = (path: string) => call(harness.app, 'POST', path);
const deliveredIds = () => deliveries.receiver.received.map(request => Number(request.headers['x-event-id']));

/** Creates three events, and makes the receiver reject the first one. Returns the records, oldest first. */
async function createBlockedDeliveries(id: number) {
  let first: number | undefined;
  deliveries.receiver.respondWith((request, response) => {
    const event = Number(request.headers['x-event-id']);
    first ??= event;
    response.writeHead(event === first ? 500 : 200).end();
  });
  for (let n = 0; n < 3; n++) await deliveries.recordEvent();
  await expect
    .poll(async () => (await deliveries.records(id)).map(record => [record.state, record.blocks]))
    .toEqual([
      ['pending', false],
      ['pending', false],
      ['failed', true],
    ]);
  return (await deliveries.records(id)).toReversed();
}

const blocking = { ordered: true, whenExhausted: 'block' };

test('an exhausted delivery blocks an ordered integration until it is skipped', async () => {
  const { id } = await deliveries.addWebhook(blocking);
  const [blockingRecord, second] = await createBlockedDeliveries(id);
  // Neither the job of a later event nor the requeuing job below unblocks the integration.
  await sql`update integration_deliveries set due_at = now() - interval '1 hour' where integration_id = ${id}`.execute(
    harness.db,
  );
  expect(await rescueDeliveries(harness.db)).toBe(0);
  expect(new Set(deliveredIds()).size).toBe(1);

  expect((await post(url(id, `/events/${second?.id}/skip`))).status).toBe(409);
  expect((await post(url(id, '/events/999999/skip'))).status).toBe(404);
  expect((await post(url(id, `/events/${blockingRecord?.id}/skip`))).status).toBe(200);

  const records = await deliveries.waitUntilSettled(id);
  expect(records.map(({ state, blocks }) => [state, blocks])).toEqual([
    ['success', false],
    ['success', false],
    ['failed', false],
  ]);
  expect(deliveredIds()).toEqual(deliveredIds().toSorted((a, b) => a - b));
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:integration-delivery-skipped',
  );
  expect(body.events).toMatchObject([{ data: { id, record: blockingRecord?.id } }]);
  expect((await post(url(id, `/events/${blockingRecord?.id}/skip`))).status).toBe(409);
});

test('redelivering a blocking delivery continues with the later ones in order', async () => {
  const { id } = await deliveries.addWebhook(blocking);
  const [blockingRecord] = await createBlockedDeliveries(id);
  deliveries.receiver.respondWith(200);

  expect((await post(url(id, `/events/${blockingRecord?.id}/redeliver`))).status).toBe(202);

  expect((await deliveries.waitUntilSettled(id)).map(({ state }) => state)).toEqual([
    'success',
    'success',
    'success',
  ]);
  expect(deliveredIds()).toEqual(deliveredIds().toSorted((a, b) => a - b));
});

test('setting whenExhausted to skip unblocks the integration', async () => {
  const { id } = await deliveries.addWebhook(blocking);
  await createBlockedDeliveries(id);

  const { body } = await call(harness.app, 'GET', url(id));
  expect(body).toMatchObject(blocking);
  const { provider, enabled, events } = body;
  const update = await call(harness.app, 'PUT', url(id), {
    body: { provider, enabled, events, parameters: { url: '*****' }, whenExhausted: 'skip' },
  });

  expect(update.body).toMatchObject({ ordered: true, whenExhausted: 'skip' });
  expect((await deliveries.waitUntilSettled(id)).map(({ state }) => state)).toEqual([
    'success',
    'success',
    'failed',
  ]);
});

test('skipping a delivery waits for the lock under which deliveries finish', async () => {
  const { id } = await deliveries.addWebhook(blocking);
  const [blockingRecord] = await createBlockedDeliveries(id);
  const blocker = await harness.db.startTransaction().execute();
  await lockOrder(blocker, [id]);

  const skip = post(url(id, `/events/${blockingRecord?.id}/skip`));
  await waitForLockWaiters(harness.db);
  expect((await deliveries.records(id)).map(({ blocks }) => blocks)).toEqual([false, false, true]);
  await blocker.rollback().execute();

  expect((await skip).status).toBe(200);
  expect((await deliveries.waitUntilSettled(id)).map(({ state }) => state)).toEqual([
    'success',
    'success',
    'failed',
  ]);
});

test('warns once after a day of failures, and again only after a success', async () => {
  const { id } = await deliveries.addWebhook();
  const failForADay = async () => {
    deliveries.receiver.respondWith(500);
    await sql`update integrations set failing_since = now() - interval '25 hours', failed_attempts = 4 where id = ${id}`.execute(
      harness.db,
    );
    await deliveries.recordEvent();
    await deliveries.waitUntilSettled(id);
  };
  const listWarnings = async () => {
    const { body } = await call(
      harness.app,
      'GET',
      '/api/admin/search/events?type=IS:integration-failing&limit=1000',
    );
    return body.events.filter((event: { data: { id: number } }) => event.data.id === id);
  };

  await failForADay();
  await expect.poll(async () => (await listWarnings()).length).toBe(1);
  await failForADay();
  deliveries.receiver.respondWith(200);
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);
  expect(await listWarnings()).toMatchObject([
    { createdBy: 'system', data: { failingSince: expect.any(String), failedAttempts: expect.any(Number) } },
  ]);

  await failForADay();
  await expect.poll(async () => (await listWarnings()).length).toBe(2);
});
