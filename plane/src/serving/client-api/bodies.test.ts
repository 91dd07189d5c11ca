import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { makeShares } from '../../platform/admission/shares.ts';
import { STATUS, toApiError } from '../../platform/http/output/error-body.ts';
import { busyError } from '../admission.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { installSdkBodies } from './bodies.ts';

const LIMIT = 1_000;

/** An application whose bodies may take 2,000 bytes, and whose handler waits until the test opens the gate. */
async function build({ waitingPerCaller = 100, type = 'backend' } = {}) {
  const bytes = makeShares(
    { capacity: 2_000, share: 0.6, waiting: 100, waitingPerCaller, waitMs: 60_000 },
    holder => busyError(holder, 'request bodies'),
  );
  const gate = Promise.withResolvers<void>();
  const handled: string[] = [];
  const app = Fastify({ bodyLimit: LIMIT });
  app.decorateRequest('sdkToken');
  app.addHook('onRequest', async request => {
    request.sdkToken = { id: Number(request.headers.authorization), type } as SdkToken;
  });
  app.setErrorHandler((error, request, reply) => {
    const { name, message } = toApiError(error, request, 'id');
    return reply.code(STATUS[name]).send({ message });
  });
  installSdkBodies(app, bytes);
  app.post('/', { bodyLimit: LIMIT }, async request => {
    handled.push(String(request.headers.authorization));
    await gate.promise;
    return request.body;
  });
  onTestFinished(() => app.close());
  const send = (token: number, payload: Buffer | string, headers: object = {}, remoteAddress = '127.0.0.1') =>
    app.inject({
      method: 'POST',
      url: '/',
      payload,
      headers: { authorization: `${token}`, 'content-type': 'application/json', ...headers },
      remoteAddress,
    });
  return { app, bytes, gate, handled, send };
}

const GZIP = { 'content-encoding': 'gzip' };
const zippedBody = gzipSync('{"a":1}');

test('a caller with many bodies waits while others are served', async () => {
  const { bytes, gate, handled, send } = await build();

  const flood = Array.from({ length: 20 }, () => send(1, zippedBody, GZIP));
  await expect.poll(() => [bytes.waiting, handled.length]).toEqual([19, 1]);
  const other = send(2, '{}');

  await expect.poll(() => handled).toEqual(['1', '2']);
  expect([bytes.heldUnits, bytes.waiting]).toEqual([LIMIT + zippedBody.length + 2, 19]);
  gate.resolve();
  expect(new Set((await Promise.all([...flood, other])).map(({ statusCode }) => statusCode))).toEqual(
    new Set([200]),
  );
  expect(bytes.heldUnits).toBe(0);
});

test('visitors to a page from different networks are separate callers', async () => {
  const { bytes, gate, handled, send } = await build({ type: 'frontend' });

  const flood = Array.from({ length: 3 }, () => send(1, zippedBody, GZIP, '192.0.2.1'));
  await expect.poll(() => [bytes.waiting, handled.length]).toEqual([2, 1]);
  const visitor = send(1, '{}', {}, '192.0.2.2');

  await expect.poll(() => handled).toEqual(['1', '1']);
  gate.resolve();
  await Promise.all([...flood, visitor]);
});

test("rejects a caller's bodies with 429 once its queue is full", async () => {
  const { bytes, gate, send } = await build({ waitingPerCaller: 1 });
  const requests = [send(1, zippedBody, GZIP), send(1, zippedBody, GZIP)];
  await expect.poll(() => bytes.waiting).toBe(1);

  const rejected = await send(1, zippedBody, GZIP);

  expect([rejected.statusCode, rejected.json().message]).toEqual([
    429,
    'Too many request bodies at a time from this token and network. Send fewer, and retry after the time in Retry-After.',
  ]);
  gate.resolve();
  await Promise.all(requests);
});

test.each([
  ['a body above the limit', 'x'.repeat(LIMIT + 1), {}, 413],
  ['a body above the limit without a length', 'x'.repeat(LIMIT + 1), { 'transfer-encoding': 'chunked' }, 413],
  ['a body that inflates to more than the limit', gzipSync(' '.repeat(LIMIT + 1)), GZIP, 413],
  ['a body that is not gzip', '{}', GZIP, 400],
  ['a body that is not JSON', '{', {}, 400],
])('releases the bytes after %s', async (_what, payload, headers, status) => {
  const { bytes, gate, send } = await build();
  gate.resolve();

  const { statusCode } = await send(1, payload, headers);

  expect([statusCode, bytes.heldUnits]).toEqual([status, 0]);
});

test('releases the bytes of a client that disconnects before its body is complete', async () => {
  const { app, bytes } = await build();
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nAuthorization: 1\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  );
  await expect.poll(() => bytes.heldUnits).toBe(900);

  socket.destroy();

  await expect.poll(() => bytes.heldUnits).toBe(0);
});
