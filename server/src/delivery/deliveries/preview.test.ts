import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const add = async (provider: string, parameters: object) => {
  const { status, body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: { provider, enabled: true, events: ['tag-type-created'], parameters },
  });
  expect({ status, details: body.details }).toEqual({ status: 201, details: undefined });
  return body.id as number;
};
const preview = (id: number, body: object = {}, options: object = {}) =>
  call(harness.app, 'POST', `/api/admin/addons/${id}/preview`, { body, ...options });

test('renders the request for the newest matching event exactly as it was sent, but with secrets masked', async () => {
  const id = await add('webhook', {
    url: `${deliveries.receiver.url}/secret-path`,
    authorization: 'Bearer secret-token',
    customHeaders: '{"X-Secret-Name":"secret-value","User-Agent":"secret-agent"}',
    bodyTemplate: '{ "text": "{{{eventMarkdown}}}", "type": "{{event.type}}" }',
  });
  await deliveries.recordEvent();
  const [record] = (await deliveries.waitUntilSettled(id)) as { event: { id: number } }[];
  const sentRequest = deliveries.receiver.received.at(-1);

  const { status, body } = await preview(id);

  expect(status).toBe(200);
  expect(body.rendered).toEqual({
    eventId: record?.event.id,
    problem: null,
    requests: [
      {
        url: `${deliveries.receiver.url}/*****`,
        headers: [
          { name: '*****', value: '*****' },
          { name: 'authorization', value: '*****' },
          { name: 'content-type', value: 'application/json' },
          { name: '*****', value: '*****' },
          { name: '*****', value: '*****' },
          { name: 'webhook-id', value: expect.stringMatching(/^dlv_0+$/) },
          { name: 'webhook-timestamp', value: expect.any(String) },
          { name: 'webhook-signature', value: '*****' },
          { name: 'x-event-id', value: String(record?.event.id) },
        ],
        body: sentRequest?.body,
        isBodyCut: false,
      },
    ],
  });
  expect(JSON.stringify(body)).not.toMatch(/secret/i);
});

test('renders the event with the given id', async () => {
  const id = (await deliveries.addWebhook()).id;
  for (let n = 0; n < 2; n++) await deliveries.recordEvent();
  const { events } = (await preview(id)).body;

  const { body } = await preview(id, { eventId: events[1].id });

  expect(body.rendered.eventId).toBe(events[1].id);
  expect(JSON.parse(body.rendered.requests[0].body).id).toBe(events[1].id);
});

test('shows a compressed body uncompressed', async () => {
  const id = await add('new-relic', { url: `${deliveries.receiver.url}/n`, licenseKey: 'secret-key' });
  await deliveries.recordEvent();
  await deliveries.waitUntilSettled(id);
  // Creating the integration also creates a tag type, whose event can arrive last.
  const sentBody = deliveries.receiver.received
    .filter(request => request.path === '/n')
    .map(request => gunzipSync(Buffer.from(request.body, 'base64')).toString())
    .find(text => text.includes('happened-'));

  const { body } = await preview(id);

  expect(body.rendered.requests[0]).toMatchObject({ body: sentBody, isBodyCut: false });
  expect(body.rendered.requests[0].headers).toContainEqual({ name: 'api-key', value: '*****' });
});

test('explains why no request can be created', async () => {
  const withoutChannel = await add('slack-app', { accessToken: 'secret-token' });
  const damagedId = (await deliveries.addWebhook()).id;
  await sql`update integrations set sealed_parameters = overlay(sealed_parameters placing 'AAAAAAAA' from 20)
    where id = ${damagedId}`.execute(harness.db);
  await deliveries.recordEvent();

  expect((await preview(withoutChannel)).body.rendered).toMatchObject({
    requests: [],
    problem: 'The configuration names no receiver.',
  });
  expect((await preview(damagedId)).body.rendered).toMatchObject({
    requests: [],
    problem: expect.stringContaining('cannot be decrypted'),
  });
});

test('truncates a large body', async () => {
  const id = await add('webhook', {
    url: deliveries.receiver.url,
  });
  await sql`insert into events (type, group_id, created_by, created_by_user_id, data)
    values ('tag-type-created', 'g', 'x', 1, jsonb_build_object('text', repeat('x', 100000)))`.execute(
    harness.db,
  );

  const { body } = await preview(id);

  expect(body.rendered.requests[0].body).toHaveLength(65_536);
  expect(body.rendered.requests[0].isBodyCut).toBe(true);
});

test('renders nothing without a matching event, and rejects a missing event and invalid ids', async () => {
  const { id } = await deliveries.addWebhook({ events: ['feature-archived'] });

  expect((await preview(id)).body).toEqual({ total: 0, events: [], rendered: null });
  expect((await preview(id, { eventId: 99_999_999 })).status).toBe(404);
  expect((await preview(id, { eventId: 0 })).status).toBe(400);
  expect((await preview(9999)).status).toBe(404);
  const { token } = await makeUser(harness.db, 'Editor');
  expect((await preview(id, {}, { token })).status).toBe(403);
});
