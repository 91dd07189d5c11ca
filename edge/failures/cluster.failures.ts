import { setTimeout as sleep } from 'node:timers/promises';
import type { FlagsFrame } from '@halyard/plane/feed/frames.ts';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { startTcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { POLL, useNats } from './nats-world.ts';

const world = useNats({ nodes: 3 });
const { createFlag, startEdge, connectAs, metric, waitUntilLive, waitUntilEqual, framesIn, waitForRevision } =
  world;
const CUT_MS = 60_000;

type Info = { cluster?: { leader?: string; replicas?: { current?: boolean }[] } };

/** Returns the leader of the frames stream once all replicas have caught up. */
const waitForLeader = async (nc: NatsConnection): Promise<string> => {
  let leader = '';
  await expect
    .poll(async () => {
      const info = await nc
        .request(`$JS.API.STREAM.INFO.${world.names.framesStream}`, '', { timeout: 2_000 })
        .then(message => message.json<Info>())
        .catch((): Info => ({}));
      const { leader: leaderName = '', replicas = [] } = info.cluster ?? {};
      leader = leaderName;
      return leaderName !== '' && replicas.length === 2 && replicas.every(({ current }) => current);
    }, POLL)
    .toBe(true);
  return leader;
};

/** Checks that each frame continues where the previous frame ended, without a gap or a duplicate. */
const expectChain = async (nc: NatsConnection): Promise<number> => {
  const frames = await framesIn(nc);
  expect(frames.map(({ sequence }) => sequence)).toEqual(
    frames.map((_, n) => (frames[0]?.sequence ?? 0) + n),
  );
  const flags = frames
    .map(({ frame }) => frame)
    .filter((frame): frame is FlagsFrame => frame.log === 'flags');
  for (const [n, frame] of flags.entries()) if (n > 0) expect(frame.prev).toBe(flags[n - 1]?.rev);
  return flags.at(-1)?.rev ?? 0;
};

test('with 3 replicas, changes still arrive after a NATS server is lost, even if it was the stream leader', async () => {
  const edge = await startEdge();
  await waitUntilLive(edge);
  const publisher = await connectAs('publisher');
  const leaderBefore = await waitForLeader(publisher);
  const follower = world.cluster.find(({ name }) => name !== leaderBefore);

  for (const killedName of [follower?.name, leaderBefore]) {
    const node = world.cluster.find(({ name }) => name === killedName);
    world.proxy.cut();
    await node?.kill();
    for (let n = 0; n < 20; n++) await createFlag(`without-${killedName}-${n}`);
    await waitForRevision(`without-${killedName}-19`);
    // The edge cannot reach the Halyard server, so everything comes through the two remaining NATS servers.
    await waitUntilEqual(edge);
    await node?.start();
    world.proxy.restore();
    await waitForLeader(publisher);
    await waitUntilLive(edge);
  }

  const lastRevision = await waitForRevision('first');
  await expect.poll(() => expectChain(publisher), POLL).toBe(lastRevision);
});

test('an edge that was cut off for 60 s during writes catches up once the connections are back', async () => {
  const toNats = await startTcpProxy('127.0.0.1', world.nats.port);
  const edge = await startEdge(`nats://127.0.0.1:${toNats.port}`);
  await waitUntilLive(edge);
  const publisher = await connectAs('publisher');
  const deadline = performance.now() + CUT_MS;
  let flagCount = 0;

  for (const proxy of [toNats, world.proxy]) proxy.cut();
  while (performance.now() < deadline) {
    await createFlag(`cut-${flagCount++}`);
    await sleep(50);
  }
  const lastRevision = await waitForRevision(`cut-${flagCount - 1}`);
  const restoredAt = performance.now();
  for (const proxy of [toNats, world.proxy]) proxy.restore();
  await waitUntilEqual(edge);

  const ms = Math.round(performance.now() - restoredAt);
  process.stdout.write(`Cut off for 60 s: ${flagCount} flags missed, caught up after ${ms} ms\n`);
  expect(flagCount).toBeGreaterThan(50);
  expect(await metric(edge, 'halyard_edge_nats_rejected_total')).toBe(0);
  await expect.poll(() => expectChain(publisher), POLL).toBe(lastRevision);
  await toNats.close();
});
