import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findFreePort } from '../server/scripts/demo/free-port.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';
import { type Container, startContainer } from './support/container.ts';
import {
  buildah,
  buildImage,
  copyContext,
  exportImage,
  IMAGE,
  type ImageConfig,
  makeBase,
  ROOT,
} from './support/image.ts';
import { runToEnd } from './support/package.ts';

const run = promisify(execFile);
/** The content of a developer's private files, which must not end up in the image. */
const PRIVATE_TEXT = 'planted-secret-5c0ffee';
const READY_TIMEOUT_MS = 120_000;

const database = `halyard_image_${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'halyard-image-'));
const context = join(folder, 'context');
const exportFolder = join(folder, 'exported');
const secrets = join(folder, 'secrets');
const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
let config: ImageConfig;
let container: Container | undefined;
let port: number;

beforeAll(async () => {
  await makeBase(folder);
  await copyContext(context);
  for (const path of ['.env', '.env.local', 'server/.env', 'console/debug.log', 'id_rsa'])
    writeFileSync(join(context, path), PRIVATE_TEXT);
  await buildImage(folder, context);
  config = await exportImage(folder, exportFolder);
  await createDatabase(database);
}, 1_800_000);

afterAll(async () => {
  container?.child.kill('SIGKILL');
  await dropDatabase(database);
  await buildah(folder, 'rm', '--all');
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('the image configuration sets the user, the health check, the stop signal and the version', () => {
  expect(config).toMatchObject({
    User: '10001:10001',
    StopSignal: 'SIGTERM',
    Cmd: ['server'],
    Healthcheck: { Test: ['CMD', 'node', '/opt/halyard/bin/halyard.cjs', 'health'] },
    Labels: {
      'org.opencontainers.image.title': 'Halyard',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': '1.2.3',
      'org.opencontainers.image.revision': '0123456789abcdef',
    },
  });
});

test('no layer contains a secret or a private file', async () => {
  const { layers } = JSON.parse(readFileSync(join(exportFolder, 'manifest.json'), 'utf8'));
  const files: string[] = [];
  for (const [n, { digest }] of layers.entries()) {
    const layerFile = join(exportFolder, digest.replace('sha256:', ''));
    const { stdout } = await run('tar', ['-tzf', layerFile], { maxBuffer: 100_000_000 });
    // The first layer is the base image, which contains no files of ours.
    if (n > 0) files.push(...stdout.split('\n'));
    const matches = await runToEnd('sh', [
      '-c',
      `gzip -dc "$1" | grep -c -a "$2"`,
      'sh',
      layerFile,
      PRIVATE_TEXT,
    ]);
    expect(matches.output.trim(), digest).toBe('0');
  }
  const size = layers.reduce((sum: number, layer: { size: number }) => sum + layer.size, 0);
  const halyardSize = layers.slice(1).reduce((sum: number, layer: { size: number }) => sum + layer.size, 0);
  console.log(
    `image: ${(size / 1e6).toFixed(0)} MB compressed, ${(halyardSize / 1e6).toFixed(1)} MB of it Halyard`,
  );

  expect(files).toContain('opt/halyard/bin/halyard.cjs');
  expect(files.filter(path => /(^|\/)(\.env|id_rsa|\.npmrc|src\/)|\.log$/.test(path))).toEqual([]);
  for (const path of readdirSync(exportFolder).filter(
    name => statSync(join(exportFolder, name)).size < 100_000,
  ))
    expect(readFileSync(join(exportFolder, path), 'utf8')).not.toContain(PRIVATE_TEXT);
});

test('the secrets in compose.yaml are created once', async () => {
  mkdirSync(secrets);
  const [script] = compose.services.secrets.command;
  const createSecrets = () =>
    runToEnd(compose.services.secrets.entrypoint[0], ['-euc', script.replaceAll('/secrets', secrets)]);
  expect(await createSecrets()).toEqual({ code: 0, output: '' });
  const secretKey = readFileSync(join(secrets, 'secret-key'), 'utf8');
  expect(Buffer.from(secretKey, 'base64')).toHaveLength(32);
  expect(statSync(join(secrets, 'admin-password'))).toMatchObject({ uid: 10_001, mode: 0o100600 });

  expect(await createSecrets()).toEqual({ code: 0, output: '' });
  expect(readFileSync(join(secrets, 'secret-key'), 'utf8')).toBe(secretKey);
});

test('the container serves with the settings in compose.yaml', async () => {
  port = await findFreePort();
  container = await startContainer({
    folder,
    name: `halyard-${process.pid}`,
    rootfs: await buildah(folder, 'mount', await buildah(folder, 'from', '--pull-never', IMAGE)),
    config,
    env: {
      ...compose.services.halyard.environment,
      DATABASE_URL: getDatabaseUrl(database),
      PORT: String(port),
    },
    mounts: { '/secrets': secrets },
  });
  const { output } = container;
  const startedAt = performance.now();
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status, {
      timeout: READY_TIMEOUT_MS,
      message: output(),
    })
    .toBe(200);
  console.log(`container: ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);

  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<title>Halyard</title>');
  const login = await fetch(`http://127.0.0.1:${port}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: compose.services.halyard.environment.HALYARD_INIT_ADMIN_USERNAME,
      password: readFileSync(join(secrets, 'admin-password'), 'utf8').trim(),
    }),
  });
  expect(login.status).toBe(200);
});

test('the container runs as user 10001 without capabilities and cannot write to its root file system', async () => {
  const status = readFileSync(`/proc/${await container?.pid()}/status`, 'utf8');
  const findField = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1];
  expect(findField('Uid')).toBe('10001\t10001\t10001\t10001');
  expect(findField('Gid')).toBe('10001\t10001\t10001\t10001');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(findField(set), set).toBe('0000000000000000');
  expect(findField('NoNewPrivs')).toBe('1');

  for (const path of ['/planted', '/opt/halyard/planted', '/tmp/planted']) {
    const writeResult = await container?.exec(['node', '-e', `require('fs').writeFileSync('${path}', '')`]);
    expect(writeResult).toMatchObject({ code: 1, output: expect.stringContaining('EROFS') });
  }
});

test('the health check exits with 0 if a server responds, and with 1 otherwise', async () => {
  const [, ...healthCheck] = config.Healthcheck.Test;

  expect(await container?.exec(healthCheck, [`PORT=${port}`])).toMatchObject({
    code: 0,
    output: expect.stringContaining('GOOD'),
  });
  expect(await container?.exec(healthCheck, [`PORT=${await findFreePort()}`])).toMatchObject({ code: 1 });
});

test('the container has the command halyard', async () => {
  expect(await container?.exec(['halyard', '--version'])).toMatchObject({ code: 0 });
});

test('SIGTERM stops the container with code 0', async () => {
  if (container === undefined) throw new Error('The container is not running.');
  const exit = once(container.child, 'exit');
  process.kill(await container.pid(), 'SIGTERM');

  expect(await exit, container.output()).toEqual([0, null]);
});
