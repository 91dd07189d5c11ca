import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { rescueDeliveries } from './clean-up.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.received.length = 0;
  deliveries.receiver.respondWith(200);
});

const listAttempts = async (integration: number, record: unknown) =>
  (await call(harness.app, 'GET', `/api/admin/addons/${integration}/events/${record}`)).body.attemptList;

test('delivers a signed event and records the delivery', async () => {
  const { id, signingSecret } = await deliveries.addWebhook(
    {},
    { authorization: 'Bearer x', customHeaders: '{"X-A":"b"}' },
  );

  await deliveries.recordEvent();

  const [request] = await deliveries.receiver.count(1);
  const [record] = await deliveries.waitUntilSettled(id);
  expect(record).toMatchObject({
    id: expect.stringMatching(/^\d+$/),
    integrationId: id,
    state: 'success',
    stateDetails: expect.stringContaining('200'),
    event: { type: 'tag-type-created', label: 'Tag type created' },
    details: { url: `${deliveries.receiver.url}/*****`, contentType: 'application/json' },
    attempts: 1,
    nextAttemptAt: null,
    blocks: false,
    replayOf: null,
  });
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer x',
    'x-a': 'b',
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
  });
  const verifiedEvent = new Webhook(signingSecret).verify(
    request?.body ?? '',
    request?.headers as Record<string, string>,
  );
  expect(verifiedEvent).toMatchObject({ type: 'tag-type-created', createdBy: expect.any(String) });
  expect(Object.keys(verifiedEvent as object)).not.toContain('ip');
  expect(record?.details).toMatchObject({ body: verifiedEvent });
  expect(request?.headers['x-event-id']).toBe(String((verifiedEvent as { id: number }).id));
  expect(await listAttempts(id, record?.id)).toEqual([
    {
      number: 1,
      startedAt: expect.any(String),
      outcome: 'success',
      durationMs: expect.any(Number),
      status: 200,
      address: '127.0.0.1',
      error: null,
      response: null,
      headers: null,
      bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      requestHeaders: [
        { name: 'user-agent', value: 'Halyard' },
        { name: 'authorization', value: '*****' },
        { name: 'content-type', value: 'application/json' },
        { name: '*****', value: '*****' },
        { name: 'webhook-id', value: request?.headers['webhook-id'] },
        { name: 'webhook-timestamp', value: request?.headers['webhook-timestamp'] },
        { name: 'webhook-signature', value: '*****' },
        { name: 'x-event-id', value: request?.headers['x-event-id'] },
      ],
    },
  ]);
});

test('signs with both secrets during the overlap of a rotation, then with the new secret', async () => {
  const { id, signingSecret } = await deliveries.addWebhook();
  const rotate = async (body: object) =>
    (await call(harness.app, 'POST', `/api/admin/addons/${id}/rotate-secret`, { body })).body.signingSecret;
  const verifies = (secret: string) => {
    const lastRequest = deliveries.receiver.received.at(-1);
    try {
      new Webhook(secret).verify(lastRequest?.body ?? '', lastRequest?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  const secondSecret = await rotate({ overlapHours: 1 });
  await deliveries.recordEvent();
  await deliveries.receiver.count(1);
  expect([signingSecret, secondSecret].map(verifies)).toEqual([true, true]);

  const thirdSecret = await rotate({ overlapHours: 0, force: true });
  await deliveries.recordEvent();
  await deliveries.receiver.count(2);
  expect([signingSecret, secondSecret, thirdSecret].map(verifies)).toEqual([false, false, true]);
});

test('retries a failed delivery with the same webhook-id until it is exhausted, and records each attempt', async () => {
  deliveries.receiver.respondWith(500);
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();

  const [record] = await deliveries.waitUntilSettled(id);
  expect(record).toMatchObject({
    state: 'failed',
    attempts: 3,
    stateDetails: expect.stringContaining('500'),
  });
  expect(new Set(deliveries.receiver.received.map(request => request.headers['webhook-id'])).size).toBe(1);
  const attempts = await listAttempts(id, record?.id);
  expect(
    attempts.map((attempt: { outcome: string; status: number }) => [attempt.outcome, attempt.status]),
  ).toEqual([
    ['rejected', 500],
    ['rejected', 500],
    ['rejected', 500],
  ]);
});

test('delivers an event once the receiver has recovered', async () => {
  let requestCount = 0;
  deliveries.receiver.respondWith((_, response) => response.writeHead(++requestCount < 3 ? 503 : 204).end());
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();

  expect((await deliveries.waitUntilSettled(id))[0]).toMatchObject({ state: 'success', attempts: 3 });
});

test('disables an integration after 410 and records the reason', async () => {
  deliveries.receiver.respondWith(410);
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();

  expect((await deliveries.waitUntilSettled(id))[0]).toMatchObject({ state: 'failed', attempts: 1 });
  await expect
    .poll(async () => (await call(harness.app, 'GET', `/api/admin/addons/${id}`)).body)
    .toMatchObject({ enabled: false, disabledBecause: expect.stringContaining('410') });
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:integration-disabled&limit=1',
  );
  expect(body.events[0]).toMatchObject({
    createdBy: 'system',
    data: { id, reason: expect.stringContaining('410') },
  });
});

test('does not follow a redirect', async () => {
  deliveries.receiver.respondWith((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const { id } = await deliveries.addWebhook();

  await deliveries.recordEvent();

  expect((await deliveries.waitUntilSettled(id))[0]).toMatchObject({ state: 'failed', attempts: 3 });
  expect(deliveries.receiver.received.map(request => request.path)).toEqual(['/hook', '/hook', '/hook']);
});

test('redelivers a finished record, and all failed records', async () => {
  deliveries.receiver.respondWith(500);
  const { id } = await deliveries.addWebhook();
  await deliveries.recordEvent();
  await deliveries.recordEvent();
  const [first, second] = await deliveries.waitUntilSettled(id);
  const url = `/api/admin/addons/${id}`;
  deliveries.receiver.respondWith(200);

  const redelivery = await call(harness.app, 'POST', `${url}/events/${first?.id}/redeliver`);
  expect(redelivery).toMatchObject({ status: 202, body: { deliveries: 1, complete: true } });
  await expect
    .poll(async () => (await deliveries.records(id, '?state=success')).map(record => record.id))
    .toEqual([first?.id]);
  const bulkRedelivery = await call(harness.app, 'POST', `${url}/redeliver`, {
    body: { since: '2020-01-01T00:00:00Z' },
  });
  expect(bulkRedelivery).toMatchObject({ status: 202, body: { deliveries: 1, complete: true } });
  const records = await deliveries.waitUntilSettled(id);

  expect(records.map(record => [record.id, record.state, record.attempts])).toEqual([
    [first?.id, 'success', 4],
    [second?.id, 'success', 4],
  ]);
  expect(new Set(deliveries.receiver.received.map(request => request.headers['webhook-id'])).size).toBe(2);
  expect((await call(harness.app, 'POST', `${url}/events/999999/redeliver`)).status).toBe(404);
  expect((await call(harness.app, 'POST', `${url}/redeliver`, { body: { since: 'yesterday' } })).status).toBe(
    400,
  );
  expect(
    (await call(harness.app, 'POST', `${url}/redeliver`, { body: { since: '2020-01-01T00:00:00Z' } })).body,
  ).toEqual({ deliveries: 0, complete: true });
  const { body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:integration-redelivered&limit=9',
  );
  expect(body.events).toHaveLength(2);
});

test('delivers a test event only to its integration, even while the integration is disabled', async () => {
  const { id } = await deliveries.addWebhook({ enabled: false, events: ['feature-archived'] });
  const otherWebhook = await deliveries.addWebhook({ events: ['*'] });
  // The other integration gets every event, including the one that records its own creation.
  await deliveries.waitUntilSettled(otherWebhook.id);
  deliveries.receiver.received.length = 0;

  expect((await call(harness.app, 'POST', `/api/admin/addons/${id}/test`)).status).toBe(202);

  const [request] = await deliveries.receiver.count(1);
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 'integration-tested', test: true });
  expect(await deliveries.waitUntilSettled(id)).toMatchObject([{ state: 'success' }]);
  expect(await deliveries.records(otherWebhook.id)).toMatchObject([
    { event: { type: 'addon-config-created' } },
  ]);
});

test('backfills the events that a disabled integration missed, but only once', async () => {
  const { id } = await deliveries.addWebhook();
  const url = `/api/admin/addons/${id}`;
  const put = (enabled: boolean) =>
    call(harness.app, 'PUT', url, {
      body: { provider: 'webhook', enabled, events: ['tag-type-created'], parameters: { url: '*****' } },
    });
  const startTime = new Date().toISOString();
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);
  await put(false);
  await deliveries.recordEvent();
  await deliveries.recordEvent();
  expect((await call(harness.app, 'POST', `${url}/backfill`, { body: { from: startTime } })).status).toBe(
    403,
  );
  const { body } = await put(true);
  expect(body.disabledAt).not.toBeNull();

  const preview = await call(harness.app, 'POST', `${url}/preview`, { body: { days: 1 } });
  const firstBackfill = await call(harness.app, 'POST', `${url}/backfill`, { body: { from: startTime } });
  await deliveries.receiver.count(3);
  const secondBackfill = await call(harness.app, 'POST', `${url}/backfill`, { body: { from: startTime } });

  expect(preview.body.total).toBeGreaterThanOrEqual(3);
  expect(preview.body.events[0].type).toBe('tag-type-created');
  expect(firstBackfill).toMatchObject({ status: 202, body: { deliveries: 2, complete: true } });
  expect(secondBackfill.body).toEqual({ deliveries: 0, complete: true });
  expect((await deliveries.waitUntilSettled(id)).map(record => record.state)).toEqual([
    'success',
    'success',
    'success',
  ]);
  expect(deliveries.receiver.received).toHaveLength(3);
});

test('changing a filter on one server affects the next event on another server', async () => {
  const { id } = await deliveries.addWebhook();
  const secondServer = await harness.secondServer();
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);

  await call(secondServer, 'PUT', `/api/admin/addons/${id}`, {
    body: { provider: 'webhook', enabled: true, events: ['tag-created'], parameters: { url: '*****' } },
  });
  await deliveries.recordEvent();

  expect(await deliveries.records(id)).toHaveLength(1);
});

test('marks open deliveries as failed when the integration is disabled', async () => {
  deliveries.receiver.respondWith((_, response) => response.writeHead(500).end());
  const { id } = await deliveries.addWebhook();
  await sql`update integrations set enabled = true where id = ${id}`.execute(harness.db);
  await deliveries.recordEvent();
  await deliveries.receiver.count(1);

  await sql`update integrations set enabled = false where id = ${id}`.execute(harness.db);

  const [record] = await deliveries.waitUntilSettled(id);
  expect(record?.state).toBe('failed');
});

test('delivers events to an ordered integration in order, and continues after an exhausted delivery', async () => {
  const { id } = await deliveries.addWebhook({ ordered: true });
  let failingEvent = '';
  deliveries.receiver.respondWith((request, response) => {
    const { id: event } = JSON.parse(request.body);
    failingEvent ||= String(event);
    response.writeHead(String(event) === failingEvent ? 500 : 200).end();
  });

  await Promise.all(Array.from({ length: 8 }, () => deliveries.recordEvent()));

  const records = await deliveries.waitUntilSettled(id);
  const order = deliveries.receiver.received.map(request => Number(request.headers['x-event-id']));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).toHaveLength(10);
  expect(records.map(record => record.state).toSorted()).toEqual([
    ...Array(1).fill('failed'),
    ...Array(7).fill('success'),
  ]);
});

test('waits for a lower event id that is not committed yet before it delivers to an ordered integration', async () => {
  const { id } = await deliveries.addWebhook({ ordered: true });
  const tx = await harness.db.startTransaction().execute();
  const { rows } = await sql<{ id: number }>`
    insert into events (type, group_id, created_by) values ('tag-type-created', 'g', 'test') returning id`.execute(
    tx,
  );
  const earlyId = rows[0]?.id;
  await sql`insert into integration_deliveries (integration_id, event_id) values (${id}, ${earlyId})`.execute(
    tx,
  );

  const countCompletedJobs = async () => {
    const { rows } = await sql`
      select from pgboss.job join integration_deliveries d on job.data ->> 'delivery' = d.id::text
      where job.name = 'deliver' and job.state = 'completed' and d.integration_id = ${id}`.execute(
      harness.db,
    );
    return rows.length;
  };

  await deliveries.recordEvent();
  // The dispatcher completes the job of a delivery that it cannot send yet, and inserts another one for later.
  await expect.poll(countCompletedJobs).toBeGreaterThan(1);
  const receivedBefore = deliveries.receiver.received.length;
  await tx.commit().execute();
  await sql`update integration_deliveries set due_at = now() - interval '1 hour' where event_id = ${earlyId}`.execute(
    harness.db,
  );
  expect(await rescueDeliveries(harness.db)).toBe(1);

  await deliveries.receiver.count(2);
  expect(receivedBefore).toBe(0);
  expect(Number(deliveries.receiver.received[0]?.headers['x-event-id'])).toBe(earlyId);
  await deliveries.waitUntilSettled(id);
});
