import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLast } from '@halyard/plane/feed/nats.ts';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { findFreePort, makeNatsServer } from './nats-server.ts';
import { POLL, useNats } from './nats-world.ts';

const world = useNats();
const {
  servers,
  createFlag,
  startEdge,
  connectAs,
  read,
  metric,
  waitUntilLive,
  waitUntilEqual,
  waitForRevision,
  natsConfig,
} = world;

test('a leaf node with mirrors serves its region while the hub is down', async () => {
  // The generated configuration has a fixed port for leaf nodes, so the test replaces it with a free one.
  const port = await findFreePort();
  await natsConfig('--region', 'west', '--hub', `nats-leaf://127.0.0.1:${port}`);
  const hub = readFileSync(join(world.folder, 'hub.conf'), 'utf8').replace(
    'port: 7422',
    `listen: "127.0.0.1:${port}"`,
  );
  writeFileSync(join(world.folder, 'hub.conf'), hub);
  await world.nats.kill();
  await world.nats.start();
  const leaf = await makeNatsServer(world.folder, 'leaf', 'leaf-west.conf');
  await leaf.start();
  try {
    const output = await natsConfig('--region', 'west', '--create-mirrors', leaf.url);
    expect(output).toContain(`${world.names.framesStream}: created`);
    expect(await natsConfig('--region', 'west', '--create-mirrors', leaf.url)).toContain('created');
    const edge = await startEdge(leaf.url);
    await waitUntilEqual(edge);
    await waitUntilLive(edge);
    world.proxy.cut();
    await createFlag('through-the-leaf');
    await waitUntilEqual(edge);
    const revision = await waitForRevision('through-the-leaf');
    const leafConnection = await connectAs('leaf-west', leaf.url);
    const mirroredRevision = async () =>
      (await readLast(leafConnection, world.names.framesStream, world.names.frames))?.position?.revision;
    await expect.poll(mirroredRevision, POLL).toBe(revision);
    const mirroredEpoch = async () =>
      (await readLast(leafConnection, world.names.snapshotStream, world.names.snapshot))?.position?.epoch;
    await expect.poll(mirroredEpoch, POLL).toBeDefined();
    await expectForgeriesRejected(leafConnection);
    const expectedResponse = await read(servers[0]);

    await world.nats.kill();

    const freshEdge = await startEdge(leaf.url);
    await expect.poll(async () => (await read(freshEdge)).body, POLL).toBe(expectedResponse.body);

    // The edge reads from the server what the mirror lacks.
    await createFlag('not-in-the-mirror');
    await waitForRevision('not-in-the-mirror');
    const restoredAt = performance.now();
    world.proxy.restore();
    await waitUntilEqual(freshEdge);
    const ms = Math.round(performance.now() - restoredAt);
    process.stdout.write(`What the mirror lacked arrived ${ms} ms after the server became reachable\n`);
    expect(await metric(freshEdge, 'halyard_edge_nats_live')).toBe(0);
  } finally {
    await leaf.kill();
  }
});

/** Checks that an attacker who took over the leaf node cannot write to, delete or list the hub's streams. */
async function expectForgeriesRejected(leaf: NatsConnection): Promise<void> {
  const hub = await connectAs('publisher');
  const state = async (stream: string) =>
    (await hub.request(`$JS.API.STREAM.INFO.${stream}`)).json<{ state: object }>().state;
  const streams = [world.names.framesStream, world.names.snapshotStream];
  const statesBefore = await Promise.all(streams.map(state));
  const receivedMessages: string[] = [];
  hub.subscribe('halyard.>', {
    callback: (_error, { data }) => void receivedMessages.push(Buffer.from(data).toString()),
  });
  await hub.flush();

  for (const subject of [world.names.frames, world.names.snapshot, world.names.head])
    leaf.publish(subject, 'forged');
  const calls = streams.flatMap(stream => [
    `STREAM.DELETE.${stream}`,
    `STREAM.PURGE.${stream}`,
    `STREAM.UPDATE.${stream}`,
    `STREAM.MSG.DELETE.${stream}`,
    `STREAM.INFO.${stream}`,
  ]);
  for (const call of [...calls, 'STREAM.NAMES', 'STREAM.CREATE.OTHER', 'CONSUMER.CREATE.OTHER'])
    await expect(leaf.request(`$JS.hub.API.${call}`, '{"seq":1}', { timeout: 500 }), call).rejects.toThrow();
  await leaf.flush();

  expect(await Promise.all(streams.map(state))).toEqual(statesBefore);
  expect(receivedMessages).not.toContain('forged');
}
