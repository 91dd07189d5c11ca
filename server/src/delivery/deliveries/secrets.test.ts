import { execFileSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { makeSender } from '../../platform/outgoing/send.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { PROVIDERS } from '../integrations/providers/list.ts';
import { checkSealed, resealSecrets } from '../integrations/reseal.ts';

const harness = useHarness();
const sender = makeSender({ allowed: [], allowPrivate: true });
afterAll(() => sender.close());
// The server stores the responses as if they came from a public receiver.
const deliveries = useDeliveries(harness, {
  send: async request => ({ ...(await sender.send(request)), isPublic: true }),
});
const CANARY = 'CANARY7f3a9';
/** Contains the canary as a value, in a header name, and in headers that the server also sets. */
const CUSTOM_HEADERS = {
  'X-Secret': CANARY,
  [`X-${CANARY}`]: 'x',
  'User-Agent': CANARY,
  'Content-Type': CANARY,
};

/** Returns a valid value that contains the canary, for any sensitive parameter. */
const canaryValue = (type: string, name: string): string => {
  if (type === 'url') return `${deliveries.receiver.url}/${CANARY}?key=${CANARY}`;
  return type === 'headers' ? JSON.stringify(CUSTOM_HEADERS) : `${CANARY}-${name}`;
};
const requiredValue = (type: string): string => (type === 'url' ? deliveries.receiver.url : 'x');

test('reveals no secret in responses, events, records, attempts, jobs or logs, and stores only ciphertext', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  // Logs at the level that writes every line, including statements.
  const app = await buildApp(harness.db, APP_SETTINGS, {
    logger: undefined,
    loggerInstance: pino({ level: 'trace' }, stream),
  } as never);
  const recordedResponses: string[] = [];
  const callAndRecord = async (
    ...request: Parameters<typeof call> extends [unknown, ...infer R] ? R : never
  ) => {
    const response = await call(app, ...request);
    recordedResponses.push(JSON.stringify(response));
    return response;
  };
  // The receiver echoes the request in its response.
  deliveries.receiver.respondWith(({ path, headers }, response) => {
    const values = Object.values(headers).map(String);
    response.writeHead(500, { 'x-echo': values.join(';'), 'x-path': path });
    response.end(JSON.stringify({ path, values, cut: `${'x'.repeat(4_000)}${CANARY.repeat(10)}` }));
  });
  const ids: number[] = [];
  for (const { name: provider, parameters: definitions } of PROVIDERS) {
    const parameters = Object.fromEntries(
      definitions
        .filter(
          ({ sensitive, required, name }) => sensitive || required || name === 'apiUrl' || name === 'url',
        )
        .map(({ name, type, sensitive }) => [
          name,
          sensitive ? canaryValue(type, name) : requiredValue(type),
        ]),
    );
    const body = { provider, enabled: true, events: ['tag-type-created'], parameters };
    const created = await callAndRecord('POST', '/api/admin/addons', {
      body: { ...body, parameters: { ...parameters, defaultChannels: 'x' } },
    });
    expect(created.status).toBe(201);
    // Removes the signing secret, because this is the only response that may contain it.
    recordedResponses[recordedResponses.length - 1] = (recordedResponses.at(-1) ?? '').replace(
      String(created.body.signingSecret),
      '',
    );
    ids.push(created.body.id);
    await callAndRecord('PUT', `/api/admin/addons/${created.body.id}`, {
      body: { ...body, description: 'x' },
    });
    await callAndRecord('PUT', `/api/admin/addons/${created.body.id}`, {
      body: { ...body, parameters: { ...parameters, customHeaders: `{"${CANARY} x":"${CANARY}"}` } },
    });
    await callAndRecord('POST', `/api/admin/addons/${created.body.id}/test`);
  }
  await deliveries.recordEvent();
  for (const id of ids) await deliveries.waitUntilSettled(id);
  for (const id of ids) {
    await callAndRecord('GET', `/api/admin/addons/${id}`);
    const records = await callAndRecord('GET', `/api/admin/addons/${id}/events`);
    for (const record of records.body.integrationEvents) {
      await callAndRecord('GET', `/api/admin/addons/${id}/events/${record.id}`);
      await callAndRecord('GET', `/api/admin/events/${record.event.id}/deliveries`);
      await callAndRecord('POST', `/api/admin/addons/${id}/events/${record.id}/redeliver?dryRun=true`);
    }
    const preview = await callAndRecord('POST', `/api/admin/addons/${id}/preview`, { body: {} });
    expect(preview.body.rendered).not.toBeNull();
    await callAndRecord('GET', `/api/admin/addons/${id}/stats`);
    await callAndRecord('GET', `/api/admin/addons/${id}/events?query=${CANARY.toLowerCase().slice(0, 5)}`);
    const since = '2020-01-01T00:00:00Z';
    await callAndRecord('POST', `/api/admin/addons/${id}/redeliver?dryRun=true`, { body: { since } });
    await callAndRecord('POST', `/api/admin/addons/${id}/backfill?dryRun=true`, { body: { from: since } });
  }
  await callAndRecord('GET', '/api/admin/deliveries?limit=1000');
  await callAndRecord('GET', '/api/admin/addons');
  await callAndRecord('GET', '/api/admin/search/events?limit=1000');
  await callAndRecord('DELETE', `/api/admin/addons/${ids.pop()}`);

  const dump = execFileSync('pg_dump', [harness.databaseUrl], { encoding: 'utf8', maxBuffer: 100_000_000 });
  // Proves that the secrets were really sent.
  expect(JSON.stringify(deliveries.receiver.received)).toContain(CANARY);
  expect(dump).toContain('v1.');
  for (const [source, text] of Object.entries({
    responses: recordedResponses.join('\n'),
    log: lines.join('\n'),
    dump,
    results: JSON.stringify(deliveries.results),
  })) {
    const signatures = deliveries.receiver.received.flatMap(
      ({ headers }) => headers['webhook-signature'] ?? [],
    );
    expect({
      place: source,
      found: signatures.filter(signature => text.includes(String(signature))),
    }).toEqual({
      place: source,
      found: [],
    });
    expect({ place: source, found: text.toLowerCase().includes(CANARY.toLowerCase()) }).toEqual({
      place: source,
      found: false,
    });
    expect({
      place: source,
      found: text.includes(Buffer.from(CANARY).toString('base64').slice(0, 12)),
    }).toEqual({
      place: source,
      found: false,
    });
    expect({ place: source, found: text.includes('whsec_') }).toEqual({ place: source, found: false });
  }
  await app.close();
});

test('encrypts all secrets with the new key, and a server without the right key does not start', async () => {
  const { id } = await deliveries.addWebhook();
  const [oldKey, newKey] = [APP_SETTINGS.secretKey, Buffer.alloc(32, 9)];
  const bothKeys = makeKeyring(newKey, [oldKey]);
  await expect(checkSealed(harness.db, makeKeyring(newKey, []))).rejects.toThrow('HALYARD_OLD_SECRET_KEYS');
  await expect(checkSealed(harness.db, [])).rejects.toThrow('HALYARD_SECRET_KEY is not set');
  await checkSealed(harness.db, bothKeys);

  expect((await resealSecrets(harness.db, bothKeys)).resealed).toBeGreaterThan(0);

  await checkSealed(harness.db, makeKeyring(newKey, []));
  await expect(checkSealed(harness.db, makeKeyring(oldKey, []))).rejects.toThrow(/integration \d+/);
  expect(await resealSecrets(harness.db, bothKeys)).toEqual({ resealed: 0, unreadable: [] });
  const { rows } = await sql<{ sealed: string }>`
    select sealed_parameters as sealed from integrations where id = ${id}`.execute(harness.db);
  expect(rows[0]?.sealed).toMatch(new RegExp(`^v1\\.${bothKeys[0]?.id}\\.`));
});
