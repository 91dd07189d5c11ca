import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseTrustedKeys, readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import { decodeSnapshot, readHeader, type Snapshot } from '@halyard/plane/snapshot/format.ts';
import { afterAll, afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { COMPILE_CACHE } from '../../../server/src/test/compile-cache.ts';
import { type Chain, kill, POLL, read, startChain } from '../test/chain.ts';
import { BUCKET, S3_KEY, startStore, type TestStore } from '../test/object-store.ts';

const COMMAND = fileURLToPath(new URL('../../../server/scripts/snapshot.ts', import.meta.url));
const KEY = Buffer.alloc(32, 7).toString('base64');
let chain: Chain;
let store: TestStore;
let folder: string;
let enrolment: string;
let sdkToken: string;
let destinationCount = 0;
const running: Publisher[] = [];

type Publisher = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

/** The command as a separate process. */
const start = (to: string, ...more: string[]): Publisher => {
  const isS3 = to.startsWith('s3://');
  const args = ['publish', '--to', to, ...(isS3 ? ['--endpoint', store.url] : []), ...more];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...COMPILE_CACHE, HALYARD_EDGE_ENROLMENT: enrolment, ...(isS3 && S3_KEY) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk;
    });
  const publisher = { child, output: () => output, ended: once(child, 'exit').then(([code]) => code) };
  running.push(publisher);
  onTestFailed(() => void process.stderr.write(`Output of the publisher:\n${output}\n`));
  return publisher;
};

const newDestination = (): string => `s3://${BUCKET}/feed-${++destinationCount}`;
const toUrl = (to: string): string => `${store.url}/${to.slice('s3://'.length)}`;

/** What a program behind a CDN does: read the pointer, read the body that it names, and verify both. */
const readPublished = async (
  get: (key: string) => Promise<Buffer>,
): Promise<{ bytes: Buffer; snapshot: Snapshot }> => {
  const keys = parseTrustedKeys(readEnrolment(enrolment).keys);
  const pointer = await get('current');
  const body = await get(`bodies/${readHeader(pointer, keys).header.sha256}.json`);
  const bytes = Buffer.concat([pointer, body]);
  return { bytes, snapshot: decodeSnapshot(bytes, keys) };
};
const fromS3 =
  (to: string) =>
  async (key: string): Promise<Buffer> => {
    const response = await fetch(`${toUrl(to)}/${key}`);
    if (!response.ok) throw new Error(`${key}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
const fromFolder = (path: string) => async (key: string) => readFileSync(join(path, key));
const flagsIn = async (get: (key: string) => Promise<Buffer>): Promise<string[]> =>
  (await readPublished(get)).snapshot.features.map(({ name }) => name);
const expectPublished = (get: (key: string) => Promise<Buffer>) =>
  expect.poll(() => flagsIn(get).catch(() => []), POLL);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-publish-'));
  [chain, store] = await Promise.all([startChain({ HALYARD_SECRET_KEY: KEY }), startStore()]);
  sdkToken = (await chain.createToken()).secret;
  await chain.createFlag('first');
  ({ enrolment } = await chain.enrol(chain.serverProxy.port));
});
afterEach(async () => {
  store.before(() => undefined);
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(async () => {
  await chain.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

test('a reader verifies what was published to a bucket, and an edge serves it without any server', async () => {
  const to = newDestination();
  const publisher = start(to);
  expect(await publisher.ended, publisher.output()).toBe(0);

  const { bytes, snapshot } = await readPublished(fromS3(to));

  const pointer = await fetch(`${toUrl(to)}/current`);
  expect(pointer.headers.get('cache-control')).toBe(
    'public, max-age=5, stale-while-revalidate=30, stale-if-error=3600',
  );
  expect(pointer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const { sha256 } = JSON.parse((await pointer.text()).split('\n')[0] ?? '');
  const body = await fetch(`${toUrl(to)}/bodies/${sha256}.json`);
  expect(body.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(body.headers.get('content-type')).toBe('application/json');
  expect(snapshot.features.map(({ name }) => name)).toContain('first');

  const data = join(folder, 'edge-of-snapshot');
  mkdirSync(join(data, 'edge'), { recursive: true });
  writeFileSync(join(data, 'edge', 'feed.snapshot'), bytes);
  chain.serverProxy.cut();
  const edge = await chain.startEdge(enrolment, data);
  try {
    const [actual, expected] = await Promise.all([read(edge, sdkToken), read(chain.server, sdkToken)]);
    expect([actual.status, actual.etag, actual.body]).toEqual([200, expected.etag, expected.body]);
  } finally {
    await kill(edge);
    chain.serverProxy.restore();
  }
});

test('follows changes, continues after kill -9 and after an outage of the store, and logs no secret', async () => {
  const to = newDestination();
  const first = start(to, '--follow');
  await expectPublished(fromS3(to)).toContain('first');
  first.child.kill('SIGKILL');
  await first.ended;
  const [whileKilled, whileFailing] = [
    `while-killed-${destinationCount}`,
    `while-failing-${destinationCount}`,
  ];
  await chain.createFlag(whileKilled);

  const second = start(to, '--follow');
  await expectPublished(fromS3(to)).toContain(whileKilled);
  store.before(method => (method === 'PUT' ? 503 : undefined));
  await chain.createFlag(whileFailing);
  await expect.poll(second.output, POLL).toContain('The store responded with 503');
  store.before(() => undefined);
  await expectPublished(fromS3(to)).toContain(whileFailing);

  second.child.kill('SIGTERM');
  expect(await second.ended, second.output()).toBe(0);
  for (const secret of [S3_KEY.AWS_SECRET_ACCESS_KEY, readEnrolment(enrolment).token])
    expect(`${first.output()}${second.output()}`).not.toContain(secret);
});

test('an older snapshot never replaces a newer one, even if its publisher was paused before the write', async () => {
  const to = newDestination();
  const slow = start(to);
  let release: () => void = () => {};
  let writeCount = 0;
  store.before(async (method, path) => {
    if (method !== 'PUT' || !path.endsWith('/current') || writeCount++ > 0) return undefined;
    await new Promise<void>(resolve => {
      release = resolve;
    });
    return undefined;
  });
  await expect.poll(() => writeCount, POLL).toBe(1);
  await chain.createFlag('newer');
  const readBody = async () => (await read(chain.server, sdkToken)).body;
  await expect.poll(readBody, POLL).toContain('"newer"');
  const fast = start(to);
  expect(await fast.ended, fast.output()).toBe(0);
  expect(await flagsIn(fromS3(to))).toContain('newer');

  release();

  expect(await slow.ended, slow.output()).toBe(0);
  expect(slow.output()).toContain('snapshot kept');
  expect(await flagsIn(fromS3(to))).toContain('newer');
});

test('a folder stays readable while its publisher is killed again and again', async () => {
  const to = join(folder, 'published');
  let flagCount = 0;
  for (let round = 0; round < 4; round++) {
    const publisher = start(to, '--follow');
    const flag = `killed-${flagCount++}`;
    await chain.createFlag(flag);
    await expect
      .poll(async () => {
        if (!readdirSync(folder).includes('published')) return false;
        if (!readdirSync(to).includes('current')) return false;
        return (await flagsIn(fromFolder(to))).includes(flag);
      }, POLL)
      .toBe(true);
    await chain.createFlag(`unseen-${flagCount}`);
    await sleep(round * 400);
    publisher.child.kill('SIGKILL');
    await publisher.ended;
    expect((await readPublished(fromFolder(to))).snapshot.feed.environment).toBe('production');
  }
  // Only one process may publish to the folder, and only one feed.
  const writer = start(to, '--follow');
  await expect.poll(() => flagsIn(fromFolder(to)), POLL).toContain(`unseen-${flagCount}`);
  const other = start(to);
  expect(await other.ended).toBe(1);
  expect(other.output()).toContain('Another process publishes to the folder');
  writer.child.kill('SIGTERM');
  expect(await writer.ended).toBe(0);
  const ownEnrolment = enrolment;
  enrolment = (await chain.createToken({ type: 'edge', environment: 'development' })).enrolment ?? '';
  const { url } = readEnrolment(ownEnrolment);
  const foreign = spawn(process.execPath, [COMMAND, 'publish', '--to', to], {
    env: { ...COMPILE_CACHE, HALYARD_EDGE_ENROLMENT: enrolment, HALYARD_EDGE_UPSTREAM: url },
  });
  enrolment = ownEnrolment;
  let output = '';
  foreign.stderr.on('data', chunk => {
    output += chunk;
  });
  expect((await once(foreign, 'exit'))[0]).toBe(1);
  expect(output).toContain('contains snapshots of a different feed: environment "production"');
});

test.each([
  [['publish'], '--to is required'],
  [['remove', '--to', 'x'], 'There is no command "snapshot remove"'],
  [['publish', '--to', 's3:/flags'], '--to "s3:/flags" must be a folder or s3://bucket/prefix'],
  [['publish', '--to', 'x', '--endpoint', 'https://s3.example.com'], '--endpoint requires'],
  [['publish', '--to', 's3://flags'], 'AWS_SECRET_ACCESS_KEY is required'],
  [['publish', '--to', 's3://X'], 'must be like s3://bucket/prefix'],
])('rejects %j: %s', async (args, message) => {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...COMPILE_CACHE, HALYARD_EDGE_ENROLMENT: enrolment },
  });
  let output = '';
  child.stderr.on('data', chunk => {
    output += chunk;
  });

  expect((await once(child, 'exit'))[0]).toBeGreaterThan(0);
  expect(output).toContain(message);
});
