import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness, { schedule: [0, 3_600] });

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.received.length = 0;
  deliveries.receiver.respondWith(200);
});

type ShownRecord = {
  id: string;
  createdAt: string;
  state: string;
  stateDetails: string;
  nextAttemptAt: string | null;
  details: Record<string, unknown>;
  event: { id: number; createdAt: string; summary: string; parts?: { text: string }[] };
};
/** Returns an integration's records, oldest first. */
const records = async (id: number) => (await deliveries.records(id)).toReversed() as ShownRecord[];

test('describes a delivery before its first attempt', async () => {
  await deliveries.stopAll();
  const { id } = await deliveries.addWebhook();
  const timeBefore = Date.now();

  await deliveries.recordEvent();

  const [record] = await records(id);
  expect(record).toMatchObject({ state: 'pending', stateDetails: 'Waiting for its first attempt.' });
  expect(record?.details).toEqual({ provider: 'webhook', message: record?.event.summary });
  expect(record?.event.parts?.map(({ text }) => text).join('')).toBe(
    record?.event.summary.replace(/\*\*|\\/g, ''),
  );
  expect(Date.parse(record?.nextAttemptAt ?? '')).toBeGreaterThanOrEqual(timeBefore);
  // Even if the attempt is overdue, its time is not in the past.
  await sql`update integration_deliveries set due_at = now() - interval '1 hour' where integration_id = ${id}`.execute(
    harness.db,
  );
  expect(Date.parse((await records(id))[0]?.nextAttemptAt ?? '')).toBeGreaterThanOrEqual(timeBefore);
  expect(Date.parse(record?.createdAt ?? '')).toBeGreaterThanOrEqual(
    Date.parse(record?.event.createdAt ?? ''),
  );
  await deliveries.start();
  await deliveries.waitUntilSettled(id);
});

test('describes a running attempt and shows no next attempt', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  deliveries.receiver.respondWith((_, response) => void released.then(() => response.end()));
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();
  await deliveries.receiver.count(1);

  expect(await records(id)).toMatchObject([
    { state: 'pending', stateDetails: 'Attempt 1 is running.', nextAttemptAt: null },
  ]);
  release();
  await deliveries.waitUntilSettled(id);
});

test('describes a retried delivery with the time of its next attempt', async () => {
  deliveries.receiver.respondWith(503);
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();
  await expect.poll(async () => (await records(id))[0]?.state).toBe('retrying');

  const [record] = await records(id);
  expect(record?.stateDetails).toBe(
    `Attempt 1 of 2 failed. The receiver responded with 503. Next attempt at ${record?.nextAttemptAt}.`,
  );
  expect(Date.parse(record?.nextAttemptAt ?? '')).toBeGreaterThan(Date.now());
});

test('names the event that blocks a delivery of an ordered integration', async () => {
  deliveries.receiver.respondWith(503);
  const { id } = await deliveries.addWebhook({ ordered: true, whenExhausted: 'block' });

  for (let n = 0; n < 3; n++) await deliveries.recordEvent();
  await expect.poll(async () => (await records(id))[0]?.state).toBe('retrying');

  const [first, second, third] = await records(id);
  for (const record of [second, third]) {
    expect(record).toMatchObject({
      state: 'pending',
      stateDetails: `Waiting for event ${first?.event.id}, which is delivered first.`,
      nextAttemptAt: null,
    });
  }
  await sql`update integration_deliveries set state = 'failed', holds = true where id = ${first?.id}`.execute(
    harness.db,
  );
  expect((await records(id))[1]?.stateDetails).toBe(
    `Waiting for event ${first?.event.id}, whose delivery failed. Redeliver or skip that delivery.`,
  );
});

test('describes a redelivered record as waiting', async () => {
  const { id } = await deliveries.addWebhook();
  await deliveries.recordEvent();
  const [record] = await deliveries.waitUntilSettled(id);
  await deliveries.stopAll();

  await call(harness.app, 'POST', `/api/admin/addons/${id}/events/${record?.id}/redeliver`);

  expect(await records(id)).toMatchObject([{ state: 'pending', stateDetails: 'Waiting to be redelivered.' }]);
  await deliveries.start();
  await deliveries.waitUntilSettled(id);
});

test.each([
  [
    'closes the connection',
    (_: unknown, response: { destroy: () => void }) => response.destroy(),
    /closed the connection/,
  ],
  [
    'does not speak HTTP',
    (_: unknown, response: { socket: { end: (text: string) => void } | null }) =>
      response.socket?.end('NOPE\r\n\r\n'),
    /not valid HTTP/,
  ],
])('describes a receiver that %s', async (_, receiverResponse, message) => {
  deliveries.receiver.respondWith(receiverResponse as never);
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();
  await expect.poll(async () => (await records(id))[0]?.state).toBe('retrying');

  const [record] = await records(id);
  expect(record?.stateDetails).toMatch(message);
  expect(record?.stateDetails).not.toMatch(/[A-Z]+_[A-Z_]+|ECONN|Error/);
});

test('describes an unreachable receiver', async () => {
  const { id } = await deliveries.addWebhook({}, { url: 'http://127.0.0.1:1/' });

  await deliveries.recordEvent();
  await expect.poll(async () => (await records(id))[0]?.state).toBe('retrying');

  expect((await records(id))[0]?.stateDetails).toContain('ECONNREFUSED');
});
