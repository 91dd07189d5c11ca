import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Unleash } from 'unleash-client';
import { afterEach, expect, test } from 'vitest';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { startSdk } from '../../../../server/src/test/sdk-client.ts';
import {
  makeEnvironment,
  putDocuments,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import { openStream, type SdkStream } from '../../../../server/src/test/sdk-stream.ts';
import { waitForLockWaiters } from '../../../../server/src/test/waiting.ts';
import type { App } from '../../platform/http/app.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const opened: SdkStream[] = [];

afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

const connect = async (url: string, token: string, headers: Record<string, string> = {}) => {
  const stream = await openStream(url, token, headers);
  opened.push(stream);
  return stream;
};

const metric = async (app: App, name: string) =>
  Number((await app.metrics.getSingleMetricAsString(name)).split(' ').at(-1));

const poll = async (url: string, token: string, connectionId?: string, etag = '') =>
  await fetch(`${url}/api/client/features`, {
    headers: {
      authorization: token,
      'unleash-client-spec': '5.2.0',
      'if-none-match': etag,
      ...(connectionId === undefined ? {} : { 'unleash-connection-id': connectionId }),
    },
  });

const feature = (name: string, bytes = 0, enabled = true): SdkDocument => ({
  name,
  type: 'release',
  enabled,
  strategies: [{ name: 'default' } as object],
  variants: [],
  ...(bytes > 0 ? { text: randomBytes(bytes / 2).toString('hex') } : {}),
});

test('rejects a client if no slot is free, then invites only that client, once, and reserves a slot for it', async () => {
  // High enough that the limit on hydrations does not affect this test, which is about streams.
  const limits = { invitedAfterMs: 0, hydrationsPerTokenAndMinute: 60_000_000 };
  const app = await harness.secondServer({ maxStreams: 1 }, limits);
  const url = await server.keep(app);
  const token = await server.token('production');
  const etag = (await poll(url, token)).headers.get('etag') ?? '';
  const first = await connect(url, token);

  const rejected = await connect(url, token, { 'unleash-connection-id': 'rejected' });
  expect([first.status, rejected.status]).toEqual([200, 429]);
  expect(await metric(app, 'halyard_sdk_streams_limit')).toBe(1);
  expect(rejected.headers['retry-after']).toBe('60');
  expect((await poll(url, token, 'rejected', etag)).status).toBe(304);
  first.close();
  await expect.poll(() => metric(app, 'halyard_sdk_streams')).toBe(0);

  for (const otherId of [undefined, 'another'])
    expect((await poll(url, token, otherId, etag)).status).toBe(304);
  const invitation = await poll(url, token, 'rejected', etag);
  expect([invitation.status, invitation.headers.get('fetch-mode'), invitation.headers.get('etag')]).toEqual([
    200,
    'streaming',
    null,
  ]);
  expect(await invitation.json()).toMatchObject({ version: 2, features: expect.any(Array) });
  expect((await poll(url, token, 'rejected', etag)).status).toBe(304);

  expect((await connect(url, token, { 'unleash-connection-id': 'another' })).status).toBe(429);
  expect((await connect(url, token, { 'unleash-connection-id': 'rejected' })).status).toBe(200);
});

test.each(['unleash-python-sdk:6.8.0', 'unleash-ruby-sdk:6.6.0'])(
  '%s never polls, so if no slot is free, its stream ends after one event and later resumes by id',
  async sdk => {
    const app = await harness.secondServer({ maxStreams: 1 }, { hydrationsPerTokenAndMinute: 60_000_000 });
    const url = await server.keep(app);
    const environment = sdk.replaceAll(/[:.]/g, '-');
    await makeEnvironment(harness.db, environment);
    await putDocuments(harness.db, environment, { features: [feature('a')] });
    const token = await server.token(environment);
    await connect(url, token);
    const headers = { 'unleash-sdk': sdk, 'unleash-connection-id': 'visitor' };

    const shortStream = await connect(url, token, headers);
    await shortStream.closed;
    expect(shortStream.status).toBe(200);
    expect(shortStream.received).toMatchObject([
      { name: 'unleash-connected', events: [{ type: 'hydration', features: [{ name: 'a' }] }] },
    ]);
    expect(shortStream.lines.at(-1)).toBe('retry: 15000');
    await expect.poll(() => metric(app, 'halyard_sdk_streams')).toBe(1);

    const nextStream = await connect(url, token, {
      ...headers,
      'last-event-id': shortStream.received[0]?.id ?? '',
    });
    await nextStream.closed;
    expect(nextStream.received).toMatchObject([{ name: 'unleash-connected', events: [] }]);
    expect((await connect(url, token, { 'unleash-sdk': 'unleash-node-sdk:6.12.1' })).status).toBe(429);
  },
);

test('an SDK that never polls gets a large hydration before its stream ends, and keeps its stream if it has a slot', async () => {
  const app = await harness.secondServer(
    { maxStreams: 1 },
    { largeFrameBytes: 1_000, hydrationsPerTokenAndMinute: 60_000_000 },
  );
  const url = await server.keep(app);
  await makeEnvironment(harness.db, 'large-visit');
  await putDocuments(harness.db, 'large-visit', { features: [feature('a', 1_000_000)] });
  const token = await server.token('large-visit');
  const headers = { 'unleash-sdk': 'unleash-python-sdk:6.8.0' };
  const lastingStream = await connect(url, token, headers);

  const shortStream = await connect(url, token, headers);
  await shortStream.closed;

  expect(shortStream.received).toHaveLength(1);
  expect(shortStream.lines.at(-1)).toBe('retry: 15000');
  expect(lastingStream.isClosed()).toBe(false);
});

test('a token cannot take every slot', async () => {
  const app = await harness.secondServer({ maxStreams: 10 });
  const url = await server.keep(app);
  const [firstToken, secondToken] = [await server.token('production'), await server.token('production')];

  const greedy = await Promise.all(Array.from({ length: 20 }, () => connect(url, firstToken)));
  expect(greedy.filter(({ status }) => status === 200)).toHaveLength(8);
  expect((await connect(url, secondToken)).status).toBe(200);
  expect((await connect(url, firstToken)).status).toBe(429);
});

test('an SDK that gets no slot polls, and streams after it is invited', async () => {
  // High enough that the limit on hydrations does not affect this test, which is about streams.
  const limits = { invitedAfterMs: 0, hydrationsPerTokenAndMinute: 60_000_000 };
  const app = await harness.secondServer({ maxStreams: 1 }, limits);
  const url = await server.keep(app);
  await makeEnvironment(harness.db, 'steered');
  await putDocuments(harness.db, 'steered', { features: [feature('a')] });
  const token = await server.token('steered');
  const first = await connect(url, token);

  const sdk = await startSdk(url, token, 'streaming');
  await putDocuments(harness.db, 'steered', { features: [feature('a', 0, false)] });
  await expect.poll(() => sdk.isEnabled('a')).toBe(false);
  first.close();

  await expect.poll(() => metric(app, 'halyard_sdk_streams')).toBe(1);
  await putDocuments(harness.db, 'steered', { features: [feature('a')] });
  await expect.poll(() => sdk.isEnabled('a')).toBe(true);
  sdk.destroy();
});

test('a client that does not read is cut off, and later resumes after its last event', async () => {
  const app = await harness.secondServer({}, { bufferedBytes: 65_536, largeFrameBytes: 2 ** 30 });
  const url = await server.keep(app);
  await makeEnvironment(harness.db, 'slow');
  await putDocuments(harness.db, 'slow', { features: [feature('a')] });
  const token = await server.token('slow');
  const slowStream = await connect(url, token);
  const reader = await connect(url, token);
  await expect.poll(() => slowStream.received).toHaveLength(1);
  slowStream.response.pause();

  let written = 0;
  while ((await metric(app, 'halyard_sdk_streams_cut_off_total')) === 0) {
    await putDocuments(harness.db, 'slow', { features: [feature(`f${written % 3}`, 500_000)] });
    written++;
  }
  slowStream.response.resume();
  await slowStream.closed;

  expect(reader.isClosed()).toBe(false);
  const { id = '' } = slowStream.received.at(-1) ?? {};
  const resumedStream = await connect(url, token, { 'last-event-id': id });
  // There are several events if the client reconnected before the server had read the last change.
  await expect.poll(() => resumedStream.received.at(-1)?.id).toMatch(new RegExp(`\\.${written + 1}$`));
  const events = resumedStream.received.flatMap(received => received.events);
  expect(events.every(({ type }) => type === 'feature-updated')).toBe(true);
});

test('a client that does not read its hydration is cut off, and the next client is served', async () => {
  const app = await harness.secondServer({}, { largeBytesInFlight: 1, stalledAfterMs: 2_000 });
  const url = await server.keep(app);
  await makeEnvironment(harness.db, 'large');
  await putDocuments(harness.db, 'large', { features: [feature('a', 30_000_000)] });
  const token = await server.token('large');
  const stalledStream = await connect(url, token);
  stalledStream.response.pause();

  const waitingStream = await connect(url, token);
  await putDocuments(harness.db, 'large', { features: [feature('b')] });

  await expect.poll(() => waitingStream.received.at(-1)?.events.at(-1)?.eventId).toBe(2);
  expect(await metric(app, 'halyard_sdk_streams_cut_off_total')).toBe(1);
  expect(waitingStream.received[0]?.events).toMatchObject([{ type: 'hydration' }]);
  await putDocuments(harness.db, 'large', { features: [feature('c')] });
  await expect.poll(() => waitingStream.received.at(-1)?.events.at(-1)?.eventId).toBe(3);
  expect(waitingStream.received.at(-1)).toMatchObject({ name: 'unleash-updated' });
});

test('a client that hydrates too often gets 429, but resumed streams and other clients are not limited', async () => {
  const app = await harness.secondServer({}, { hydrationsPerClient: { burst: 2, perMinute: 2 } });
  const url = await server.keep(app);
  const token = await server.token('production');
  const greedy = { 'unleash-connection-id': 'greedy' };
  const first = await connect(url, token, greedy);
  await expect.poll(() => first.received).toHaveLength(1);
  await connect(url, token, greedy);

  const rejectedStream = await connect(url, token, greedy);
  const resumingHeaders = { ...greedy, 'last-event-id': first.received[0]?.id ?? '' };
  const otherHeaders = [resumingHeaders, resumingHeaders, { 'unleash-connection-id': 'other' }, {}, {}, {}];
  const streams = await Promise.all(otherHeaders.map(headers => connect(url, token, headers)));

  expect([rejectedStream.status, Number(rejectedStream.headers['retry-after'])]).toEqual([429, 30]);
  expect(streams.map(({ status }) => status)).toEqual(otherHeaders.map(() => 200));
});

test('limits the hydrations per token, regardless of connection ids', async () => {
  const app = await harness.secondServer({ maxStreams: 8 }, { hydrationsPerTokenAndMinute: 1 });
  const url = await server.keep(app);
  const [firstToken, secondToken] = [await server.token('production'), await server.token('production')];
  for (let round = 0; round < 8; round++) {
    const stream = await connect(url, firstToken, { 'unleash-connection-id': `client-${round}` });
    expect(stream.status).toBe(200);
    stream.close();
    await expect.poll(() => metric(app, 'halyard_sdk_streams')).toBe(0);
  }

  expect((await connect(url, firstToken)).status).toBe(429);
  expect((await connect(url, secondToken)).status).toBe(200);
});

test('an SDK that cannot store its flags falls back to polling after a few hydrations', async () => {
  const app = await harness.secondServer();
  const url = await server.keep(app);
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: 'test',
    customHeaders: { Authorization: await server.token('production') },
    disableMetrics: true,
    skipInstanceCountWarning: true,
    refreshInterval: 50,
    backupPath: '/dev/null',
    experimentalMode: { type: 'streaming' },
  });
  sdk.on('error', () => {});
  sdk.on('warn', () => {});
  const requests = async (operation: string, status: number) => {
    const text = await app.metrics.getSingleMetricAsString('halyard_sdk_requests_total');
    const line = `halyard_sdk_requests_total{operation="${operation}",status="${status}"} `;
    return Number(text.split(line)[1]?.split('\n')[0] ?? 0);
  };

  await expect.poll(() => requests('features', 304)).toBeGreaterThan(3);

  expect(await requests('streaming', 429)).toBeGreaterThan(0);
  expect(await requests('streaming', 200)).toBeLessThanOrEqual(11);
  sdk.destroy();
});

test('the server sends comments on a stream without changes', async () => {
  const url = await server.keep(await harness.secondServer({}, { commentsEveryMs: 200 }));
  const stream = await connect(url, await server.token('production'));

  await expect.poll(() => stream.lines).toContain(':');
});

test('a stopping server spreads out the ends of its streams and their reconnections, and opens no new streams', async () => {
  const app = await harness.secondServer();
  const url = await server.keep(app);
  const token = await server.token('production');
  const streams = await Promise.all(Array.from({ length: 100 }, () => connect(url, token)));
  const endTimes: number[] = [];
  for (const { closed } of streams) void closed.then(() => endTimes.push(performance.now()));

  const shutdown = app.close();
  await expect.poll(() => endTimes.length).toBeGreaterThan(0);
  const lateStream = await connect(url, token).catch(() => undefined);
  expect(lateStream === undefined || lateStream.status === 503).toBe(true);
  await shutdown;
  await Promise.all(streams.map(({ closed }) => closed));

  const retryDelays = streams.map(({ lines }) => Number(/^retry: (\d+)$/.exec(lines.at(-1) ?? '')?.[1]));
  expect(Math.min(...retryDelays)).toBeGreaterThanOrEqual(2_000);
  expect(Math.max(...retryDelays)).toBeLessThanOrEqual(6_000);
  expect(new Set(retryDelays).size).toBeGreaterThan(50);
  expect(Math.max(...endTimes) - Math.min(...endTimes)).toBeGreaterThan(300);
});

test('a request whose token is being looked up when the server begins to stop gets a stream that ends', async () => {
  const app = await harness.secondServer();
  await app.serving.refresh();
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const open = await connect(url, await server.token('production'));
  const unknownToken = await server.token('production');
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table api_tokens in access exclusive mode`.execute(blocker);
  const pendingConnection = connect(url, unknownToken);
  await waitForLockWaiters(harness.db);

  const shutdown = app.close();
  await open.closed;
  await blocker.rollback().execute();
  const late = await pendingConnection;
  await late.closed;
  await shutdown;

  expect(late.status).toBe(200);
  expect(late.lines).toEqual(['retry: 2000', expect.stringMatching(/^retry: [2-6]\d{3}$/)]);
});
