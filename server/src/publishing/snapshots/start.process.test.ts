import { hash } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken } from '@halyard/plane/platform/token.ts';
import { Unleash } from 'unleash-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../../test/harness.ts';
import { type Cluster, canRunClusters, createCluster } from '../../test/postgres-cluster.ts';
import { type RunningServer, spawnServer, startProcess, stopProcess, unwatch } from '../../test/process.ts';

const POLL = { timeout: 120_000, interval: 50 };
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const NEXT_KEY = Buffer.alloc(32, 8).toString('base64');

let cluster: Cluster;
let folder: string;
let env: Record<string, string>;
let server: RunningServer;

const start = async (extraEnv: Record<string, string> = {}): Promise<RunningServer> => {
  server = await startProcess({ ...env, ...extraEnv });
  return server;
};

const kill = async (): Promise<void> => {
  unwatch(server);
  await stopProcess(server, 'SIGKILL');
};

const admin = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${server.url}/api/admin/${path}`, {
    method,
    headers: { authorization: ADMIN_TOKEN, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    snapshot: response.headers.get('halyard-snapshot'),
  };
};

const createToken = async (): Promise<string> => {
  const apiToken = await admin('POST', 'api-tokens', {
    tokenName: `sdk-${Math.random()}`,
    type: 'backend',
    environment: 'production',
  });
  expect(apiToken.status).toBe(201);
  return apiToken.body.secret;
};

const createFeature = async (name: string): Promise<void> => {
  expect((await admin('POST', 'projects/default/features', { name })).status).toBe(201);
};

const poll = async (token: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}/api/client/features`, {
    headers: { authorization: token, ...headers },
  });
  const text = await response.text();
  const features: { name: string }[] = response.status === 200 ? JSON.parse(text).features : [];
  return { status: response.status, headers: response.headers, names: features.map(({ name }) => name) };
};

const readReady = async () => {
  const response = await fetch(`${server.url}/ready`);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

const getSnapshotFolder = () => join(folder, 'snapshots');
const getSnapshotFile = () => join(getSnapshotFolder(), 'production.snapshot');

/** Waits until the state with the flag is on disk. */
const waitUntilWritten = (name: string) =>
  expect.poll(() => readFileSync(getSnapshotFile(), 'utf8'), POLL).toContain(name);

describe.skipIf(!canRunClusters)(
  'a server that starts while PostgreSQL is down',
  { timeout: 600_000 },
  () => {
    beforeEach(async () => {
      cluster = await createCluster();
      folder = mkdtempSync(join(tmpdir(), 'halyard-data-'));
      env = {
        DATABASE_URL: cluster.url,
        HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
        HALYARD_SECRET_KEY: SECRET_KEY,
        HALYARD_DATA_DIR: folder,
      };
      return async () => {
        if (server?.process.exitCode === null && server.process.signalCode === null) await kill();
        rmSync(folder, { recursive: true });
        await cluster.remove();
      };
    }, 600_000);

    test('serves a real SDK from its snapshot, reports the time of the snapshot, and switches to PostgreSQL once it is available', async () => {
      await start();
      const token = await createToken();
      const revokedToken = await createToken();
      await createFeature('kept');
      expect((await poll(revokedToken)).status).toBe(200);
      expect((await admin('DELETE', `api-tokens/${revokedToken}`)).status).toBe(200);
      await waitUntilWritten('kept');
      await expect.poll(async () => (await poll(revokedToken)).status, POLL).toBe(401);
      const { headers: headersBefore } = await poll(token);
      // The revocation is in the file too.
      await expect
        .poll(
          () => JSON.parse(readFileSync(getSnapshotFile(), 'utf8').split('\n')[2] ?? '').endedTokens,
          POLL,
        )
        .toContain(hash('sha256', revokedToken));
      await kill();
      await cluster.stop('immediate');

      await start();

      const { status, body } = await readReady();
      expect([status, body]).toEqual([
        200,
        { health: 'GOOD', database: 'BAD', writes: 'BAD', snapshot: expect.any(String) },
      ]);
      const response = await poll(token);
      expect(response).toMatchObject({ status: 200, names: ['kept'] });
      expect(response.headers.get('halyard-snapshot')).toBe(body.snapshot);
      expect(response.headers.get('etag')).toBe(headersBefore.get('etag'));
      expect((await poll(token, { 'if-none-match': headersBefore.get('etag') ?? '' })).status).toBe(304);
      // SDKs stop permanently on 401, so an unknown token, which may be new, gets 503.
      expect((await poll(newToken('backend', 'default:production.'))).status).toBe(503);
      expect((await poll(revokedToken)).status).toBe(401);
      expect((await poll(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).status).toBe(401);
      const rejectedResponse = await admin('GET', 'projects');
      expect(rejectedResponse.snapshot).toBe(body.snapshot);
      expect([rejectedResponse.status, rejectedResponse.body.message]).toEqual([
        503,
        expect.stringContaining('from a snapshot of'),
      ]);
      expect((await fetch(`${server.url}/`)).status).not.toBe(503);

      const sdk = new Unleash({
        appName: 'snapshot-test',
        url: `${server.url}/api`,
        customHeaders: { Authorization: token },
        refreshInterval: 200,
        disableMetrics: true,
        skipInstanceCountWarning: true,
      });
      await new Promise<void>((resolve, reject) => {
        sdk.once('synchronized', () => resolve());
        sdk.once('error', reject);
      });
      expect(sdk.getFeatureToggleDefinitions().map(({ name }) => name)).toEqual(['kept']);

      await cluster.start();
      await expect
        .poll(async () => (await readReady()).body, POLL)
        .toEqual({
          health: 'GOOD',
          database: 'GOOD',
          writes: 'GOOD',
        });
      await createFeature('later');
      await expect
        .poll(() => sdk.getFeatureToggleDefinitions().map(({ name }) => name), POLL)
        .toEqual(['kept', 'later']);
      sdk.destroy();
      expect((await poll(token)).headers.get('halyard-snapshot')).toBeNull();
      await waitUntilWritten('later');
    });

    test('uses the previous snapshot if the current one is incomplete or altered, and accepts no other snapshot', async () => {
      await start();
      const token = await createToken();
      await createFeature('first');
      await waitUntilWritten('first');
      await createFeature('second');
      await waitUntilWritten('second');
      await kill();
      await cluster.stop('immediate');
      expect(readdirSync(getSnapshotFolder()).toSorted()).toEqual([
        'production.snapshot',
        'production.snapshot.previous',
      ]);
      for (const name of readdirSync(getSnapshotFolder()))
        expect(statSync(join(getSnapshotFolder(), name)).mode & 0o777).toBe(0o600);

      const fullFile = readFileSync(getSnapshotFile());
      truncateSync(getSnapshotFile(), fullFile.length - 10);
      await start();
      expect((await poll(token)).names).toEqual(['first']);
      expect(server.output()).toContain('snapshot not usable');
      await kill();

      writeFileSync(getSnapshotFile(), fullFile.toString('latin1').replace('"second"', '"forged"'), 'latin1');
      await start();
      expect((await poll(token)).names).toEqual(['first']);
      await kill();

      writeFileSync(getSnapshotFile(), fullFile);
      await start({ HALYARD_SECRET_KEY: NEXT_KEY, HALYARD_OLD_SECRET_KEYS: SECRET_KEY });
      expect((await poll(token)).names).toEqual(['first', 'second']);
      await kill();

      const { child, output } = spawnServer({ ...env, PORT: '0', HALYARD_SECRET_KEY: NEXT_KEY });
      await expect.poll(() => child.exitCode, POLL).toBe(1);
      expect(output()).toContain('which is not trusted');
      expect(output()).toContain('Cannot connect to PostgreSQL');
      await cluster.start();
      await start();
    });

    test('reads everything again if PostgreSQL comes back with an older state', async () => {
      await start();
      const token = await createToken();
      await createFeature('in-backup');
      await waitUntilWritten('in-backup');
      await cluster.stop('fast');
      await cluster.takeSnapshot();
      await cluster.start();
      await expect.poll(async () => (await readReady()).body.writes, POLL).toBe('GOOD');
      await createFeature('lost');
      await waitUntilWritten('lost');
      await kill();
      await cluster.stop('immediate');
      await start();
      const stale = await poll(token);
      expect(stale.names.toSorted()).toEqual(['in-backup', 'lost']);

      await cluster.restoreSnapshot();
      await cluster.start();

      await expect.poll(async () => (await poll(token)).names, POLL).toEqual(['in-backup']);
      const etag = stale.headers.get('etag') ?? '';
      expect((await poll(token, { 'if-none-match': etag })).status).toBe(200);
    });
  },
);
