import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApiToken } from '../../../../server/src/test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../../../server/src/test/harness.ts';
import { type ApiResponse, call } from '../../../../server/src/test/request.ts';
import {
  makeEnvironment,
  putDocuments,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';

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
const when = (contextName: string, ...values: string[]) => ({
  strategies: [{ name: 'default', constraints: [{ contextName, operator: 'IN', values }] } as object],
});
const paying = (type: string, value: string) => ({
  variants: [{ name: 'only', weight: 1_000, payload: { type, value } }],
});

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  await putDocuments(harness.db, 'main', {
    features: [
      feature('for-all'),
      feature('disabled', { enabled: false }),
      feature('for-ada', when('userId', 'ada')),
      feature('for-germany', when('country', 'DE')),
      feature('half', {
        strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50', groupId: 'g' } } as object],
      }),
      feature('text', paying('string', 'blue')),
      feature('list', paying('csv', 'a,b')),
      feature('number', paying('number', '1.5')),
      feature('json', paying('json', '{"a":[1]}')),
      feature('broken-json', paying('json', '{')),
      feature('plain-variant', { variants: [{ name: 'only', weight: 1_000 }] }),
    ],
  });
  token = await server.token('main', undefined, 'frontend');
});

type Options = Parameters<typeof call>[3];
const post = async (path: string, context: unknown = {}, options: Options = {}) =>
  await call(harness.app, 'POST', path, { token, body: { context }, ...options });
const one = async (key: string, context: unknown = {}) =>
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
  ])('%s for %j', async (key, context, expected) => {
    expect(await one(key, context)).toEqual({ key, ...expected });
  });

  test('404 for a flag that is not in the projects of the token', async () => {
    const unknown = await post(`${FLAGS}/nope`);
    const second = await post(`${FLAGS}/for-all.enabled`);

    expect(unknown).toMatchObject({
      status: 404,
      body: { key: 'nope', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'Feature "nope" does not exist.' },
    });
    expect(second.status).toBe(404);
  });
});

describe('all flags', () => {
  test('have values, a tag and the path of a stream that is the same every time', async () => {
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

  test('304 only for the same context and token', async () => {
    const { etag } = (await post(FLAGS, { targetingKey: 'ada', sessionId: '1' })).headers;
    const headers = { 'if-none-match': String(etag) };
    const other = await server.token('main', undefined, 'frontend');

    const same = await post(FLAGS, { sessionId: '1', targetingKey: 'ada' }, { headers });
    const otherUser = await post(FLAGS, { sessionId: '1', targetingKey: 'ben' }, { headers });
    const otherField = await post(FLAGS, { sessionId: '1', targetingKey: 'ada', country: 'DE' }, { headers });
    const otherToken = await post(FLAGS, { sessionId: '1', targetingKey: 'ada' }, { headers, token: other });

    expect([same, otherUser, otherField, otherToken].map(({ status }) => status)).toEqual([
      304, 200, 200, 200,
    ]);
  });

  test('a server without the named revision waits for it, at most 1 s', async () => {
    await makeEnvironment(harness.db, 'behind');
    await putDocuments(harness.db, 'behind', { features: [feature('moving')] });
    const behind = await server.token('behind', undefined, 'frontend');
    const late = await harness.secondServer();
    await late.serving.refresh();
    const evaluate = async (query = '') =>
      await call(late, 'POST', `${FLAGS}${query}`, { token: behind, body: {} });
    const { etag } = (await evaluate()).headers;
    const [epoch = '', scope = '', revision = ''] = String(etag).slice(1).split('.');
    const next = `${epoch}.${scope}.${Number(revision) + 1}`;

    const waiting = evaluate(`?flagConfigEtag=${next}`);
    await putDocuments(harness.db, 'behind', { features: [feature('moving', { enabled: false })] });
    await late.serving.refresh();
    expect(values(await waiting)).toEqual({ moving: false });

    const future = `${epoch}.${scope}.${Number(revision) + 5}`;
    const from = performance.now();
    expect((await evaluate(`?flagConfigEtag=${future}`)).status).toBe(200);
    expect(performance.now() - from).toBeGreaterThan(900);
    expect((await evaluate('?flagConfigEtag=nonsense')).status).toBe(200);
  });
});

describe('rejections', () => {
  test.each([`${FLAGS}`, `${FLAGS}/for-all`])(
    '%s accepts backend and frontend tokens, in both headers',
    async path => {
      const backend = await server.token('main');
      const unknown = { token: null, headers: { 'x-api-key': 'nope' } };

      expect((await post(path, {}, { token: backend })).status).toBe(200);
      expect((await post(path, {}, { token: `Bearer ${token}` })).status).toBe(200);
      expect((await post(path, {}, { token: null, headers: { 'x-api-key': token } })).status).toBe(200);
      expect((await post(path, {}, { token: null })).status).toBe(401);
      expect((await post(path, {}, unknown)).status).toBe(401);
      expect((await post(path, {}, { token: ADMIN_TOKEN })).status).toBe(403);
    },
  );

  test.each([
    ['a context that is not an object', { context: [] }, 'INVALID_CONTEXT'],
    ['a body that is not an object', [], 'INVALID_CONTEXT'],
    ['a large context', { context: { targetingKey: 'x'.repeat(16_385) } }, 'INVALID_CONTEXT'],
  ])('400 for %s', async (_, body, errorCode) => {
    const answer = await call(harness.app, 'POST', FLAGS, { token, body });

    expect(answer).toMatchObject({ status: 400, body: { errorCode, errorDetails: expect.any(String) } });
  });

  test('400 for invalid JSON, 413 for a large body', async () => {
    const send = async (payload: string) =>
      await harness.app.sdk.inject({
        method: 'POST',
        url: `${FLAGS}/for-all`,
        headers: { authorization: token, 'content-type': 'application/json' },
        payload,
      });

    const broken = await send('{');
    expect(broken.statusCode).toBe(400);
    expect(broken.json()).toMatchObject({ key: 'for-all', errorCode: 'PARSE_ERROR' });
    expect((await send(JSON.stringify({ context: { a: 'x'.repeat(70_000) } }))).statusCode).toBe(413);
  });

  test.each([
    ['that is not valid UTF-8', '%FF'],
    ['of 513 characters', 'x'.repeat(513)],
  ])('400 in the shape of the protocol for a key %s', async (_, key) => {
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
  /** The lines of a token's stream as they arrive. */
  const open = async (secret: string, headers: Record<string, string> = {}) => {
    const { body } = await post(FLAGS, {}, { token: secret });
    const path = body.eventStreams[0].endpoint.requestUri;
    const response = await fetch(`${server.url}${path}`, { headers });
    const lines: string[] = [];
    let isEnded = false;
    const reading = (async () => {
      for await (const chunk of response.body ?? [])
        lines.push(
          ...Buffer.from(chunk)
            .toString()
            .split('\n')
            .filter(line => line.startsWith('data:')),
        );
      isEnded = true;
    })().catch(() => {});
    return { response, path, lines, isEnded: () => isEnded, reading };
  };

  test('notifies once at its start and after each change in the scope, and ends with its token', async () => {
    await makeEnvironment(harness.db, 'streamed');
    await putDocuments(harness.db, 'streamed', { features: [feature('one')] });
    const fields = { tokenName: 'streams', type: 'frontend' as const, environment: 'streamed' };
    const { secret } = await makeApiToken(harness.db, { ...fields, projects: ['default'] });
    const stream = await open(secret);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    await expect.poll(() => stream.lines).toHaveLength(1);

    await putDocuments(harness.db, 'streamed', { features: [feature('two', { project: 'other' })] });
    await sleep(200);
    await putDocuments(harness.db, 'streamed', { features: [feature('one', { enabled: false })] });
    await expect.poll(() => stream.lines).toHaveLength(2);

    const { etag } = (await post(FLAGS, {}, { token: secret })).headers;
    const notified = JSON.parse(stream.lines[1]?.slice(5) ?? '');
    expect(notified.type).toBe('refetchEvaluation');
    expect(String(etag).startsWith(`"${notified.etag}.`)).toBe(true);

    const resumed = await open(secret, { 'last-event-id': notified.etag });
    await sleep(200);
    expect(resumed.lines).toEqual([]);

    const list = await call(harness.app, 'GET', '/api/admin/api-tokens');
    const { id } = list.body.tokens.find((found: { tokenName: string }) => found.tokenName === 'streams');
    await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);
    await expect.poll(stream.isEnded).toBe(true);
    expect((await fetch(`${server.url}${stream.path}`)).status).toBe(404);
  });

  test('works on a server that has not seen the token before', async () => {
    const { body } = await post(FLAGS);
    const other = await harness.secondServer();
    await other.serving.refresh();

    const known = await call(other, 'GET', body.eventStreams[0].endpoint.requestUri, { token: null });
    const unknown = await call(other, 'GET', '/ofrep/v1/events/nope', { token: null });

    expect(known.status).toBe(200);
    expect(unknown.status).toBe(404);
  });

  test('429 without a free slot', async () => {
    const { body } = await post(FLAGS);
    const full = await harness.secondServer({ maxStreams: 0 });
    await full.serving.refresh();

    const { status, headers } = await call(full, 'GET', body.eventStreams[0].endpoint.requestUri, {
      token: null,
    });

    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('60');
  });

  test('streams of one token leave slots for the pages and SDKs of other tokens', async () => {
    const small = await harness.secondServer({ maxStreams: 10 });
    const url = await server.keep(small);
    const [one, two] = [
      await server.token('production', undefined, 'frontend'),
      await server.token('production'),
    ];
    const pathOf = async (token: string) =>
      (await call(small, 'POST', FLAGS, { token, body: { context: {} } })).body.eventStreams[0].endpoint
        .requestUri;
    const leaving = new AbortController();
    const connect = async (path: string, token = '') =>
      (await fetch(`${url}${path}`, { signal: leaving.signal, headers: { authorization: token } })).status;
    const path = await pathOf(one);

    const greedy = await Promise.all(Array.from({ length: 20 }, () => connect(path)));

    expect(greedy.filter(status => status === 200)).toHaveLength(5);
    expect(await connect(await pathOf(two))).toBe(200);
    expect(await connect('/api/client/streaming', two)).toBe(200);
    leaving.abort();
  });

  test('a request that waits while the server begins to stop gets a stream that ends', async () => {
    await makeEnvironment(harness.db, 'stopping');
    const tokens = [token, await server.token('stopping', undefined, 'frontend')];
    const paths = await Promise.all(
      tokens.map(
        async token => (await post(FLAGS, {}, { token })).body.eventStreams[0].endpoint.requestUri as string,
      ),
    );
    const stopping = await harness.secondServer();
    await stopping.serving.refresh();
    const url = await stopping.listen({ host: '127.0.0.1', port: 0 });
    const open = await fetch(`${url}${paths[0]}`);
    const blocker = await harness.db.startTransaction().execute();
    await sql`lock table sdk_features in access exclusive mode`.execute(blocker);
    const requested = once(stopping.server, 'request');
    const connecting = fetch(`${url}${paths[1]}`);
    await requested;

    const closing = stopping.close();
    await open.text();
    await blocker.rollback().execute();
    const late = await connecting;
    const text = await late.text();
    await closing;

    expect(late.status).toBe(200);
    expect(text).toMatch(/^(retry: [2-6]\d{3}\n\n){2}$/);
  });

  test('a closed stream frees its slot', async () => {
    const { body } = await post(FLAGS);
    // Half of the slots for one token and network.
    const small = await harness.secondServer({ maxStreams: 4 });
    const url = `${await server.keep(small)}${body.eventStreams[0].endpoint.requestUri}`;
    const streams = async () => {
      const text = (await call(small, 'GET', '/internal-backstage/prometheus', { token: null })).body;
      return Number(/^halyard_sdk_ofrep_streams (\d+)/m.exec(String(text))?.[1]);
    };
    const connect = async () => {
      const leaving = new AbortController();
      // Kept, because fetch cancels the body of a response that is garbage-collected.
      const response = await fetch(url, { signal: leaving.signal });
      return { response, status: response.status, leave: () => leaving.abort() };
    };

    const kept = await connect();
    for (let n = 0; n < 20; n++) {
      const one = await connect();
      expect(one.status).toBe(200);
      expect((await connect()).status).toBe(429);
      one.leave();
      await expect.poll(streams, { interval: 10 }).toBe(1);
    }
    // Clients that disconnect before the response.
    for (let n = 0; n < 20; n++) {
      const leaving = new AbortController();
      const request = fetch(url, { signal: leaving.signal }).catch(() => {});
      await sleep(n % 4);
      leaving.abort();
      await request;
    }
    expect(kept.response.bodyUsed).toBe(false);
    kept.leave();

    await expect.poll(streams, { interval: 10 }).toBe(0);
  });
});
