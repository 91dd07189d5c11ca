import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../server/src/test/process.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { type Chain, kill, POLL, read, startChain } from './test/chain.ts';

const buildSecretKey = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const OLD = { HALYARD_SECRET_KEY: buildSecretKey(7) };
const BOTH = { HALYARD_SECRET_KEY: buildSecretKey(8), HALYARD_OLD_SECRET_KEYS: buildSecretKey(7) };
const NEW = { HALYARD_SECRET_KEY: buildSecretKey(8) };

let chain: Chain;
let near: RunningServer;
let far: RunningServer;
let nearProxy: TcpProxy;
let sdkToken: string;
let folder: string;
let nearEnrolment: string;
let lateEnrolment: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-keys-'));
  chain = await startChain(OLD);
  nearProxy = await startTcpProxy('127.0.0.1', chain.server.port);
  sdkToken = (await chain.createToken()).secret;
  await chain.createFlag('first');
  ({ enrolment: nearEnrolment } = await chain.enrol(chain.serverProxy.port));
  ({ enrolment: lateEnrolment } = await chain.enrol(chain.serverProxy.port));
  near = await chain.startEdge(nearEnrolment, join(folder, 'near'));
  nearProxy.moveTo(near.port);
  far = await chain.startEdge((await chain.enrol(nearProxy.port)).enrolment, join(folder, 'far'));
});
afterAll(async () => {
  for (const edge of [far, near]) await kill(edge);
  await nearProxy.close();
  await chain.stop();
  rmSync(folder, { recursive: true });
});

const bodies = () => Promise.all([near, far].map(async edge => (await read(edge, sdkToken)).body));

const expectToReach = async (flag: string): Promise<void> => {
  await chain.createFlag(flag);
  await expect.poll(async () => (await bodies()).every(body => body.includes(flag)), POLL).toBe(true);
};

test('edges adopt a new signing key, and then no longer trust the old key', async () => {
  await expectToReach('by-the-old-key');

  await chain.restartServer(BOTH);
  await expectToReach('by-the-new-key');
  // An edge that has only its enrolment, which contains the old key.
  const lateEdge = await chain.startEdge(lateEnrolment);
  expect((await read(lateEdge, sdkToken)).body).toContain('by-the-new-key');
  await kill(lateEdge);

  await chain.restartServer(NEW);
  await expectToReach('without-the-old-key');

  // An attacker with the old key can no longer sign for the servers.
  await chain.restartServer(OLD);
  await chain.createFlag('forged');
  await expect.poll(() => near.output(), POLL).toContain('is not trusted');
  expect((await bodies()).join()).not.toContain('forged');
});

test('an edge remembers the new key, although its enrolment contains the old key', async () => {
  await kill(near);
  near = await chain.startEdge(nearEnrolment, join(folder, 'near'));
  nearProxy.moveTo(near.port);
  expect((await read(near, sdkToken)).body).toContain('without-the-old-key');
  await expect.poll(() => near.output(), POLL).toContain('is not trusted');
  expect((await bodies()).join()).not.toContain('forged');

  await chain.restartServer(NEW);

  await expectToReach('after-a-restart');
  expect((await bodies()).join()).toContain('forged');
});
