import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectStream, type StreamClient } from '../../test/event-stream-client.ts';
import { ADMIN_TOKEN } from '../../test/harness.ts';
import { type Cluster, canRunClusters, createCluster } from '../../test/postgres-cluster.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../test/process.ts';
import { openStream } from '../../test/sdk-stream.ts';
import { startTcpProxy, type TcpProxy } from '../../test/tcp-proxy.ts';

/** More ids than PostgreSQL skips after a crash, so that the lost ids are assigned again. */
const LOST_FEATURES = 40;

let primary: Cluster;
let standby: Cluster | undefined;
let proxy: TcpProxy;
let server: RunningServer;
let env: Record<string, string>;

describe.skipIf(!canRunClusters)('a database that lost changes', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    primary = await createCluster();
    proxy = await startTcpProxy('127.0.0.1', primary.port);
    env = {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${proxy.port}/halyard`,
      HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    };
    server = await startProcess(env);
  }, 600_000);
  afterAll(async () => {
    unwatch(server);
    await stopProcess(server, 'SIGKILL');
    await proxy.close();
    await primary.remove();
    await standby?.remove();
  });

  test('after a data directory is restored, servers reload their caches, streams say why they end, and ETags never collide', async () => {
    const token = await createToken('before');
    await createFeatures('kept', 1);
    await primary.stop('fast');
    await primary.takeSnapshot();
    await primary.start();
    const stream = await openEventStream();
    const sdkStream = await openStream(server.url, token.secret);
    await createFeatures('lost', LOST_FEATURES);
    const lostToken = await createToken('lost');
    await expect
      .poll(async () => getNames(await poll(token.secret)), POLL)
      .toContain(`lost-${LOST_FEATURES - 1}`);
    const { etag } = await poll(token.secret);
    await search('lost');
    await expect.poll(() => stream.events.length, POLL).toBe(LOST_FEATURES + 1);

    await primary.stop('immediate');
    await primary.restoreSnapshot();
    await primary.start();
    await createFeatures('other', LOST_FEATURES + 5);

    await expectDatabaseState('other', LOST_FEATURES + 5, token.secret, stream);
    expect((await get('/api/client/features', lostToken.secret)).status).toBe(401);
    const countHydrations = () =>
      sdkStream.received.filter(({ events }) => events[0]?.type === 'hydration').length;
    await expect.poll(countHydrations, POLL).toBeGreaterThan(1);
    const { revision } = await poll(token.secret);
    expect(revision).toBeGreaterThan(Number(etag.split('.')[2]?.replace('"', '')));
    expect((await get('/api/client/features', token.secret, { 'if-none-match': etag })).status).toBe(200);
    expect(await readChangeCount('restore')).toBe(1);
    sdkStream.close();
  });

  test('after an asynchronous standby is promoted, clients have exactly what the new primary has', async () => {
    const token = await createToken('standby');
    standby = await primary.addStandby();
    const stream = await openEventStream();
    await standby.disconnect();
    await createFeatures('unreplicated', LOST_FEATURES);
    const lostToken = await createToken('unreplicated');
    await get('/api/client/features', lostToken.secret);
    await search('unreplicated');
    await expect.poll(() => stream.events.length, POLL).toBe(LOST_FEATURES + 1);

    await primary.stop('immediate');
    await standby.promote();
    proxy.moveTo(standby.port);
    await createFeatures('replacing', LOST_FEATURES + 5);

    await expectDatabaseState('replacing', LOST_FEATURES + 5, token.secret, stream);
    await expect
      .poll(async () => (await get('/api/client/features', lostToken.secret)).status, POLL)
      .toBe(401);
    expect(await readChangeCount('failover')).toBe(1);
    expect(server.output()).toContain(
      'A standby was promoted: the timeline changed from 00000001 to 00000002.',
    );
    await write('DELETE', `/api/admin/api-tokens/${token.id}`);
    await expect.poll(async () => (await get('/api/client/features', token.secret)).status, POLL).toBe(401);
  });
});

const POLL = { timeout: 60_000, interval: 100 };

const get = async (path: string, token = ADMIN_TOKEN, headers: Record<string, string> = {}) =>
  await fetch(`${server.url}${path}`, { headers: { authorization: token, ...headers } });

/** Repeats a write until the database accepts it. */
async function write(method: string, path: string, body?: object): Promise<unknown> {
  for (;;) {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    if (response.status < 500) throw new Error(text);
    await sleep(100);
  }
}

async function createFeatures(prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await write('POST', '/api/admin/projects/default/features', { name: `${prefix}-${n}` });
}

const createToken = async (tokenName: string) =>
  (await write('POST', '/api/admin/api-tokens', {
    tokenName,
    type: 'backend',
    environment: 'development',
  })) as { id: number; secret: string };

async function poll(token: string): Promise<{ etag: string; names: string[]; revision: number }> {
  const response = await get('/api/client/features', token);
  const { features, meta } = (await response.json()) as {
    features: { name: string }[];
    meta: { revisionId: number };
  };
  const names = features.map(({ name }) => name);
  return { etag: String(response.headers.get('etag')), names, revision: meta.revisionId };
}
const getNames = ({ names }: { names: string[] }) => names;

const openEventStream = async (lastEventId?: string) =>
  await connectStream(`${server.url}/api/admin/events/stream`, ADMIN_TOKEN, { lastEventId });

/** Returns the ids of the events that a text search and a search by type find. */
async function search(query: string): Promise<number[][]> {
  const foundIds = [];
  for (const parameters of [`query=${query}`, 'type=IS:feature-created']) {
    const response = await get(`/api/admin/search/events?limit=1000&${parameters}`);
    const { events } = (await response.json()) as { events: { id: number }[] };
    foundIds.push(events.map(({ id }) => id));
  }
  return foundIds;
}

/** Expects SDKs, searches and the stream to match the database. */
async function expectDatabaseState(
  prefix: string,
  count: number,
  token: string,
  stream: StreamClient,
): Promise<void> {
  const db = standby ?? primary;
  const features = await db.query('select name from features order by name');
  await expect
    .poll(async () => getNames(await poll(token)).toSorted(), POLL)
    .toEqual(features.map(({ name }) => name));
  const listIds = async (condition: string) =>
    (await db.query(`select id from events where ${condition} order by id desc`)).map(({ id }) => Number(id));
  expect(await search(`${prefix}-`)).toEqual([
    await listIds(`event_text(data, pre_data, tags, comment) like '%${prefix}-%'`),
    await listIds(`type = 'feature-created'`),
  ]);
  await stream.closed;
  expect(stream.lines.at(-1)).toMatch(/^: .*Events after \d+ are lost\. Reconnect\.$/);
  const resumedStream = await openEventStream(stream.lastEventId());
  await expect.poll(() => resumedStream.events.length, POLL).toBe(count);
  expect(resumedStream.events.map(({ data }) => JSON.parse(data).featureName)).toEqual(
    Array.from({ length: count }, (_, n) => `${prefix}-${n}`),
  );
  resumedStream.close();
}

async function readChangeCount(kind: string): Promise<number> {
  const text = await (await fetch(`${server.url}/internal-backstage/prometheus`)).text();
  const line = new RegExp(`^halyard_database_epoch_changes_total{kind="${kind}"} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1]);
}
