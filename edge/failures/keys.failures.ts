import { gzipSync } from 'node:zlib';
import { directGet } from '@halyard/plane/feed/bus.ts';
import type { FlagsFrame } from '@halyard/plane/feed/frames.ts';
import { readBatch, readLast } from '@halyard/plane/feed/nats.ts';
import { signJson } from '@halyard/plane/feed/signed.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import { expect, test } from 'vitest';
import { type RunningServer, stopProcess } from '../../server/src/test/process.ts';
import { POLL, SECRET_KEY, useNats } from './nats-world.ts';

const FOREIGN_KEY = deriveSigningKey(Buffer.alloc(32, 8));
const world = useNats();
const {
  servers,
  createFlag,
  startServer,
  withNats,
  startEdge,
  connectAs,
  read,
  metric,
  waitUntilLive,
  waitUntilEqual,
  waitForRevision,
  expectToReach,
} = world;

test('an edge ignores everything without a trusted signature', async () => {
  const edge = await startEdge();
  await waitUntilEqual(edge);
  await waitUntilLive(edge);
  const publisher = await connectAs('publisher');
  const lastMessage = await readLast(publisher, world.names.framesStream, world.names.frames);
  const revision = await waitForRevision('first');
  const { epoch } = lastMessage?.position ?? { epoch: '' };
  const forgedFrame: FlagsFrame = {
    v: 1,
    feed: world.enrolment.feed,
    log: 'flags',
    epoch,
    prev: revision,
    rev: revision + 1,
    completeSince: 0,
    revs: [
      {
        rev: revision + 1,
        events: [
          {
            feature: {
              project: 'default',
              name: 'forged',
              revision: revision + 1,
              document: '{"name":"forged","enabled":true}',
              segments: [],
              tags: [],
            },
          },
        ],
      },
    ],
  };
  const ownKey = deriveSigningKey(SECRET_KEY);
  const attacks = [
    signJson(forgedFrame, FOREIGN_KEY),
    signJson(forgedFrame, FOREIGN_KEY).replace(FOREIGN_KEY.id, ownKey.id),
    signJson(forgedFrame, ownKey).replace('"enabled\\":true', '"enabled\\":false'),
    signJson({ ...forgedFrame, feed: { environment: 'development', projects: null } }, ownKey),
    signJson({ ...forgedFrame, epoch: 'other' }, ownKey).slice(0, -9),
    'x'.repeat(1_000),
    '\n',
  ];
  const responseBefore = await read(edge);

  for (const attack of attacks) {
    publisher.publish(world.names.frames, attack);
    publisher.publish(world.names.head, attack);
  }

  await expect
    .poll(() => metric(edge, 'halyard_edge_nats_rejected_total'), POLL)
    .toBeGreaterThanOrEqual(2 * attacks.length);
  expect(await read(edge)).toEqual(responseBefore);
  // An empty edge ignores the forged snapshot and frames, and starts from the server.
  const snapshot = await readLast(publisher, world.names.snapshotStream, world.names.snapshot);
  for (const data of [Buffer.from('x'), gzipSync('{}\nx y\n'), snapshot?.data.slice(0, -40) ?? '']) {
    publisher.publish(world.names.snapshot, data);
    await publisher.flush();
    const emptyEdge = await startEdge();
    await waitUntilEqual(emptyEdge);
    expect((await read(emptyEdge)).body).not.toContain('forged');
  }
  // The server replaces the forged snapshot and frames.
  await createFlag('after-attack');
  await waitUntilEqual(edge);
  const storedRevision = async () =>
    (await readLast(publisher, world.names.snapshotStream, world.names.snapshot))?.position?.revision;
  await expect.poll(storedRevision, POLL).toBe(await waitForRevision('after-attack'));
});

test('an edge follows a new signing key through NATS alone, and no longer trusts the old key', async () => {
  const edge = await startEdge();
  await waitUntilEqual(edge);
  await waitUntilLive(edge);
  world.proxy.cut();
  const NEW_KEY = Buffer.alloc(32, 9).toString('base64');
  const restart = async (env: Record<string, string>): Promise<RunningServer> => {
    await stopProcess(servers[0] as RunningServer);
    servers.length = 0;
    return await startServer({ ...withNats(), ...env });
  };
  const countReplacements = () => edge.output().split('signing keys replaced').length - 1;

  await restart({ HALYARD_SECRET_KEY: NEW_KEY, HALYARD_OLD_SECRET_KEYS: SECRET_KEY.toString('base64') });
  await expectToReach(edge, 'by-the-new-key');
  expect(countReplacements()).toBe(1);

  await restart({ HALYARD_SECRET_KEY: NEW_KEY });
  await expectToReach(edge, 'without-the-old-key');
  await expect.poll(countReplacements, POLL).toBe(2);

  // An attacker with the old key can no longer sign for the servers.
  const responseBefore = await read(edge);
  const oldServer = await restart({});
  await createFlag('by-the-old-key');
  await expect.poll(() => metric(edge, 'halyard_edge_nats_rejected_total'), POLL).toBeGreaterThan(0);
  await waitForRevision('by-the-old-key', oldServer);
  expect((await read(edge)).body).toBe(responseBefore.body);
  world.proxy.moveTo(oldServer.port);
});

test('reading a batch fails if more arrives than was requested', async () => {
  const publisher = await connectAs('publisher');
  const hostile = await connectAs('publisher');
  let sentMessageCount = 0;
  hostile.subscribe(directGet('HOSTILE'), {
    callback: (_error, message) => {
      const { batch } = message.json<{ batch: number }>();
      // Never sends the message that ends the batch.
      for (let n = 0; n < 10 * batch; n++, sentMessageCount++) message.respond('x'.repeat(100));
    },
  });
  await hostile.flush();

  for (const limit of [
    { messages: 5, bytes: 1_000_000 },
    { messages: 500, bytes: 1_000 },
  ])
    await expect(readBatch(publisher, 'HOSTILE', 1, limit)).rejects.toThrow('NATS sent more than');
  expect(sentMessageCount).toBe(5_050);
});
