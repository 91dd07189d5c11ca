import { execFileSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { makeSender } from '../../platform/outgoing/send.ts';
import { keyringOf } from '../../platform/secrets/seal.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { PROVIDERS } from '../integrations/providers/list.ts';
import { checkSealed, resealSecrets } from '../integrations/reseal.ts';

const harness = useHarness();
const sender = makeSender({ allowed: [], allowPrivate: true });
afterAll(() => sender.close());
// Responses are stored like those of a public receiver.
const deliveries = useDeliveries(harness, {
  send: async request => ({ ...(await sender.send(request)), isPublic: true }),
});
const CANARY = 'CANARY7f3a9';
/** In the name of a header, and in headers that the server also sets. */
const CUSTOM_HEADERS = {
  'X-Secret': CANARY,
  [`X-${CANARY}`]: 'x',
  'User-Agent': CANARY,
  'Content-Type': CANARY,
};

/** A valid value for every sensitive parameter, with the canary in it. */
const planted = (type: string, name: string): string => {
  if (type === 'url') return `${deliveries.receiver.url}/${CANARY}?key=${CANARY}`;
  return type === 'headers' ? JSON.stringify(CUSTOM_HEADERS) : `${CANARY}-${name}`;
};
const needed = (type: string): string => (type === 'url' ? deliveries.receiver.url : 'x');

test('discloses no secret in responses, events, records, attempts, jobs or logs, and stores only ciphertext', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  // At the log level that writes every line, including statements.
  const app = await buildApp(harness.db, APP_SETTINGS, {
    logger: undefined,
    loggerInstance: pino({ level: 'trace' }, stream),
  } as never);
  const said: string[] = [];
  const ask = async (...request: Parameters<typeof call> extends [unknown, ...infer R] ? R : never) => {
    const answer = await call(app, ...request);
    said.push(JSON.stringify(answer));
    return answer;
  };
  // A receiver that repeats the request in its response.
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
        .map(({ name, type, sensitive }) => [name, sensitive ? planted(type, name) : needed(type)]),
    );
    const body = { provider, enabled: true, events: ['tag-type-created'], parameters };
    const made = await ask('POST', '/api/admin/addons', {
      body: { ...body, parameters: { ...parameters, defaultChannels: 'x' } },
    });
    expect(made.status).toBe(201);
    // The signing secret is shown this once.
    said[said.length - 1] = (said.at(-1) ?? '').replace(String(made.body.signingSecret), '');
    ids.push(made.body.id);
    await ask('PUT', `/api/admin/addons/${made.body.id}`, { body: { ...body, description: 'x' } });
    await ask('PUT', `/api/admin/addons/${made.body.id}`, {
      body: { ...body, parameters: { ...parameters, customHeaders: `{"${CANARY} x":"${CANARY}"}` } },
    });
    await ask('POST', `/api/admin/addons/${made.body.id}/test`);
  }
  await deliveries.happen();
  for (const id of ids) await deliveries.settled(id);
  for (const id of ids) {
    await ask('GET', `/api/admin/addons/${id}`);
    const records = await ask('GET', `/api/admin/addons/${id}/events`);
    for (const record of records.body.integrationEvents) {
      await ask('GET', `/api/admin/addons/${id}/events/${record.id}`);
      await ask('GET', `/api/admin/events/${record.event.id}/deliveries`);
      await ask('POST', `/api/admin/addons/${id}/events/${record.id}/redeliver?dryRun=true`);
    }
    const previewed = await ask('POST', `/api/admin/addons/${id}/preview`, { body: {} });
    expect(previewed.body.rendered).not.toBeNull();
    await ask('GET', `/api/admin/addons/${id}/stats`);
    await ask('GET', `/api/admin/addons/${id}/events?query=${CANARY.toLowerCase().slice(0, 5)}`);
    const since = '2020-01-01T00:00:00Z';
    await ask('POST', `/api/admin/addons/${id}/redeliver?dryRun=true`, { body: { since } });
    await ask('POST', `/api/admin/addons/${id}/backfill?dryRun=true`, { body: { from: since } });
  }
  await ask('GET', '/api/admin/deliveries?limit=1000');
  await ask('GET', '/api/admin/addons');
  await ask('GET', '/api/admin/search/events?limit=1000');
  await ask('DELETE', `/api/admin/addons/${ids.pop()}`);

  const dump = execFileSync('pg_dump', [harness.databaseUrl], { encoding: 'utf8', maxBuffer: 100_000_000 });
  // They did arrive where they belong.
  expect(JSON.stringify(deliveries.receiver.received)).toContain(CANARY);
  expect(dump).toContain('v1.');
  for (const [place, text] of Object.entries({
    answers: said.join('\n'),
    log: lines.join('\n'),
    dump,
    results: JSON.stringify(deliveries.results),
  })) {
    const signatures = deliveries.receiver.received.flatMap(
      ({ headers }) => headers['webhook-signature'] ?? [],
    );
    expect({ place, found: signatures.filter(one => text.includes(String(one))) }).toEqual({
      place,
      found: [],
    });
    expect({ place, found: text.toLowerCase().includes(CANARY.toLowerCase()) }).toEqual({
      place,
      found: false,
    });
    expect({ place, found: text.includes(Buffer.from(CANARY).toString('base64').slice(0, 12)) }).toEqual({
      place,
      found: false,
    });
    expect({ place, found: text.includes('whsec_') }).toEqual({ place, found: false });
  }
  await app.close();
});

test('encrypts all secrets with the new key, and a server without the key does not start', async () => {
  const { id } = await deliveries.addWebhook();
  const [oldKey, newKey] = [APP_SETTINGS.secretKey, Buffer.alloc(32, 9)];
  const both = keyringOf(newKey, [oldKey]);
  await expect(checkSealed(harness.db, keyringOf(newKey, []))).rejects.toThrow('HALYARD_OLD_SECRET_KEYS');
  await expect(checkSealed(harness.db, [])).rejects.toThrow('HALYARD_SECRET_KEY is not set');
  await checkSealed(harness.db, both);

  expect((await resealSecrets(harness.db, both)).resealed).toBeGreaterThan(0);

  await checkSealed(harness.db, keyringOf(newKey, []));
  await expect(checkSealed(harness.db, keyringOf(oldKey, []))).rejects.toThrow(/integration \d+/);
  expect(await resealSecrets(harness.db, both)).toEqual({ resealed: 0, unreadable: [] });
  const { rows } = await sql<{ sealed: string }>`
    select sealed_parameters as sealed from integrations where id = ${id}`.execute(harness.db);
  expect(rows[0]?.sealed).toMatch(new RegExp(`^v1\\.${both[0]?.id}\\.`));
});
