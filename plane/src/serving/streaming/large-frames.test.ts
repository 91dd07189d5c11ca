import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { makeLargeFrames } from './large-frames.ts';
import { STREAM_LIMITS } from './limits.ts';
import type { Stream } from './stream.ts';

/** Larger than the operating system's buffers, so that the frame stays in flight if the client does not read. */
const FRAME = Buffer.alloc(30_000_000, 'x');

/** Two clients with real connections. Only one of them reads, and only one frame is in flight at a time. */
async function twoClients(stalledAfterMs: number) {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const connectOne = async () => {
    const connection = once(listener, 'connection');
    const client = connect(port, '127.0.0.1');
    const [socket] = (await connection) as [Socket];
    for (const end of [client, socket]) end.on('error', () => {});
    onTestFinished(() => {
      client.destroy();
      socket.destroy();
    });
    // These tests need no other part of a stream.
    return { client, stream: { socket, largeFrame: 'none' } as Stream };
  };
  const [stalled, reader] = [await connectOne(), await connectOne()];
  listener.close();
  const takenStreams: Stream[] = [];
  const readStreams: Stream[] = [];
  const cutOff: Stream[] = [];
  const frames = makeLargeFrames(
    { ...STREAM_LIMITS, largeBytesInFlight: 1, stalledAfterMs },
    stream => {
      takenStreams.push(stream);
      return FRAME;
    },
    stream => readStreams.push(stream),
    stream => {
      cutOff.push(stream);
      stream.socket.destroy();
      frames.remove(stream);
    },
  );
  reader.client.resume();
  return { stalled: stalled.stream, reader: reader.stream, frames, takenStreams, readStreams, cutOff };
}

test('a frame waits until the stalled client ahead of it is cut off', async () => {
  const { stalled, reader, frames, takenStreams, readStreams, cutOff } = await twoClients(0);

  frames.add(stalled);
  frames.add(reader);
  await expect.poll(() => takenStreams).toEqual([stalled]);
  expect([frames.waiting, reader.largeFrame]).toEqual([1, 'waiting']);
  // Only a sweep cuts off a client, so nothing changes until the next one.
  await new Promise(resolve => setTimeout(resolve, 100));
  expect([frames.waiting, readStreams, cutOff]).toEqual([1, [], []]);
  await expect
    .poll(() => {
      if (cutOff.length === 0) frames.sweep();
      return cutOff;
    })
    .toEqual([stalled]);

  await expect.poll(() => readStreams).toEqual([reader]);
  expect([takenStreams, frames.waiting, reader.largeFrame]).toEqual([[stalled, reader], 0, 'none']);
});

test('a pause of the whole process disconnects nobody', async () => {
  const { reader, frames, readStreams, cutOff } = await twoClients(50);
  frames.add(reader);
  await new Promise(setImmediate);
  expect(reader.largeFrame).toBe('in flight');

  const deadline = performance.now() + 100;
  while (performance.now() < deadline);
  frames.sweep();

  await expect.poll(() => readStreams).toEqual([reader]);
  expect(cutOff).toEqual([]);
});
