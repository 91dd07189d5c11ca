import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import type { App } from '@halyard/plane/platform/http/app.ts';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, useHarness } from '../../../test/harness.ts';
import { listOperations } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';
import { installCompression } from './compression.ts';
import { type Pieces, sendPieces } from './stream.ts';

const harness = useHarness();

const LONG = 'x'.repeat(2_000);

const send = async (url: string, encoding?: string, options: { method?: 'GET' | 'HEAD' } = {}) =>
  await harness.app.inject({
    url,
    ...options,
    headers: {
      authorization: ADMIN_TOKEN,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
  });

beforeAll(async () => {
  for (let i = 0; i < 20; i++)
    await call(harness.app, 'POST', '/api/admin/projects/default/features', {
      body: { name: `flag-${i}`, description: 'A flag with a description' },
    });
});

test.each([
  ['a list', '/api/admin/search/features'],
  ['a streamed list', '/api/admin/projects/default/features'],
  ['an export', '/api/admin/search/events/export?format=ndjson'],
  ['an event search', '/api/admin/search/events'],
  ['metrics', '/internal-backstage/prometheus'],
  ['the script of the API page', '/docs/js/scalar.js'],
])('compresses %s with Brotli or gzip, whichever the client accepts', async (_case, url) => {
  const plain = await send(url);
  const [br, gz] = [await send(url, 'gzip, deflate, br'), await send(url, 'gzip')];

  expect(plain).toMatchObject({ statusCode: 200, headers: { vary: 'accept-encoding' } });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(gz.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(br.headers['content-type']).toBe(plain.headers['content-type']);
  expect(br.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  if (url.startsWith('/internal')) return;
  expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body);
  expect(gunzipSync(gz.rawPayload).toString()).toBe(plain.body);
});

test('a caller with many simultaneous responses gets some of them uncompressed', async () => {
  const app = makeBareApp();
  app.get('/', (_, reply) => reply.type('application/json').send(LONG));
  await app.ready();

  const responses = await Promise.all(
    Array.from({ length: 10 }, () => app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } })),
  );

  const [compressed = [], plain = []] = [true, false].map(isCompressed =>
    responses.filter(({ headers }) => (headers['content-encoding'] === 'gzip') === isCompressed),
  );
  expect(compressed.length).toBeGreaterThan(0);
  expect(plain.length).toBeGreaterThan(0);
  for (const { rawPayload } of compressed) expect(gunzipSync(rawPayload).toString()).toBe(LONG);
  for (const { body, headers } of plain)
    expect([body, headers.vary, headers['content-length']]).toEqual([LONG, 'accept-encoding', '2000']);
});

test('does not compress an empty body or one smaller than 1 kB', async () => {
  const small = await send('/health', 'br');
  const redirect = await send('/docs', 'br');

  for (const { headers } of [small, redirect]) {
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('vary');
  }
});

test('HEAD returns the length and the encoding of GET', async () => {
  const url = '/api/admin/search/features';
  const fullResponse = await send(url, 'br');

  const { headers, body } = await send(url, 'br', { method: 'HEAD' });

  expect(body).toBe('');
  expect(headers).toMatchObject({
    'content-encoding': 'br',
    'content-length': String(fullResponse.rawPayload.length),
  });
});

test('other requests proceed while a 16 MB body is compressed', async () => {
  const app = makeBareApp();
  const body = '{"name":"a-flag-of-the-project","enabled":true},'.repeat(350_000);
  app.get('/', (_, reply) => reply.type('application/json').send(body));
  await app.ready();
  let turnCount = 0;
  let isRunning = true;
  const countTurns = (): void => {
    turnCount++;
    if (isRunning) setImmediate(countTurns);
  };
  countTurns();

  const { rawPayload } = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } });
  isRunning = false;

  expect(gunzipSync(rawPayload).length).toBe(body.length);
  // With a synchronous gzip, there are fewer than 20 turns.
  expect(turnCount).toBeGreaterThan(100);
});

test('a response stored for an idempotency key is replayed to a client that accepts no encoding', async () => {
  const post = (encoding: string) =>
    harness.app.inject({
      method: 'POST',
      url: '/api/admin/projects/default/features',
      payload: { name: 'once', description: LONG.slice(0, 900) },
      headers: {
        authorization: ADMIN_TOKEN,
        'idempotency-key': 'the-key',
        'accept-encoding': encoding,
      },
    });

  const first = await post('br');
  const replay = await post('identity');

  expect(first.headers).toMatchObject({ 'content-encoding': 'br' });
  expect(replay.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(brotliDecompressSync(first.rawPayload).toString()).toBe(replay.body);
});

test('does not compress a response that shows a secret', async () => {
  const app = makeBareApp();
  app.post('/secret', { config: { returnsSecret: true } }, () => ({ secret: 'hyl_x', text: LONG }));
  const response = await app.inject({ method: 'POST', url: '/secret', headers: { 'accept-encoding': 'br' } });

  expect(response.json()).toMatchObject({ secret: 'hyl_x' });
  expect(response.headers).not.toHaveProperty('content-encoding');
  expect(listOperations().filter(({ returnsSecret }) => returnsSecret).length).toBeGreaterThan(5);
});

test.each([
  ['a weak ETag', { etag: 'W/"a"' }, 'br'],
  ['its own encoding', { 'content-encoding': 'gzip' }, 'gzip'],
  ['server-sent events', { 'content-type': 'text/event-stream; charset=utf-8' }, undefined],
  ['an image', { 'content-type': 'image/png' }, undefined],
  ['no type', { 'content-type': '' }, undefined],
])('a response with %s has the expected encoding and an unchanged ETag', async (_case, headers, encoding) => {
  const app = makeBareApp();
  app.get('/', (_, reply) => reply.type('application/json').headers(headers).send(Buffer.from(LONG)));

  const response = await app.inject({ url: '/', headers: { 'accept-encoding': 'br, gzip' } });

  expect(response.headers['content-encoding']).toBe(encoding);
  expect(response.headers.etag).toBe((headers as { etag?: string }).etag);
});

test('every encoding has its own strong ETag, which If-None-Match accepts', async () => {
  const url = '/api/admin/search/features';
  const tags = await Promise.all(
    ['identity', 'gzip', 'br'].map(async encoding => String((await send(url, encoding)).headers.etag)),
  );

  expect(tags).toEqual([tags[0], tags[0]?.replace(/"$/, ';gzip"'), tags[0]?.replace(/"$/, ';br"')]);
  for (const tag of tags) {
    const response = await harness.app.inject({
      url,
      headers: { authorization: ADMIN_TOKEN, 'accept-encoding': 'br', 'if-none-match': `"other", ${tag}` },
    });
    expect(response.statusCode).toBe(304);
  }
});

test('If-Match accepts the ETag of a compressed response', async () => {
  const url = '/api/admin/projects/default/features/flag-1';
  await call(harness.app, 'PUT', url, { body: { name: 'flag-1', description: LONG.slice(0, 900) } });
  const { headers } = await send(url, 'br');

  const update = (tag: string) =>
    call(harness.app, 'PUT', url, {
      body: { name: 'flag-1', description: 'new' },
      headers: { 'if-match': tag },
    });

  expect(headers.etag).toMatch(/;br"$/);
  expect((await update('"other;br"')).status).toBe(412);
  expect((await update(String(headers.etag))).status).toBe(200);
});

test('adds Accept-Encoding to an existing Vary header', async () => {
  const app = makeBareApp();
  app.get('/', (_, reply) => reply.type('text/html').header('vary', 'accept').send(LONG));

  expect((await app.inject('/')).headers.vary).toBe('accept, accept-encoding');
});

test('an event stream is not compressed', async () => {
  const app = await harness.secondServer();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const response = await fetch(`${getAddress(app)}/api/admin/events/stream`, {
    headers: { authorization: ADMIN_TOKEN, 'accept-encoding': 'gzip, br' },
  });

  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('content-encoding')).toBeNull();
  await response.body?.cancel();
});

const openApps: App[] = [];
afterAll(async () => {
  for (const app of openApps) await app.close();
});

function makeBareApp(): App {
  const app = Fastify() as unknown as App;
  openApps.push(app);
  installCompression(app);
  return app;
}

const getAddress = ({ server }: App): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Starts a server that streams pieces. `closed` resolves when the source is closed. */
async function serve(pieces: () => Pieces) {
  const app = makeBareApp();
  const closed = Promise.withResolvers<void>();
  app.get('/', (_, reply) => sendPieces(reply, pieces(), { onClose: closed.resolve }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { address: getAddress(app), closed: closed.promise };
}

async function openStream(address: string, encoding: string): Promise<IncomingMessage> {
  const request = get(address, { headers: { 'accept-encoding': encoding }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

test.each([
  ['br', createBrotliDecompress],
  ['gzip', createGunzip],
] as const)(
  'a stream compressed with %s sends each piece as soon as it exists',
  async (encoding, decoder) => {
    const morePieces = Promise.withResolvers<void>();
    async function* pieces(): Pieces {
      yield 'first';
      await morePieces.promise;
      yield ' second';
    }
    const { address, closed } = await serve(pieces);
    const decodedStream = (await openStream(address, encoding)).pipe(decoder());

    const [first] = await once(decodedStream, 'data');
    morePieces.resolve();

    expect(String(first)).toBe('first');
    expect(await text(decodedStream)).toBe(' second');
    await closed;
  },
);

test('ends the source of a compressed stream when the client disconnects', async () => {
  async function* endless(): Pieces {
    for (let i = 0; ; i++) yield `${i} ${Math.random()}\n`.repeat(1_000);
  }
  const { address, closed } = await serve(endless);
  const response = await openStream(address, 'br');
  await once(response, 'data');

  response.destroy();

  await closed;
});

test('a client notices if a compressed stream breaks off', async () => {
  async function* breaking(): Pieces {
    yield 'first';
    throw new Error('connection to the database lost');
  }
  const { address, closed } = await serve(breaking);

  await expect(fetch(address).then(response => response.text())).rejects.toThrow();
  await closed;
});
