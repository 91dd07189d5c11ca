import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enrolmentText, readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import { newToken } from '@halyard/plane/platform/token.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl, runIn } from '../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../server/src/test/process.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const MAIN = new URL('main.ts', import.meta.url).pathname;
const POLL = { timeout: 120_000, interval: 50 };
const name = `halyard_edge_${randomBytes(4).toString('hex')}`;
const FEATURES = '/api/admin/projects/default/features';
const metricsHour = new Date();

let server: RunningServer;
let proxy: TcpProxy;
let edge: RunningServer;
let folder: string;
let enrolment: string;
let sdkToken: string;

/** Sends a request with a timeout, so that a process that hangs fails its own test rather than all later ones. */
const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(POLL.timeout) });

const admin = async (method: string, path: string, body?: object) => {
  const response = await request(`${server.url}${path}`, {
    method,
    headers: { authorization: ADMIN, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return text === '' ? undefined : JSON.parse(text);
};

const createToken = async (
  fields: object = {},
): Promise<{ id: number; secret: string; enrolment?: string }> =>
  await admin('POST', '/api/admin/api-tokens', {
    tokenName: `token ${Math.random()}`,
    type: 'backend',
    environment: 'production',
    ...fields,
  });

const createFlag = (flag: string) => admin('POST', FEATURES, { name: flag });
const enable = (flag: string) => admin('POST', `${FEATURES}/${flag}/environments/production/on`);

const startEdge = async (text = enrolment, data = folder): Promise<RunningServer> => {
  edge = await startProcess({ HALYARD_EDGE_ENROLMENT: text, HALYARD_DATA_DIR: data }, undefined, MAIN);
  return edge;
};

const kill = async (server: RunningServer): Promise<void> => {
  unwatch(server);
  await stopProcess(server, 'SIGKILL');
};

const read = async (server: RunningServer, token = sdkToken, headers: Record<string, string> = {}) => {
  const response = await request(`${server.url}/api/client/features`, {
    headers: { authorization: token, 'unleash-client-spec': '5.2.0', ...headers },
  });
  const body = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), headers: response.headers, body };
};

/** Waits until the edge sends the same bytes with the same ETag as the server. */
const waitUntilEqual = async (): Promise<void> => {
  await expect
    .poll(async () => {
      const [{ etag, body }, edgeResponse] = await Promise.all([read(server), read(edge)]);
      return [edgeResponse.status, edgeResponse.etag, edgeResponse.body].join() === [200, etag, body].join();
    }, POLL)
    .toBe(true);
};

const files = () => join(folder, 'edge');

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  folder = mkdtempSync(join(tmpdir(), 'halyard-edge-'));
  server = await startProcess({
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_INIT_ADMIN_TOKENS: ADMIN,
    HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  proxy = await startTcpProxy('127.0.0.1', server.port);
  sdkToken = (await createToken()).secret;
  await createFlag('first');
  const edgeToken = await createToken({ type: 'edge', tokenName: 'edge' });
  const parsedEnrolment = readEnrolment(edgeToken.enrolment ?? '');
  expect(parsedEnrolment).toMatchObject({
    feed: { environment: 'production', projects: null },
    token: edgeToken.secret,
  });
  enrolment = enrolmentText({ ...parsedEnrolment, url: `http://127.0.0.1:${proxy.port}` });
  await startEdge();
});
afterAll(async () => {
  if (edge.process.exitCode === null && edge.process.signalCode === null) await stopProcess(edge);
  await proxy.close();
  await stopProcess(server);
  rmSync(folder, { recursive: true });
  await discardDatabase(name);
});

test('a change is live only when the SDKs behind the edge have it, and not while the edge is silent', async () => {
  const edges = async () => (await admin('GET', '/api/admin/edges')).edges;
  await expect.poll(edges, POLL).toEqual([
    expect.objectContaining({
      tokenName: 'edge',
      environment: 'production',
      projects: ['*'],
      state: 'connected',
    }),
  ]);
  const createFlagAndTrackReach = async (
    flag: string,
  ): Promise<(query?: string) => Promise<{ state: string; missing: object[] }>> => {
    await createFlag(flag);
    const { events } = await admin(
      'GET',
      `/api/admin/search/events?feature=IS:${flag}&type=IS:feature-created`,
    );
    return (query = '') => admin('GET', `/api/admin/events/${events[0].id}/reach${query}`);
  };
  const sdk = await startSdk(edge.url, sdkToken, 'polling');
  const reach = await createFlagAndTrackReach('reached');
  await expect.poll(async () => (await reach('?wait=5')).state, POLL).toBe('live');

  edge.process.kill('SIGSTOP');
  try {
    await expect.poll(async () => (await edges())[0].state, POLL).toBe('silent');
    expect((await reach()).state).toBe('unknown');
  } finally {
    edge.process.kill('SIGCONT');
  }
  await expect.poll(async () => (await reach()).state, POLL).toBe('live');

  // The SDK polls again in ten minutes.
  const slowSdk = await startSdk(edge.url, sdkToken, 'polling', 600_000);
  const changeReach = await createFlagAndTrackReach('not-reached');
  await expect
    .poll(async () => (await changeReach()).missing, POLL)
    .toEqual([expect.objectContaining({ application: 'test', environment: 'production' })]);
  expect((await changeReach()).state).toBe('behind');
  sdk.destroy();
  slowSdk.destroy();
});

test.each(Object.keys(TRANSPORTS) as Transport[])(
  'a change reaches a real SDK through %s',
  async transport => {
    const flag = `by-${transport}`;
    await createFlag(flag);
    const sdk = await startSdk(edge.url, sdkToken, transport);
    expect(sdk.isEnabled(flag)).toBe(false);

    await enable(flag);

    await expect.poll(() => sdk.isEnabled(flag), POLL).toBe(true);
    sdk.destroy();
    await waitUntilEqual();
  },
);

test('a new token works immediately, and a revoked token is rejected', async () => {
  const { id, secret } = await createToken();
  expect((await read(edge, secret)).status).toBe(200);
  expect((await read(edge, newToken('backend', 'default:production.'))).status).toBe(401);
  const sdk = await startSdk(edge.url, secret, 'streaming');

  await admin('DELETE', `/api/admin/api-tokens/${id}`);

  await expect.poll(async () => (await read(edge, secret)).status, POLL).toBe(401);
  sdk.destroy();
});

test('an edge token works only for the edge API, where an SDK token is rejected', async () => {
  const { token } = readEnrolment(enrolment);
  expect((await read(server, token)).status).toBe(403);
  const rejection = await request(`${server.url}/api/edge/v1/head`, {
    headers: { authorization: sdkToken },
  });
  expect(rejection.status).toBe(403);
  const head = await request(`${server.url}/api/edge/v1/head`, { headers: { authorization: token } });
  expect((await head.text()).split('\n')[0]).toContain('"log":"head"');
  const first = await request(`${server.url}/api/edge/v1/snapshot`, { headers: { authorization: token } });
  const retry = await request(`${server.url}/api/edge/v1/snapshot`, {
    headers: { authorization: token, 'if-none-match': first.headers.get('etag') ?? '' },
  });
  expect([first.status, retry.status]).toEqual([200, 304]);
});

test('an edge that is cut off keeps serving, and catches up when the connection is back', async () => {
  proxy.cut();
  for (let number = 0; number < 30; number++) await createFlag(`cut-${number}`);
  await admin('DELETE', `${FEATURES}/cut-3`);
  const { id, secret } = await createToken();
  await admin('DELETE', `/api/admin/api-tokens/${id}`);
  expect((await read(edge)).status).toBe(200);
  // SDKs stop permanently on 401, so an unknown token, which may be new, gets 503.
  expect((await read(edge, secret)).status).toBe(503);
  expect((await request(`${edge.url}/ready`)).status).toBe(200);

  proxy.restore();

  await waitUntilEqual();
  await expect.poll(async () => (await read(edge, secret)).status, POLL).toBe(401);
});

test('an edge that starts without upstream serves from its disk, and uses the previous snapshot if the current one is damaged', async () => {
  await createFlag('kept');
  await waitUntilEqual();
  await expect.poll(() => readFileSync(join(files(), 'feed.frames'), 'utf8'), POLL).toContain('kept');
  const responseBefore = await read(edge);
  for (const file of readdirSync(files())) expect(statSync(join(files(), file)).mode & 0o777).toBe(0o600);
  await kill(edge);
  proxy.cut();

  await startEdge();

  expect(await read(edge)).toMatchObject({
    status: 200,
    etag: responseBefore.etag,
    body: responseBefore.body,
  });
  expect((await read(edge, newToken('backend', 'default:production.'))).status).toBe(503);
  await kill(edge);

  // Half of the last frame was written, and the current snapshot was altered.
  const frames = join(files(), 'feed.frames');
  truncateSync(frames, statSync(frames).size - 10);
  const current = join(files(), 'feed.snapshot');
  const snapshot = readFileSync(current);
  writeFileSync(`${current}.previous`, snapshot);
  writeFileSync(current, Buffer.concat([snapshot.subarray(0, -3), Buffer.from('}]}')]).fill('x', 300, 301));
  await startEdge();
  expect(await read(edge)).toMatchObject({ status: 200 });
  expect(edge.output()).toContain('snapshot not usable');
  proxy.restore();
  await waitUntilEqual();
});

test('metrics are counted once, even if the edge is killed and its reports are interrupted', async () => {
  const report = async (yes: number): Promise<void> => {
    const response = await request(`${edge.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: sdkToken, 'content-type': 'application/json' },
      body: JSON.stringify({
        appName: 'shop',
        instanceId: 'one',
        bucket: {
          start: metricsHour.toISOString(),
          stop: new Date().toISOString(),
          toggles: { first: { yes, no: 1, variants: {} } },
        },
      }),
    });
    expect(response.status).toBe(202);
  };
  const readSaved = () => readFileSync(join(files(), 'metrics.json'), 'utf8');
  const readCounts = async (): Promise<number> => {
    const usage = await admin('GET', `/api/admin/client-metrics/features/first/raw`);
    return usage.data.reduce((sum: number, { yes }: { yes: number }) => sum + yes, 0);
  };
  proxy.cut();
  await report(5);
  await expect.poll(readSaved, POLL).toContain('"yes":5');
  await kill(edge);
  await startEdge();
  await report(7);
  await expect.poll(readSaved, POLL).toContain('"yes":7');
  // The report arrives, but its response is lost.
  proxy.restore();
  proxy.closeAfter('/api/edge/v1/report');

  await expect.poll(readCounts, POLL).toBe(12);
  await report(100);
  await expect.poll(readCounts, POLL).toBe(112);
  const applications = await admin('GET', '/api/admin/metrics/applications');
  expect(applications.applications).toContainEqual(expect.objectContaining({ appName: 'shop' }));
});

test("when one of the feed's projects is archived, an edge continues with the remaining projects", async () => {
  for (const id of ['kept', 'archived']) {
    await admin('POST', '/api/admin/projects', { id, name: id });
    await admin('POST', `/api/admin/projects/${id}/features`, { name: `of-${id}` });
  }
  const projects = ['kept', 'archived'];
  const edgeToken = await createToken({ type: 'edge', projects });
  const ownEnrolment = { ...readEnrolment(edgeToken.enrolment ?? ''), url: `http://127.0.0.1:${proxy.port}` };
  const partialEdge = await startProcess(
    { HALYARD_EDGE_ENROLMENT: enrolmentText(ownEnrolment) },
    undefined,
    MAIN,
  );
  const { secret } = await createToken({ projects: ['kept'] });
  const tokenForBoth = await createToken({ projects });
  await expect
    .poll(async () => (await read(partialEdge, tokenForBoth.secret)).body, POLL)
    .toContain('of-archived');

  await admin('DELETE', '/api/admin/projects/archived/features/of-archived');
  await admin('DELETE', '/api/admin/projects/archived');
  await admin('POST', '/api/admin/projects/kept/features', { name: 'after-archiving' });

  for (const token of [secret, tokenForBoth.secret])
    await expect.poll(async () => (await read(partialEdge, token)).body, POLL).toContain('after-archiving');
  expect((await read(partialEdge, tokenForBoth.secret)).body).not.toContain('of-archived');
  expect(partialEdge.output()).not.toContain('revoked');
  await kill(partialEdge);
});

test('after a database is restored, an edge and its SDKs switch to the new epoch', async () => {
  await waitUntilEqual();
  const sdk = await startSdk(edge.url, sdkToken, 'polling');
  const responseBefore = await read(edge);
  await createFlag('lost');
  await enable('lost');
  await expect.poll(() => sdk.isEnabled('lost'), POLL).toBe(true);

  // Simulates a promoted standby that lacks the last changes: same server, lower revisions.
  const [, revision] = /\.(\d+)"$/.exec(responseBefore.etag ?? '') ?? [];
  await runIn(
    name,
    'begin',
    `delete from sdk_features where environment = 'production' and revision > ${revision}`,
    `update sdk_revisions set revision = ${revision} where environment = 'production'`,
    'commit',
  );

  await expect.poll(() => sdk.isEnabled('lost'), POLL).toBe(false);
  await waitUntilEqual();
  expect((await read(edge)).etag?.split('.')[0]).not.toBe(responseBefore.etag?.split('.')[0]);
  await createFlag('after-restore');
  await enable('after-restore');
  await expect.poll(() => sdk.isEnabled('after-restore'), POLL).toBe(true);
  sdk.destroy();
});

test('only a signed revocation makes an edge delete its flags', async () => {
  const impostor = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"no"}');
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const { port } = impostor.address() as AddressInfo;
  proxy.moveTo(port);
  await expect.poll(() => edge.output(), POLL).toContain('Upstream responded with 401');
  expect((await read(edge)).status).toBe(200);
  expect((await read(edge, newToken('backend', 'default:production.'))).status).toBe(503);
  proxy.moveTo(server.port);
  await waitUntilEqual();
  impostor.close();
  const { token } = readEnrolment(enrolment);
  const stream = await request(`${edge.url}/api/client/streaming`, { headers: { authorization: sdkToken } });
  expect(stream.status).toBe(200);

  await admin('DELETE', `/api/admin/api-tokens/${token}`);

  await expect.poll(async () => (await read(edge)).status, POLL).toBe(401);
  // Ends once the edge has closed the stream.
  await stream.text();
  await expect.poll(async () => (await request(`${edge.url}/ready`)).status, POLL).toBe(503);
  await expect.poll(() => readdirSync(files()), POLL).toEqual(['metrics.json']);
});
