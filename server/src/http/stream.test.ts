import { once } from 'node:events';
import { get } from 'node:http';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { RequestLogController } from './log.ts';
import { type Pieces, sendPieces } from './stream.ts';

async function serve(pieces: () => Pieces, within?: number) {
  const app = Fastify();
  app.get('/', (_, reply) => sendPieces(reply, pieces(), within));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, address };
}

test('a stream that breaks after its first bytes is logged with the id of its request', async () => {
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

  const found = () => lines.map(line => JSON.parse(line)).filter(({ reqId }) => reqId === 'the-request');
  await expect
    .poll(found)
    .toMatchObject([
      { level: 50, msg: 'response stream failed', err: { message: 'connection to the database lost' } },
    ]);
  await app.close();
});

test('pieces are sent in their order, and a failure before the first is answered as one', async () => {
  async function* good(): Pieces {
    yield '{"a":';
    yield Buffer.from('"ä"}');
  }
  // biome-ignore lint/correctness/useYield: it fails before it has anything to give
  async function* bad(): Pieces {
    throw new Error('nothing to send');
  }
  const [one, other] = [await serve(good), await serve(bad)];

  expect(await (await fetch(one.address)).json()).toEqual({ a: 'ä' });
  expect((await fetch(other.address)).status).toBe(500);
  await Promise.all([one.app.close(), other.app.close()]);
});

test('who does not read is cut off after a while, and what makes the pieces ends', async () => {
  let ended = false;
  async function* endless(): Pieces {
    try {
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    } finally {
      ended = true;
    }
  }
  const { app, address } = await serve(endless, 300);

  const request = get(address);
  await once(request, 'response');
  expect(ended).toBe(false);

  await expect.poll(() => ended, { timeout: 5_000 }).toBe(true);
  request.destroy();
  await app.close();
});

test('who goes away before the first piece ends it too', async () => {
  let ended = false;
  async function* slow(): Pieces {
    try {
      await new Promise(resolve => setTimeout(resolve, 300));
      yield 'first';
      yield 'second';
    } finally {
      ended = true;
    }
  }
  const { app, address } = await serve(slow);

  const request = get(address);
  request.on('error', () => {});
  await new Promise(resolve => setTimeout(resolve, 100));
  request.destroy();

  await expect.poll(() => ended, { timeout: 5_000 }).toBe(true);
  await app.close();
});
