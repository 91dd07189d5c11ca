import { statSync } from 'node:fs';
import { join } from 'node:path';
import { busNames } from '@halyard/plane/feed/bus.ts';
import { readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import type { FlagsFrame } from '@halyard/plane/feed/frames.ts';
import { readLast } from '@halyard/plane/feed/nats.ts';
import { expect, test } from 'vitest';
import { runIn } from '../../server/src/test/database.ts';
import { type RunningServer, stopProcess } from '../../server/src/test/process.ts';
import { POLL, useNats } from './nats-world.ts';

/** When to give up: an edge should replace its frames with a snapshot soon after 1,000 flags. */
const MAX_FLAGS = 3_000;
const world = useNats();
const {
  servers,
  admin,
  createToken,
  createFlag,
  startServer,
  withNats,
  startEdge,
  kill,
  connectAs,
  read,
  metric,
  waitUntilLive,
  waitUntilEqual,
  framesIn,
  waitForRevision,
  expectToReach,
  request,
} = world;

test('an edge follows its feed through NATS alone, without creating a consumer', async () => {
  expect(statSync(join(world.folder, 'publisher.nk')).mode & 0o777).toBe(0o600);
  const edge = await startEdge();
  await waitUntilEqual(edge);
  await waitUntilLive(edge);
  expect(await metric(servers[0], 'halyard_nats_leader')).toBe(1);
  const snapshots = await metric(edge, 'halyard_edge_snapshots_total');

  world.proxy.cut();
  for (let number = 0; number < 20; number++) await createFlag(`through-nats-${number}`);
  const { id, secret } = await createToken();
  await waitUntilEqual(edge);

  const status = async () =>
    (await request(`${edge.url}/api/client/features`, { headers: { authorization: secret } })).status;
  await expect.poll(status, POLL).toBe(200);
  await admin('DELETE', `/api/admin/api-tokens/${id}`);
  await expect.poll(status, POLL).toBe(401);
  // Every change arrived as a frame, so the edge needed no new snapshot.
  expect(await metric(edge, 'halyard_edge_snapshots_total')).toBe(snapshots);
  const publisher = await connectAs('publisher');
  for (const stream of [world.names.framesStream, world.names.snapshotStream]) {
    const info = await publisher.request(`$JS.API.STREAM.INFO.${stream}`);
    expect(info.json()).toMatchObject({ state: { consumer_count: 0 } });
  }
});

test('after NATS loses all data, the edge continues over HTTP and the streams are refilled from the database', async () => {
  const edge = await startEdge();
  await waitUntilLive(edge);
  await world.nats.kill();
  world.nats.wipe();

  await createFlag('without-nats');
  await waitUntilEqual(edge);
  expect(await metric(servers[0], 'halyard_nats_connected')).toBe(0);

  await world.nats.start();
  const startedAt = performance.now();
  const publisher = await connectAs('publisher');
  const storedRevision = async (stream: string, subject: string) =>
    (await readLast(publisher, stream, subject).catch(() => undefined))?.position?.revision;
  const revision = await waitForRevision('without-nats');
  await expect.poll(() => storedRevision(world.names.framesStream, world.names.frames), POLL).toBe(revision);
  await expect
    .poll(() => storedRevision(world.names.snapshotStream, world.names.snapshot), POLL)
    .toBe(revision);
  const ms = Math.round(performance.now() - startedAt);
  process.stdout.write(`NATS was refilled ${ms} ms after it started empty\n`);
  await waitUntilLive(edge);
  world.proxy.cut();
  await createFlag('after-wipe');
  await waitUntilEqual(edge);
});

test('two servers publish each revision once, even if the leader is paused and then continues', async () => {
  const second = await startServer(withNats());
  const edge = await startEdge();
  await waitUntilEqual(edge);
  const publisher = await connectAs('publisher');
  const leaders = async () => await Promise.all(servers.map(server => metric(server, 'halyard_nats_leader')));
  expect(await leaders()).toEqual([1, 0]);
  const lastSequence = (await framesIn(publisher)).at(-1)?.sequence ?? 0;
  const first = servers[0] as RunningServer;

  for (let round = 0; round < 3; round++) {
    first.process.kill('SIGSTOP');
    try {
      for (let number = 0; number < 10; number++) await createFlag(`paused-${round}-${number}`, second);
      const revision = await waitForRevision(`paused-${round}-9`, second);
      const publishedRevision = async () =>
        (await readLast(publisher, world.names.framesStream, world.names.frames))?.position?.revision;
      await expect.poll(publishedRevision, POLL).toBe(revision);
    } finally {
      first.process.kill('SIGCONT');
    }
    for (let number = 0; number < 10; number++)
      await createFlag(`both-${round}-${number}`, number % 2 === 0 ? first : second);
    await waitUntilEqual(edge, second);
    await waitUntilEqual(edge, first);
  }

  const newFrames = (await framesIn(publisher)).filter(({ sequence }) => sequence >= lastSequence);
  expect(newFrames.map(({ sequence }) => sequence)).toEqual(newFrames.map((_, n) => lastSequence + n));
  const flags = newFrames
    .map(({ frame }) => frame)
    .filter((frame): frame is FlagsFrame => frame.log === 'flags');
  expect(flags.length).toBeGreaterThan(6);
  // Each frame continues where the previous frame ended, without a gap or a duplicate.
  for (const [n, frame] of flags.entries()) if (n > 0) expect(frame.prev).toBe(flags[n - 1]?.rev);
  expect(newFrames.filter(({ frame }) => frame.log === 'head')).toEqual([]);
  await stopProcess(second);
  servers.pop();
});

test('a new epoch begins in NATS if a restored database lacks a published revision', async () => {
  const edge = await startEdge();
  await waitUntilEqual(edge);
  await waitUntilLive(edge);
  const responseBefore = await read(edge);
  await expectToReach(edge, 'lost');
  const revision = Number(/\.(\d+)"$/.exec(responseBefore.etag ?? '')?.[1]);
  // Only NATS still has that revision.
  await kill(servers[0] as RunningServer);
  servers.length = 0;
  await runIn(
    world.database,
    'begin',
    `delete from sdk_features where environment = 'production' and revision > ${revision}`,
    `update sdk_revisions set revision = ${revision} where environment = 'production'`,
    'commit',
  );

  const server = await startServer(withNats());
  const publisher = await connectAs('publisher');

  const storedEpoch = async () => {
    const lastMessage = await readLast(publisher, world.names.framesStream, world.names.frames);
    return lastMessage?.position?.epoch;
  };
  const oldEpoch = responseBefore.etag?.replace(/^(W\/)?"/, '').split('.')[0];
  await expect.poll(async () => (await read(server)).etag?.includes(oldEpoch ?? '-'), POLL).toBe(false);
  await expect.poll(async () => (await storedEpoch()) !== oldEpoch, POLL).toBe(true);
  world.proxy.moveTo(server.port);
  await waitUntilEqual(edge);
  world.proxy.cut();
  await expectToReach(edge, 'after-restore');
  world.proxy.moveTo(server.port);
});

test('an edge without a data folder starts from NATS while all servers are down', async () => {
  const expectedResponse = await read(servers[0]);
  const publisher = await connectAs('publisher');
  await createFlag('newest');
  const revision = await waitForRevision('newest');
  const storedRevision = async () =>
    (await readLast(publisher, world.names.framesStream, world.names.frames))?.position?.revision;
  await expect.poll(storedRevision, POLL).toBe(revision);
  const newest = await read(servers[0]);
  await kill(servers[0] as RunningServer);
  servers.length = 0;

  const edge = await startEdge();

  await expect.poll(async () => (await read(edge)).body, POLL).toBe(newest.body);
  expect(newest.body).not.toBe(expectedResponse.body);
  expect((await request(`${edge.url}/ready`)).status).toBe(200);
  const server = await startServer(withNats());
  world.proxy.moveTo(server.port);
});

test('while NATS is silent, an edge gets from the server a change that is too large for a frame', async () => {
  await waitUntilEqual(await startEdge());
  await stopProcess(servers[0] as RunningServer);
  servers.length = 0;
  // This server does not publish, so the snapshot in NATS becomes outdated.
  const server = await startServer();
  world.proxy.moveTo(server.port);
  const edge = await startEdge();
  await waitUntilEqual(edge);
  world.proxy.cut();
  const values = Array.from({ length: 250 }, (_, n) => `${n}`.padEnd(100, 'x'));
  const constraints = Array.from({ length: 4 }, () => ({ contextName: 'userId', operator: 'IN', values }));
  for (let n = 0; n < 8; n++) {
    await createFlag(`large-${n}`);
    const path = `/api/admin/projects/default/features/large-${n}/environments/production/strategies`;
    await admin('POST', path, { name: 'default', constraints });
  }
  await waitForRevision('large-7');

  world.proxy.restore();

  await waitUntilEqual(edge);
  expect(await metric(edge, 'halyard_edge_nats_live')).toBe(0);
  await stopProcess(server);
  servers.length = 0;
  world.proxy.moveTo((await startServer(withNats())).port);
});

test("when one of the feed's projects is archived, an edge continues with the remaining projects", async () => {
  const projects = ['archived', 'kept'];
  for (const id of projects) {
    await admin('POST', '/api/admin/projects', { id, name: id });
    await admin('POST', `/api/admin/projects/${id}/features`, { name: `of-${id}` });
  }
  const edgeToken = await createToken({ type: 'edge', projects });
  const { secret } = await createToken({ projects });
  const ownEnrolment = { ...readEnrolment(edgeToken.enrolment ?? ''), url: world.enrolment.url };
  await world.natsConfig();
  await world.nats.kill();
  await world.nats.start();
  const edge = await startEdge(undefined, ownEnrolment, {
    HALYARD_EDGE_NATS_NKEY_FILE: join(world.folder, `edge-${busNames(ownEnrolment.feed).id}.nk`),
  });
  await waitUntilLive(edge);
  const servedFlags = async () => {
    const response = await request(`${edge.url}/api/client/features`, { headers: { authorization: secret } });
    return await response.text();
  };
  await expect.poll(servedFlags, POLL).toContain('of-archived');

  await admin('DELETE', '/api/admin/projects/archived/features/of-archived');
  await admin('DELETE', '/api/admin/projects/archived');
  await admin('POST', '/api/admin/projects/kept/features', { name: 'after-archiving' });

  await expect.poll(servedFlags, POLL).toContain('after-archiving');
  expect(await servedFlags()).not.toContain('of-archived');
  // From now on, the edge reads its feed from the server, because the feed has a different name in NATS.
  await expect.poll(() => metric(edge, 'halyard_edge_nats_live'), POLL).toBe(0);
  await admin('POST', '/api/admin/projects/kept/features', { name: 'through-the-server' });
  await expect.poll(servedFlags, POLL).toContain('through-the-server');
  expect(edge.output()).not.toContain('revoked');
});

test('after 1,000 changes, an edge that can reach only NATS replaces its frames with the snapshot in NATS', async () => {
  const edge = await startEdge();
  await waitUntilEqual(edge);
  await waitUntilLive(edge);
  world.proxy.cut();
  const snapshots = await metric(edge, 'halyard_edge_snapshots_total');
  const failures = await metric(edge, 'halyard_edge_upstream_failures_total');

  let createdFlagCount = 0;
  while (createdFlagCount < MAX_FLAGS && (await metric(edge, 'halyard_edge_snapshots_total')) === snapshots)
    // The flags are created one at a time, because simultaneous changes share a frame.
    for (let n = 0; n < 50; n++) await createFlag(`many-${createdFlagCount++}`);

  expect(await metric(edge, 'halyard_edge_snapshots_total')).toBeGreaterThan(snapshots);
  expect(createdFlagCount).toBeGreaterThan(1_000);
  expect(await metric(edge, 'halyard_edge_upstream_failures_total')).toBe(failures);
  await waitUntilEqual(edge);
}, 1_200_000);
