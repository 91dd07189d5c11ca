import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { SYSTEM } from '../../../platform/actor.ts';
import { change } from '../../../record/change.ts';
import { useDeliveries } from '../../../test/deliveries.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const SUMMARY = '**system** created flag **pay.checkout** in project **default**';
const LINK = 'http://localhost:4242/projects/default/features/pay.checkout';

beforeEach(async () => {
  await sql`update integrations set enabled = false`.execute(harness.db);
  deliveries.receiver.received.length = 0;
  deliveries.receiver.respondWith(200);
});

const add = async (provider: string, parameters: object) => {
  const { status, body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: { provider, enabled: true, events: ['feature-created'], parameters },
  });
  expect({ status, details: body.details }).toEqual({ status: 201, details: undefined });
  return body as { id: number; signingSecret?: string };
};

const recordFeatureCreated = () =>
  change(harness.db, SYSTEM, async ({ record }) =>
    record({
      type: 'feature-created',
      project: 'default',
      environment: 'production',
      featureName: 'pay.checkout',
      data: { name: 'pay.checkout', note: '<b>"x"</b> & more' },
      tags: [
        { type: 'slack', value: 'checkout' },
        { type: 'datadog', value: 'team:pay' },
      ],
    }),
  );

/** Records one event, and returns the requests that the receiver got and the delivery record. */
async function deliver(provider: string, parameters: object, requests = 1) {
  const { id, signingSecret } = await add(provider, parameters);
  await recordFeatureCreated();
  await deliveries.receiver.count(requests);
  const [record] = await deliveries.waitUntilSettled(id);
  const [request] = deliveries.receiver.received;
  if (!request || !record) throw new Error('nothing arrived');
  return { id, request, record, signingSecret: String(signingSecret), all: deliveries.receiver.received };
}

test('webhook: renders a template with escaped fields, the event as JSON inside JSON, and a one-line summary', async () => {
  const bodyTemplate =
    '{"type":"{{event.type}}","name":"{{event.data.name}}","note":"{{event.data.note}}","raw":{{{eventJson}}},"line":"{{{eventMarkdown}}}"}';

  const { request, record } = await deliver('webhook', { url: `${deliveries.receiver.url}/t`, bodyTemplate });

  const body = JSON.parse(request.body);
  expect(body).toEqual({
    type: 'feature-created',
    name: 'pay.checkout',
    note: '&lt;b&gt;&quot;x&quot;&lt;&#x2F;b&gt; &amp; more',
    raw: expect.any(String),
    line: SUMMARY,
  });
  expect(JSON.parse(body.raw)).toMatchObject({
    type: 'feature-created',
    data: { note: '<b>"x"</b> & more' },
  });
  expect(record.details).toMatchObject({ body });
});

test('webhook: sends plain text with a custom content type', async () => {
  const { request } = await deliver('webhook', {
    url: `${deliveries.receiver.url}/t`,
    contentType: 'text/plain',
    bodyTemplate: '{{{eventMarkdown}}}',
  });

  expect(request.headers['content-type']).toBe('text/plain');
  expect(request.body).toBe(SUMMARY);
});

const SLACK_TEXT = '*system* created flag *pay.checkout* in project *default*';
const BLOCKS = [
  { type: 'section', text: { type: 'mrkdwn', text: SLACK_TEXT } },
  {
    type: 'actions',
    elements: [
      { type: 'button', text: { type: 'plain_text', text: 'Open in Halyard' }, url: LINK, action_id: 'open' },
    ],
  },
];

test('Slack app: sends one message per channel, tag channels first, and reports missing channels as successWithErrors', async () => {
  deliveries.receiver.respondWith((request, response) => {
    const { channel } = JSON.parse(request.body);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(channel === 'gone' ? { ok: false, error: 'channel_not_found' } : { ok: true }),
    );
  });

  const { all, record } = await deliver(
    'slack-app',
    { accessToken: 'xoxb-1', defaultChannels: 'releases, gone', apiUrl: `${deliveries.receiver.url}/api` },
    3,
  );

  expect(all.map(({ path, headers }) => [path, headers.authorization, headers['content-type']])).toEqual(
    Array(3).fill(['/api/chat.postMessage', 'Bearer xoxb-1', 'application/json; charset=utf-8']),
  );
  expect(
    all.map(request => JSON.parse(request.body)).toSorted((a, b) => a.channel.localeCompare(b.channel)),
  ).toEqual(
    ['checkout', 'gone', 'releases'].map(channel => ({
      channel,
      text: SLACK_TEXT,
      blocks: BLOCKS,
      unfurl_links: false,
    })),
  );
  expect(record).toMatchObject({
    state: 'successWithErrors',
    stateDetails: expect.stringContaining('#gone: Slack rejected the message: channel_not_found.'),
    details: { channels: ['checkout', 'releases', 'gone'], message: SLACK_TEXT },
  });
  expect(JSON.stringify(record)).not.toContain('xoxb');
});

test('Slack app: retries when all channels reject the message, and fails without a channel', async () => {
  deliveries.receiver.respondWith((_, response) => response.end('{"ok":false,"error":"internal_error"}'));
  const parameters = { accessToken: 'xoxb-1', apiUrl: deliveries.receiver.url };

  const { record } = await deliver('slack-app', parameters, 3);

  expect(record).toMatchObject({
    state: 'failed',
    attempts: 3,
    stateDetails: expect.stringContaining('internal_error'),
  });
  const { id } = await add('slack-app', parameters);
  await change(harness.db, SYSTEM, async ({ record }) =>
    record({ type: 'feature-created', project: 'default' }),
  );
  const [recordWithoutChannel] = await deliveries.waitUntilSettled(id);
  expect(recordWithoutChannel).toMatchObject({
    state: 'failed',
    attempts: 1,
    stateDetails: expect.stringContaining('no receiver'),
  });
});

test.each(['channel_not_found', 'invalid_auth', 'not_in_channel', 'token_revoked'])(
  'Slack app: does not retry after %s',
  async error => {
    deliveries.receiver.respondWith((_, response) => response.end(JSON.stringify({ ok: false, error })));

    const { record, all } = await deliver('slack-app', {
      accessToken: 'xoxb-1',
      apiUrl: deliveries.receiver.url,
    });

    expect(record).toMatchObject({
      state: 'failed',
      attempts: 1,
      stateDetails: expect.stringContaining(error),
    });
    expect(all).toHaveLength(1);
  },
);

test.each([
  [404, 'no_service'],
  [404, 'channel_not_found'],
  [403, 'invalid_token'],
  [410, 'channel_is_archived'],
])('Slack incoming webhook: does not retry after %i %s, and stays enabled', async (status, error) => {
  deliveries.receiver.respondWith((_, response) => response.writeHead(status).end(error));

  const { id, record } = await deliver('slack', { url: `${deliveries.receiver.url}/services/T/B/s` });

  expect(record).toMatchObject({
    state: 'failed',
    attempts: 1,
    stateDetails: expect.stringContaining(error),
  });
  expect((await call(harness.app, 'GET', `/api/admin/addons/${id}`)).body.enabled).toBe(true);
});

test('Slack incoming webhook: retries when another channel may still succeed', async () => {
  deliveries.receiver.respondWith((request, response) =>
    JSON.parse(request.body).channel === '#gone'
      ? response.writeHead(404).end('channel_not_found')
      : response.writeHead(500).end('rollup_error'),
  );

  const { record } = await deliver(
    'slack',
    { url: `${deliveries.receiver.url}/services/T/B/s`, defaultChannel: 'gone' },
    6,
  );

  expect(record).toMatchObject({ state: 'failed', attempts: 3 });
});

test('Slack incoming webhook: sends one message per channel', async () => {
  const { all, record } = await deliver(
    'slack',
    {
      url: `${deliveries.receiver.url}/services/T/B/secret`,
      defaultChannel: 'releases',
      emojiIcon: ':flags:',
    },
    2,
  );

  expect(
    all.map(request => JSON.parse(request.body)).toSorted((a, b) => a.channel.localeCompare(b.channel)),
  ).toEqual(
    ['#checkout', '#releases'].map(channel => ({
      channel,
      username: 'Halyard',
      icon_emoji: ':flags:',
      text: SLACK_TEXT,
      blocks: BLOCKS,
    })),
  );
  expect(record.details).toEqual({
    url: `${deliveries.receiver.url}/*****`,
    channels: ['checkout', 'releases'],
    message: SLACK_TEXT,
  });
});

test('Microsoft Teams workflow: sends a message with one adaptive card', async () => {
  const { request } = await deliver('teamsworkflow', { url: `${deliveries.receiver.url}/workflows/1` });

  expect(request.headers['content-type']).toBe('application/json');
  expect(JSON.parse(request.body)).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: 'Flag created', weight: 'Bolder', size: 'Medium', wrap: true },
            { type: 'TextBlock', text: SUMMARY, wrap: true },
            {
              type: 'FactSet',
              facts: [
                { title: 'By', value: 'system' },
                { title: 'Project', value: 'default' },
                { title: 'Environment', value: 'production' },
              ],
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in Halyard', url: LINK }],
        },
      },
    ],
  });
});

test('Datadog: sends an event with the key in a header', async () => {
  deliveries.receiver.respondWith(202);

  const { request, record } = await deliver('datadog', {
    apiKey: 'dd-key',
    url: `${deliveries.receiver.url}/api/v1/events`,
    sourceTypeName: 'halyard',
  });

  expect(request.headers['dd-api-key']).toBe('dd-key');
  expect(JSON.parse(request.body)).toEqual({
    title: 'Halyard: Flag created',
    text: `%%%\n${SUMMARY}\n\n[Open in Halyard](${LINK})\n%%%`,
    date_happened: expect.any(Number),
    alert_type: 'info',
    tags: ['type:feature-created', 'project:default', 'env:production', 'feature:pay.checkout', 'team:pay'],
    source_type_name: 'halyard',
  });
  expect(record.state).toBe('success');
  expect(JSON.stringify(record)).not.toContain('dd-key');
});

test('New Relic: sends a compressed list with one flat custom event', async () => {
  const { request } = await deliver('new-relic', {
    url: `${deliveries.receiver.url}/v1/accounts/1/events`,
    licenseKey: 'nr-key',
  });

  expect(request.headers).toMatchObject({ 'api-key': 'nr-key', 'content-encoding': 'gzip' });
  const [event, ...more] = JSON.parse(gunzipSync(Buffer.from(request.body, 'base64')).toString());
  expect(more).toEqual([]);
  expect(event).toEqual({
    eventType: 'HalyardEvent',
    timestamp: expect.any(Number),
    halyardEventId: expect.any(Number),
    halyardEventType: 'feature-created',
    createdBy: 'system',
    createdByUserId: -1337,
    label: 'Flag created',
    summary: SUMMARY,
    project: 'default',
    environment: 'production',
    featureName: 'pay.checkout',
    data: expect.stringContaining('pay.checkout'),
  });
});

test('Discord: sends one embed without mentions', async () => {
  deliveries.receiver.respondWith(204);

  const { request } = await deliver('discord', { url: `${deliveries.receiver.url}/api/webhooks/1/secret` });

  expect(JSON.parse(request.body)).toEqual({
    username: 'Halyard',
    embeds: [
      {
        title: 'Flag created',
        description: SUMMARY,
        url: LINK,
        timestamp: expect.stringMatching(/Z$/),
        fields: [
          { name: 'Project', value: 'default', inline: true },
          { name: 'Environment', value: 'production', inline: true },
        ],
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

test('SIEM: sends a signed OCSF event of class Entity Management', async () => {
  const { request, signingSecret } = await deliver('siem', {
    url: `${deliveries.receiver.url}/collect`,
    authorization: 'Splunk 1',
  });

  expect(request.headers.authorization).toBe('Splunk 1');
  const body = new Webhook(signingSecret).verify(request.body, request.headers as Record<string, string>);
  expect(body).toEqual({
    activity_id: 1,
    activity_name: 'Create',
    category_uid: 3,
    category_name: 'Identity & Access Management',
    class_uid: 3004,
    class_name: 'Entity Management',
    type_uid: 300401,
    type_name: 'Entity Management: Create',
    time: expect.any(Number),
    severity_id: 1,
    severity: 'Informational',
    status_id: 1,
    status: 'Success',
    message: 'system created flag pay.checkout in project default',
    actor: { user: { name: 'system', uid: '-1337' } },
    entity: {
      name: 'pay.checkout',
      type: 'feature',
      data: expect.objectContaining({ name: 'pay.checkout' }),
    },
    metadata: {
      version: '1.3.0',
      uid: expect.stringMatching(/^\d+$/),
      correlation_uid: expect.any(String),
      event_code: 'feature-created',
      product: { name: 'Halyard', vendor_name: 'Halyard', url_string: 'http://localhost:4242' },
      labels: ['Flag created'],
    },
    unmapped: {
      createdByKind: 'system',
      project: 'default',
      environment: 'production',
      featureName: 'pay.checkout',
      preData: null,
      tags: expect.any(Array),
    },
  });
});

test('replaces the data of a large event with a link', async () => {
  const { id } = await add('webhook', { url: `${deliveries.receiver.url}/big` });
  await change(harness.db, SYSTEM, async ({ record }) =>
    record({ type: 'feature-created', project: 'default', data: { text: 'x'.repeat(300_000) } }),
  );

  const [request] = await deliveries.receiver.count(1);

  await deliveries.waitUntilSettled(id);
  const { id: event, data } = JSON.parse(request?.body ?? '');
  expect(data).toEqual({ truncated: true, link: `http://localhost:4242/api/admin/events/${event}` });
});

test("the first integration of a provider creates the provider's tag type", async () => {
  const { body } = await call(harness.app, 'GET', '/api/admin/tag-types');

  expect(body.tagTypes.map((tagType: { name: string }) => tagType.name)).toEqual(
    expect.arrayContaining(['slack', 'datadog', 'new-relic']),
  );
});
