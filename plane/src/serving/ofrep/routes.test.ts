import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeApiToken } from '../../../../server/src/test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../../../server/src/test/harness.ts';
import { type ApiResponse, call } from '../../../../server/src/test/request.ts';
import {
  makeEnvironment,
  putDocuments,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import { makeWaitForRevision } from './wait-for-revision.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const FLAGS = '/ofrep/v1/evaluate/flags';

const feature = (name: string, fields: Partial<SdkDocument> = {}): SdkDocument => ({
  name,
  enabled: true,
  strategies: [],
  variants: [],
  ...fields,
});
const enabledFor = (contextName: string, ...values: string[]) => ({
  strategies: [{ name: 'default', constraints: [{ contextName, operator: 'IN', values }] } as object],
});
const withPayload = (type: string, value: string) => ({
  variants: [{ name: 'only', weight: 1_000, payload: { type, value } }],
});

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  await putDocuments(harness.db, 'main', {
    features: [
      feature('for-all'),
      feature('disabled', { enabled: false }),
      feature('for-ada', enabledFor('userId', 'ada')),
      feature('for-germany', enabledFor('country', 'DE')),
      feature('half', {
        strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50', groupId: 'g' } } as object],
      }),
      feature('text', withPayload('string', 'blue')),
      feature('list', withPayload('csv', 'a,b')),
      feature('number', withPayload('number', '1.5')),
      feature('json', withPayload('json', '{"a":[1]}')),
      feature('broken-json', withPayload('json', '{')),
      feature('plain-variant', { variants: [{ name: 'only', weight: 1_000 }] }),
    ],
  });
  token = await server.token('main', undefined, 'frontend');
});

type Options = Parameters<typeof call>[3];
const post = async (path: string, context: unknown = {}, options: Options = {}) =>
  await call(harness.app, 'POST', path, { token, body: { context }, ...options });
const evaluateKey = async (key: string, context: unknown = {}) =>
  (await post(`${FLAGS}/${encodeURIComponent(key)}`, context)).body;
const values = ({ body }: ApiResponse) =>
  Object.fromEntries(body.flags.map(({ key, value }: { key: string; value: unknown }) => [key, value]));

describe('one flag', () => {
  test.each([
    ['for-all', {}, { value: true, reason: 'STATIC' }],
    ['disabled', {}, { value: false, reason: 'DISABLED' }],
    ['for-ada', { targetingKey: 'ada' }, { value: true, reason: 'TARGETING_MATCH' }],
    ['for-ada', { targetingKey: 'ben' }, { value: false, reason: 'TARGETING_MATCH' }],
    ['for-ada', { targetingKey: 'ben', userId: 'ada' }, { value: true, reason: 'TARGETING_MATCH' }],
    ['for-germany', { country: 'DE' }, { value: true, reason: 'TARGETING_MATCH' }],
    ['half', { targetingKey: 'ada' }, { value: expect.any(Boolean), reason: 'SPLIT' }],
    ['text', {}, { value: 'blue', reason: 'STATIC', variant: 'only' }],
    ['text.enabled', {}, { value: true, reason: 'STATIC', variant: 'only' }],
    ['list', {}, { value: 'a,b', reason: 'STATIC', variant: 'only' }],
    ['number', {}, { value: 1.5, reason: 'STATIC', variant: 'only' }],
    ['json', {}, { value: { a: [1] }, reason: 'STATIC', variant: 'only' }],
    ['broken-json', {}, { value: '{', reason: 'STATIC', variant: 'only' }],
    ['plain-variant', {}, { value: true, reason: 'STATIC', variant: 'only' }],
  ])('evaluates %s for %j', async (key, context, expected) => {
    expect(await evaluateKey(key, context)).toEqual({ key, ...expected });
  });

  test('returns 404 for an unknown flag', async () => {
    const unknownResponse = await post(`${FLAGS}/nope`);
    const second = await post(`${FLAGS}/for-all.enabled`);

    expect(unknownResponse).toMatchObject({
      status: 404,
      body: { key: 'nope', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'Feature "nope" does not exist.' },
    });
    expect(second.status).toBe(404);
  });
});

describe('all flags', () => {
  test('have values, and a stream path that is the same for all contexts', async () => {
    const first = await post(FLAGS, { targetingKey: 'ada', country: 'DE' });
    const second = await post(FLAGS, { targetingKey: 'ben' });

    expect(values(first)).toMatchObject({
      'for-all': true,
      disabled: false,
      'for-ada': true,
      'for-germany': true,
      text: 'blue',
      'text.enabled': true,
      json: { a: [1] },
    });
    expect(values(second)).toMatchObject({ 'for-ada': false, 'for-germany': false });
    expect(first.body.eventStreams).toEqual([
      {
        type: 'sse',
        endpoint: { requestUri: expect.stringMatching(/^\/ofrep\/v1\/events\/[\w-]{32}$/) },
        inactivityDelaySec: 120,
      },
    ]);
    expect(second.body.eventStreams).toEqual(first.body.eventStreams);
    expect(JSON.stringify(first.body)).not.toContain(token);
  });

  test('a changed flag gives them a new ETag, and keeps their stream path', async () => {
    await makeEnvironment(harness.db, 'changing');
    await putDocuments(harness.db, 'changing', { features: [feature('changed')] });
    const secret = await server.token('changing', undefined, 'frontend');
    const before = await post(FLAGS, {}, { token: secret });

    await putDocuments(harness.db, 'changing', { features: [feature('changed', { enabled: false })] });
    await harness.app.serving.refresh();
    const headers = { 'if-none-match': String(before.headers.etag) };
    const after = await post(FLAGS, {}, { token: secret, headers });

    expect([before, after].map(values)).toEqual([{ changed: true }, { changed: false }]);
    expect(after.status).toBe(200);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(after.body.eventStreams).toEqual(before.body.eventStreams);
  });

  test('return 304 only for the same context and token', async () => {
    const { etag } = (await post(FLAGS, { targetingKey: 'ada', sessionId: '1' })).headers;
    const headers = { 'if-none-match': String(etag) };
    const otherSecret = await server.token('main', undefined, 'frontend');

    const sameResponse = await post(FLAGS, { sessionId: '1', targetingKey: 'ada' }, { headers });
    const otherUser = await post(FLAGS, { sessionId: '1', targetingKey: 'ben' }, { headers });
    const otherField = await post(FLAGS, { sessionId: '1', targetingKey: 'ada', country: 'DE' }, { headers });
    const otherToken = await post(
      FLAGS,
      { sessionId: '1', targetingKey: 'ada' },
      { headers, token: otherSecret },
    );

    expect([sameResponse, otherUser, otherField, otherToken].map(({ status }) => status)).toEqual([
      304, 200, 200, 200,
    ]);
  });

  test('a server without the requested revision waits for it for at most 1 s', async () => {
    await makeEnvironment(harness.db, 'behind');
    await putDocuments(harness.db, 'behind', { features: [feature('moving')] });
    const behind = await server.token('behind', undefined, 'frontend');
    const lateServer = await harness.secondServer();
    await lateServer.serving.refresh();
    const evaluate = async (query = '') =>
      await call(lateServer, 'POST', `${FLAGS}${query}`, { token: behind, body: {} });
    const { etag } = (await evaluate()).headers;
    const [epoch = '', scope = '', revision = ''] = String(etag).slice(1).split('.');
    const nextPosition = `${epoch}.${scope}.${Number(revision) + 1}`;

    const waitingResponse = evaluate(`?flagConfigEtag=${nextPosition}`);
    await putDocuments(harness.db, 'behind', { features: [feature('moving', { enabled: false })] });
    await lateServer.serving.refresh();
    expect(values(await waitingResponse)).toEqual({ moving: false });

    const future = `${epoch}.${scope}.${Number(revision) + 5}`;
    const startedAt = performance.now();
    expect((await evaluate(`?flagConfigEtag=${future}`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect((await evaluate('?flagConfigEtag=nonsense')).status).toBe(200);

    const sdkToken = lateServer.serving.tokens.findCached(behind);
    const lateScope = sdkToken && lateServer.serving.findScope(sdkToken);
    if (!lateScope) throw new Error('The scope is not loaded');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let isWaiting = true;
    const waitEnd = makeWaitForRevision(lateServer.serving)(lateScope, future).then(() => {
      isWaiting = false;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(isWaiting).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(isWaiting).toBe(false);
    await waitEnd;
  });
});

describe('rejections', () => {
  test.each([`${FLAGS}`, `${FLAGS}/for-all`])(
    '%s accepts only backend and frontend tokens, in either header',
    async path => {
      const backend = await server.token('main');
      const unknownKey = { token: null, headers: { 'x-api-key': 'nope' } };

      expect((await post(path, {}, { token: backend })).status).toBe(200);
      expect((await post(path, {}, { token: `Bearer ${token}` })).status).toBe(200);
      expect((await post(path, {}, { token: null, headers: { 'x-api-key': token } })).status).toBe(200);
      expect((await post(path, {}, { token: null })).status).toBe(401);
      expect((await post(path, {}, unknownKey)).status).toBe(401);
      expect((await post(path, {}, { token: ADMIN_TOKEN })).status).toBe(403);
    },
  );

  test.each([
    ['a context that is not an object', { context: [] }, 'INVALID_CONTEXT'],
    ['a body that is not an object', [], 'INVALID_CONTEXT'],
    ['a large context', { context: { targetingKey: 'x'.repeat(16_385) } }, 'INVALID_CONTEXT'],
  ])('returns 400 for %s', async (_, body, errorCode) => {
    const response = await call(harness.app, 'POST', FLAGS, { token, body });

    expect(response).toMatchObject({ status: 400, body: { errorCode, errorDetails: expect.any(String) } });
  });

  test('returns 400 for invalid JSON and 413 for a large body', async () => {
    const send = async (payload: string) =>
      await harness.app.sdk.inject({
        method: 'POST',
        url: `${FLAGS}/for-all`,
        headers: { authorization: token, 'content-type': 'application/json' },
        payload,
      });

    const brokenResponse = await send('{');
    expect(brokenResponse.statusCode).toBe(400);
    expect(brokenResponse.json()).toMatchObject({ key: 'for-all', errorCode: 'PARSE_ERROR' });
    expect((await send(JSON.stringify({ context: { a: 'x'.repeat(70_000) } }))).statusCode).toBe(413);
  });

  test.each([
    ['that is not valid UTF-8', '%FF'],
    ['of 513 characters', 'x'.repeat(513)],
  ])("returns 400 in the protocol's format for a key %s", async (_, key) => {
    const { status, body } = await post(`${FLAGS}/${key}`, {}, { token });

    expect(status).toBe(400);
    expect(body).toEqual({ errorCode: 'PARSE_ERROR', errorDetails: expect.stringContaining('path') });
  });

  test('a preflight request needs no token', async () => {
    const { statusCode, headers } = await harness.app.sdk.inject({ method: 'OPTIONS', url: `${FLAGS}?a=1` });

    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});

describe('stream', () => {
  /** Opens a token's stream, and collects its lines as they arrive. */
  const openStream = async (secret: string, headers: Record<string, string> = {}) => {
    const { body } = await post(FLAGS, {}, { token: secret });
    const path = body.eventStreams[0].endpoint.requestUri;
    const response = await fetch(`${server.url}${path}`, { headers });
    const lines: string[] = [];
    let isEnded = false;
    const reader = (async () => {
      for await (const chunk of response.body ?? [])
        lines.push(
          ...Buffer.from(chunk)
            .toString()
            .split('\n')
            .filter(line => line.startsWith('data:')),
        );
      isEnded = true;
    })().catch(() => {});
    return { response, path, lines, isEnded: () => isEnded, reading: reader };
  };

  test('notifies once at its start and after each change in the scope, and ends with its token', async () => {
    await makeEnvironment(harness.db, 'streamed');
    await putDocuments(harness.db, 'streamed', { features: [feature('one')] });
    const fields = { tokenName: 'streams', type: 'frontend' as const, environment: 'streamed' };
    const { secret } = await makeApiToken(harness.db, { ...fields, projects: ['default'] });
    const stream = await openStream(secret);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    await expect.poll(() => stream.lines).toHaveLength(1);

    await putDocuments(harness.db, 'streamed', { features: [feature('two', { project: 'other' })] });
    await sleep(200);
    await putDocuments(harness.db, 'streamed', { features: [feature('one', { enabled: false })] });
    await expect.poll(() => stream.lines).toHaveLength(2);

    const { etag } = (await post(FLAGS, {}, { token: secret })).headers;
    const notification = JSON.parse(stream.lines[1]?.slice(5) ?? '');
    expect(notification.type).toBe('refetchEvaluation');
    expect(String(etag).startsWith(`"${notification.etag}.`)).toBe(true);

    const resumedStream = await openStream(secret, { 'last-event-id': notification.etag });
    await sleep(200);
    expect(resumedStream.lines).toEqual([]);

    const list = await call(harness.app, 'GET', '/api/admin/api-tokens');
    const { id } = list.body.tokens.find((found: { tokenName: string }) => found.tokenName === 'streams');
    await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);
    await expect.poll(stream.isEnded).toBe(true);
    expect((await fetch(`${server.url}${stream.path}`)).status).toBe(404);
  });

  test('works on a server that has not seen the token before', async () => {
    const { body } = await post(FLAGS);
    const otherServer = await harness.secondServer();
    await otherServer.serving.refresh();

    const knownResponse = await call(otherServer, 'GET', body.eventStreams[0].endpoint.requestUri, {
      token: null,
    });
    const unknownResponse = await call(otherServer, 'GET', '/ofrep/v1/events/nope', { token: null });

    expect(knownResponse.status).toBe(200);
    expect(unknownResponse.status).toBe(404);
  });

  test('returns 429 if no slot is free', async () => {
    const { body } = await post(FLAGS);
    const fullServer = await harness.secondServer({ maxStreams: 0 });
    await fullServer.serving.refresh();

    const { status, headers } = await call(fullServer, 'GET', body.eventStreams[0].endpoint.requestUri, {
      token: null,
    });

    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('60');
  });

  test('streams of one token leave slots for the pages and SDKs of other tokens', async () => {
    const smallServer = await harness.secondServer({ maxStreams: 10 });
    const url = await server.keep(smallServer);
    const [firstToken, secondToken] = [
      await server.token('production', undefined, 'frontend'),
      await server.token('production'),
    ];
    const fetchStreamPath = async (token: string) =>
      (await call(smallServer, 'POST', FLAGS, { token, body: { context: {} } })).body.eventStreams[0].endpoint
        .requestUri;
    const controller = new AbortController();
    const connect = async (path: string, token = '') =>
      (await fetch(`${url}${path}`, { signal: controller.signal, headers: { authorization: token } })).status;
    const path = await fetchStreamPath(firstToken);

    const greedy = await Promise.all(Array.from({ length: 20 }, () => connect(path)));

    expect(greedy.filter(status => status === 200)).toHaveLength(5);
    expect(await connect(await fetchStreamPath(secondToken))).toBe(200);
    expect(await connect('/api/client/streaming', secondToken)).toBe(200);
    controller.abort();
  });

  test('a request that is waiting when the server begins to stop gets a stream that ends', async () => {
    await makeEnvironment(harness.db, 'stopping');
    const tokens = [token, await server.token('stopping', undefined, 'frontend')];
    const paths = await Promise.all(
      tokens.map(
        async token => (await post(FLAGS, {}, { token })).body.eventStreams[0].endpoint.requestUri as string,
      ),
    );
    const stoppingServer = await harness.secondServer();
    await stoppingServer.serving.refresh();
    const url = await stoppingServer.listen({ host: '127.0.0.1', port: 0 });
    const openResponse = await fetch(`${url}${paths[0]}`);
    const blocker = await harness.db.startTransaction().execute();
    await sql`lock table sdk_features in access exclusive mode`.execute(blocker);
    const requested = once(stoppingServer.server, 'request');
    const connection = fetch(`${url}${paths[1]}`);
    await requested;

    const shutdown = stoppingServer.close();
    await openResponse.text();
    await blocker.rollback().execute();
    const lateResponse = await connection;
    const text = await lateResponse.text();
    await shutdown;

    expect(lateResponse.status).toBe(200);
    expect(text).toMatch(/^(retry: [2-6]\d{3}\n\n){2}$/);
  });

  test('a closed stream frees its slot', async () => {
    const { body } = await post(FLAGS);
    // One token in one network may have half of these streams.
    const smallServer = await harness.secondServer({ maxStreams: 4 });
    const url = `${await server.keep(smallServer)}${body.eventStreams[0].endpoint.requestUri}`;
    const streams = async () => {
      const text = (await call(smallServer, 'GET', '/internal-backstage/prometheus', { token: null })).body;
      return Number(/^halyard_sdk_ofrep_streams (\d+)/m.exec(String(text))?.[1]);
    };
    const connect = async () => {
      const controller = new AbortController();
      // Returns the response, because fetch cancels the body of a response that is garbage-collected.
      const response = await fetch(url, { signal: controller.signal });
      return { response, status: response.status, leave: () => controller.abort() };
    };

    const firstStream = await connect();
    for (let n = 0; n < 20; n++) {
      const secondStream = await connect();
      expect(secondStream.status).toBe(200);
      expect((await connect()).status).toBe(429);
      secondStream.leave();
      await expect.poll(streams, { interval: 10 }).toBe(1);
    }
    // These clients disconnect before the response.
    for (let n = 0; n < 20; n++) {
      const controller = new AbortController();
      const request = fetch(url, { signal: controller.signal }).catch(() => {});
      await sleep(n % 4);
      controller.abort();
      await request;
    }
    expect(firstStream.response.bodyUsed).toBe(false);
    firstStream.leave();

    await expect.poll(streams, { interval: 10 }).toBe(0);
  });
});
