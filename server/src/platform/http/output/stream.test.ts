import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { installStalledClients } from '../protection/stalled-clients.ts';
import { RequestLogController } from '../server/log.ts';
import { type Pieces, sendPieces } from './stream.ts';

async function serve(pieces: () => Pieces, stalledAfterMs?: number) {
  const app = Fastify() as unknown as App;
  installStalledClients(app, stalledAfterMs);
  const closed = Promise.withResolvers<void>();
  app.get('/', (_, reply) => sendPieces(reply, pieces(), { onClose: closed.resolve }));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, address, closed: closed.promise };
}

test('a stream that breaks after its first bytes is logged with its request id', async () => {
  const lines: string[] = [];
  const app = Fastify({
    logger: { stream: { write: (line: string) => lines.push(line) } },
    logController: new RequestLogController(),
    genReqId: () => 'the-request',
  });
  async function* breaking(): Pieces {
    yield '{"a":';
    throw new Error('connection to the database lost');
  }
  app.get('/', (_, reply) => sendPieces(reply, breaking()));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });

  await expect(fetch(address).then(response => response.text())).rejects.toThrow();

  const requestLines = () =>
    lines.map(line => JSON.parse(line)).filter(({ reqId }) => reqId === 'the-request');
  await expect
    .poll(requestLines)
    .toMatchObject([
      { level: 50, msg: 'response stream failed', err: { message: 'connection to the database lost' } },
    ]);
  await app.close();
});

test('pieces are sent in order, and a failure before the first one becomes an error response', async () => {
  async function* good(): Pieces {
    yield '{"a":';
    yield Buffer.from('"ä"}');
  }
  // biome-ignore lint/correctness/useYield: it fails before it yields anything
  async function* bad(): Pieces {
    throw new Error('nothing to send');
  }
  const [goodServer, badServer] = [await serve(good), await serve(bad)];

  expect(await (await fetch(goodServer.address)).json()).toEqual({ a: 'ä' });
  await goodServer.closed;
  expect((await fetch(badServer.address)).status).toBe(500);
  await Promise.all([goodServer.app.close(), badServer.app.close()]);
});

test('disconnects a client that does not read, and ends the source of the pieces', async () => {
  let hasEnded = false;
  async function* endless(): Pieces {
    try {
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    } finally {
      hasEnded = true;
    }
  }
  const { app, address, closed } = await serve(endless, 300);

  const request = get(address);
  const [response] = await once(request, 'response');
  await closed;

  await expect.poll(() => hasEnded).toBe(true);
  await expect(async () => {
    for await (const _ of response);
  }).rejects.toThrow('aborted');
  await app.close();
});

test('waits for a source even if it is slower than the limit for clients', async () => {
  async function* slowPieces(): Pieces {
    yield 'a';
    await sleep(400);
    yield 'b';
  }
  const { app, address } = await serve(slowPieces, 100);

  expect(await (await fetch(address)).text()).toBe('ab');
  await app.close();
});

test('reads ahead of the client, so that the source can end before the client has read everything', async () => {
  let hasEnded = false;
  async function* somePieces(): Pieces {
    for (let n = 0; n < 3; n++) yield Buffer.alloc(1_000_000, 'x');
    hasEnded = true;
  }
  const { app, address } = await serve(somePieces, 60_000);

  const request = get(address);
  const [response] = await once(request, 'response');

  await expect.poll(() => hasEnded).toBe(true);
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  expect(bytes).toBe(3_000_000);
  await app.close();
});

test('ends the source when the client disconnects before the first piece', async () => {
  const sourceBegun = Promise.withResolvers<void>();
  const clientDisconnected = Promise.withResolvers<void>();
  let hasEnded = false;
  async function* slowPieces(): Pieces {
    try {
      sourceBegun.resolve();
      await clientDisconnected.promise;
      yield 'first';
      yield 'second';
    } finally {
      hasEnded = true;
    }
  }
  const { app, address, closed } = await serve(slowPieces);

  const request = get(address);
  request.on('error', () => {});
  await sourceBegun.promise;
  request.destroy();
  await expect.poll(async () => await countOpenConnections(app)).toBe(0);
  clientDisconnected.resolve();

  await closed;
  await expect.poll(() => hasEnded).toBe(true);
  await app.close();
});

const countOpenConnections = (app: App) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
