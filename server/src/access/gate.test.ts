import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ShareLimits } from '@halyard/plane/platform/admission/shares.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../app.ts';
import { makeUser, type TestUser } from '../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../test/harness.ts';

const harness = useHarness();
const LIMITS = {
  capacity: 5,
  share: 0.4,
  waiting: 100,
  waitingPerCaller: 10,
  waitMs: 60_000,
  // Tests can keep the event loop busy, which would otherwise change the limits.
  isBusy: () => false,
};
const NETWORK = '198.51.100.1';

let app: App;
let [alice, bob]: TestUser[] = [];
/** The names of requests that have passed the gate. The requests do not finish until the test releases them. */
let runningRequests: string[] = [];
let release = Promise.withResolvers<void>();

beforeAll(async () => {
  [alice, bob] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
});
afterEach(async () => {
  release.resolve();
  await app.close();
});

/** Starts a server that holds requests with X-Hold until the test releases them, and delays requests with X-Slow by 100 ms. */
async function start(limits: Partial<ShareLimits> = {}): Promise<void> {
  // When a server stops, it runs the requests that are still waiting, so each server needs its own list.
  const [passedRequests, currentRelease] = [[] as string[], Promise.withResolvers<void>()];
  [runningRequests, release] = [passedRequests, currentRelease];
  app = await buildApp(harness.db, APP_SETTINGS, { requests: { ...LIMITS, ...limits } });
  app.addHook('onRequest', async request => {
    if (request.headers['x-slow'] !== undefined) await sleep(100);
    const holdHeader = request.headers['x-hold'];
    if (holdHeader === undefined) return;
    if (holdHeader === 'long work') request.visit.releaseSlot();
    passedRequests.push(String(holdHeader));
    await currentRelease.promise;
  });
  await app.ready();
  // Verifies the credentials, because until then their requests count towards the network they come from.
  for (const user of [alice, bob]) await get('/api/admin/user', { authorization: user?.token });
}

const get = async (url: string, headers: Record<string, string | undefined>, remoteAddress = NETWORK) =>
  await app.inject({ url, headers, remoteAddress });

type HoldOptions = { url?: string; ip?: string; token?: (n: number) => string | undefined };

/** Sends requests that the server holds, labeled with a name. */
function hold(
  name: string,
  count: number,
  { url = '/api/admin/projects', ip, token = () => alice?.token }: HoldOptions = {},
) {
  for (let n = 0; n < count; n++) void get(url, { 'x-hold': name, authorization: token(n) }, ip);
}

async function countWaiting(): Promise<number> {
  const { body } = await app.inject('/internal-backstage/prometheus');
  return Number(/halyard_admission_waiting\{kind="requests"\} (\d+)/.exec(body)?.[1]);
}

/** Returns the names of the running requests and the number of waiting requests. */
const readState = async () => ({ running: runningRequests.toSorted(), waiting: await countWaiting() });

test('a caller with many requests leaves slots for others, and its remaining requests wait', async () => {
  await start();

  hold('alice', 6);
  await expect.poll(readState).toEqual({ running: ['alice', 'alice'], waiting: 4 });
  hold('bob', 1, { token: () => bob?.token });
  await expect.poll(readState).toEqual({ running: ['alice', 'alice', 'bob'], waiting: 4 });

  release.resolve();
  await expect.poll(() => runningRequests.filter(name => name === 'alice').length).toBe(6);
});

test('random tokens count towards the network they come from', async () => {
  await start();
  const token = (n: number) => `*:*.random-${n}`;

  hold('random', 6, { url: '/auth/methods', token });
  hold('other', 1, { url: '/auth/methods', token, ip: '198.51.100.2' });

  await expect.poll(readState).toEqual({ running: ['other', 'random', 'random'], waiting: 4 });
});

test('a flood of document requests does not delay a login from the same network', async () => {
  await start();
  const token = () => '';

  hold('docs', 6, { url: '/docs/js/start.js', token });
  hold('page', 1, { url: '/docs', token });
  hold('login', 1, { url: '/auth/methods', token });

  await expect.poll(readState).toEqual({ running: ['docs', 'docs', 'login'], waiting: 5 });
});

test('long work that releases its slot lets a short request from the same caller run', async () => {
  await start();

  hold('long work', 3);
  hold('short', 1);

  await expect.poll(readState).toEqual({ running: [...Array(3).fill('long work'), 'short'], waiting: 0 });
});

test('probes get a response while all slots are taken', async () => {
  await start({ capacity: 1 });
  hold('alice', 3);
  await expect.poll(readState).toEqual({ running: ['alice'], waiting: 2 });

  for (const url of ['/health', '/ready', '/internal-backstage/prometheus'])
    expect((await get(url, {})).statusCode).toBe(200);
});

test("rejects a request with 429 if its caller's queue is full, and with 503 if other callers keep the server busy", async () => {
  await start({ capacity: 1, waiting: 2, waitingPerCaller: 1 });
  hold('alice', 2);
  await expect.poll(countWaiting).toBe(1);

  const ownResponse = await get('/api/admin/projects', { authorization: alice?.token });
  hold('bob', 1, { token: () => bob?.token });
  await expect.poll(countWaiting).toBe(2);
  const otherResponse = await get('/auth/methods', {});

  expect([ownResponse.statusCode, ownResponse.headers['retry-after'], ownResponse.json().name]).toEqual([
    429,
    '2',
    'RateLimitError',
  ]);
  expect([otherResponse.statusCode, otherResponse.headers['retry-after']]).toEqual([503, '2']);
});

test("responds with 503 to a request that waited while none of its caller's requests completed", async () => {
  await start({ capacity: 1, waitMs: 1_000 });
  hold('alice', 1);
  await expect.poll(readState).toEqual({ running: ['alice'], waiting: 0 });

  const waitingResponse = await get('/api/admin/projects', { authorization: alice?.token });

  expect([waitingResponse.statusCode, waitingResponse.headers['retry-after']]).toEqual([503, '2']);
});

test("responds with 429 to a request that waited while its caller's requests completed slowly", async () => {
  await start({ capacity: 1, waiting: 100, waitingPerCaller: 100, waitMs: 2_000 });

  const responses = await Promise.all(
    Array.from({ length: 40 }, () =>
      get('/api/admin/projects', { 'x-slow': 'yes', authorization: alice?.token }),
    ),
  );

  expect(responses.map(({ statusCode }) => statusCode)).toContain(429);
});

test('a waiting request does not run if its client disconnects', async () => {
  await start({ capacity: 1 });
  await app.listen({ port: 0 });
  hold('alice', 1);
  await expect.poll(readState).toEqual({ running: ['alice'], waiting: 0 });
  const { port } = app.server.address() as { port: number };
  const clientClosed = new Promise(resolve => {
    app.server.once('connection', socket => socket.once('close', resolve));
  });
  const client = connect(port, '127.0.0.1');
  client.write('GET /docs HTTP/1.1\r\nHost: a\r\nX-Hold: gone\r\n\r\n');
  await expect.poll(countWaiting).toBe(1);

  client.destroy();
  await clientClosed;
  release.resolve();

  await expect.poll(countWaiting).toBe(0);
  expect(runningRequests).not.toContain('gone');
});
