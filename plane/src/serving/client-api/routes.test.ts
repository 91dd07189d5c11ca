import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeApiToken, makeUser } from '../../../../server/src/test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import {
  makeEnvironment,
  putDocuments,
  raiseRevision,
  type SdkDocument,
} from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const SPEC = { 'unleash-client-spec': '5.2.0' };

const feature = (name: string, fields: Partial<SdkDocument> = {}): SdkDocument => ({
  name,
  type: 'release',
  enabled: true,
  stale: false,
  impressionData: false,
  strategies: [{ name: 'default', constraints: [], parameters: {}, variants: [] } as object],
  variants: [],
  ...fields,
});

const europe = {
  id: 7,
  name: 'Europe',
  constraints: [{ contextName: 'country', operator: 'IN', values: ['DE'] }],
};
const segmentStrategy = { name: 'default', constraints: [{ operator: 'IN' }], segments: [7] };

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  await putDocuments(harness.db, 'main', {
    features: [
      feature('b-flag', { strategies: [segmentStrategy] }),
      feature('a-flag'),
      feature('c-flag', { project: 'other', dependencies: [{ feature: 'x-parent' }] }),
      feature('x-parent', { project: 'other' }),
    ],
    segments: [europe],
    tags: { 'c-flag': ['team:checkout'] },
  });
  await raiseRevision(harness.db, 'main', 99);
  token = await server.token('main');
});

const get = async (path: string, headers: Record<string, string> = {}, secret: string | null = token) =>
  await call(harness.app, 'GET', path, { token: secret, headers: { ...SPEC, ...headers } });

const names = (body: { features: { name: string }[] }) => body.features.map(({ name }) => name);

describe('GET /api/client/features', () => {
  test('returns features by project and name, and the segments that they use', async () => {
    const { status, body, headers } = await get('/api/client/features');

    expect(status).toBe(200);
    expect(names(body)).toEqual(['a-flag', 'b-flag', 'c-flag', 'x-parent']);
    expect(body.features[0]).toEqual({ project: 'default', ...feature('a-flag') });
    expect(body).toMatchObject({
      version: 2,
      segments: [europe],
      query: { environment: 'main', inlineSegmentConstraints: false },
      meta: { revisionId: 1, etag: headers.etag },
    });
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^"[0-9a-f]{10}\.[0-9a-f]{10}\.1"$/),
      vary: 'accept-encoding',
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['halyard-age']).toBeUndefined();
  });

  test('sends gzip to clients that accept it, with the same content', async () => {
    const plain = await fetch(`${server.url}/api/client/features`, {
      headers: { ...SPEC, authorization: token, 'accept-encoding': 'identity' },
    });
    const request = { method: 'GET' as const, url: '/api/client/features' };
    const zippedResponse = await harness.app.sdk.inject({
      ...request,
      headers: { ...SPEC, authorization: token, 'accept-encoding': 'br, gzip, deflate' },
    });
    const plainResponse = await get('/api/client/features', { 'accept-encoding': 'gzip;q=0, identity' });

    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zippedResponse.headers['content-encoding']).toBe('gzip');
    expect(Number(zippedResponse.headers['content-length'])).toBe(zippedResponse.rawPayload.length);
    expect(gunzipSync(zippedResponse.rawPayload).toString()).toBe(await plain.text());
    expect(plainResponse.headers['content-encoding']).toBeUndefined();
  });

  test.each([
    ['the same tag', (tag: string) => tag, 304],
    ['a weak tag', (tag: string) => `W/${tag}`, 304],
    ['the tag of a compressed body', (tag: string) => tag.replace(/"$/, '-gzip"'), 304],
    ['a list of tags', (tag: string) => `"x", W/${tag}, "y"`, 304],
    ['any tag', () => '*', 304],
    ['a newer revision', (tag: string) => tag.replace(/1"$/, '99"'), 304],
    ['a revision that the database never had', (tag: string) => tag.replace(/1"$/, '100"'), 200],
    ['an older revision', (tag: string) => tag.replace(/1"$/, '0"'), 200],
    ['a different epoch', (tag: string) => tag.replace(/^"./, '"x'), 200],
    ['a different scope', (tag: string) => tag.replace(/\.[^.]+\./, '.0123456789.'), 200],
    ['a tag from a different server', () => '"537b2ba0:12:v1"', 200],
    ['nonsense', () => ',,,"', 200],
  ])('handles an If-None-Match header with %s', async (_case, changeTag, status) => {
    const tag = String((await get('/api/client/features')).headers.etag);

    const response = await get('/api/client/features', { 'if-none-match': changeTag(tag) });

    expect(response.status).toBe(status);
    if (status === 304) {
      expect(response.body).toBe('');
      expect(response.headers.etag).toBe(changeTag(tag).includes('.99"') ? changeTag(tag) : tag);
    }
  });

  test.each([undefined, '4.1.0'])(
    'inlines segment constraints into strategies for specification %s',
    async spec => {
      const headers: Record<string, string> = spec === undefined ? {} : { 'unleash-client-spec': spec };
      const { body, headers: responseHeaders } = await call(harness.app, 'GET', '/api/client/features', {
        token,
        headers,
      });

      expect(body.segments).toBeUndefined();
      expect(body.query.inlineSegmentConstraints).toBe(true);
      expect(body.features[1].strategies).toEqual([
        { name: 'default', constraints: [{ operator: 'IN' }, ...europe.constraints] },
      ]);
      expect(responseHeaders.etag).not.toBe((await get('/api/client/features')).headers.etag);
    },
  );

  test.each([
    ['?project=other', ['c-flag', 'x-parent']],
    ['?project=other&project=none', ['c-flag', 'x-parent']],
    ['?namePrefix=b', ['b-flag']],
    ['?namePrefix=c-', ['c-flag', 'x-parent']],
    ['?tag=team:checkout', ['c-flag', 'x-parent']],
    ['?tag=team:none&tag=team:checkout', ['c-flag', 'x-parent']],
    ['?tag=team', []],
    ['?environment=production', ['a-flag', 'b-flag', 'c-flag', 'x-parent']],
    ['?namePrefix=', ['a-flag', 'b-flag', 'c-flag', 'x-parent']],
  ])('%s selects features, with their parents', async (query, expected) => {
    const { body } = await get(`/api/client/features${query}`);

    expect(names(body)).toEqual(expected);
    expect(body.segments).toEqual(names(body).includes('b-flag') ? [europe] : []);
  });

  test("the token's projects take precedence over the query", async () => {
    const ownToken = await server.token('main', ['default']);

    const { body } = await get('/api/client/features?project=other', {}, ownToken);

    expect(names(body)).toEqual(['a-flag', 'b-flag']);
  });

  test('the ETag of a filtered list changes if a feature loses its tag', async () => {
    const { headers } = await get('/api/client/features?tag=team:late');
    await makeEnvironment(harness.db, 'tagged');
    const tagged = await server.token('tagged');
    await putDocuments(harness.db, 'tagged', { features: [feature('one')], tags: { one: ['team:late'] } });
    const responseBefore = await get('/api/client/features?tag=team:late', {}, tagged);
    expect(names(responseBefore.body)).toEqual(['one']);

    await putDocuments(harness.db, 'tagged', { features: [feature('one')] });

    await expect
      .poll(async () => (await get('/api/client/features?tag=team:late', {}, tagged)).body)
      .toMatchObject({ features: [] });
    const responseAfter = await get('/api/client/features?tag=team:late', {}, tagged);
    expect(responseAfter.headers.etag).not.toBe(responseBefore.headers.etag);
    expect(headers.etag).not.toBe(responseAfter.headers.etag);
  });

  test("one client's many filters leave few scopes in memory", async () => {
    for (let number = 0; number < 40; number++) {
      const { body } = await get(
        `/api/client/features?namePrefix=b${'-'.repeat(number % 2)}&project=p${number}`,
      );
      expect(names(body)).toEqual([]);
    }
    expect(harness.app.serving.tokens.findCached(token)?.derived.size).toBeLessThanOrEqual(8);
  });

  test('a filter by an unknown project creates no scope until the project exists', async () => {
    await makeEnvironment(harness.db, 'growing');
    await putDocuments(harness.db, 'growing', { features: [feature('one')] });
    const ownToken = await server.token('growing');
    const tag = async (query: string) => {
      const { headers } = await get(`/api/client/features?project=default${query}`, {}, ownToken);
      return String(headers.etag);
    };
    expect(new Set([await tag(''), await tag('&project=late'), await tag('&project=no')]).size).toBe(1);

    await putDocuments(harness.db, 'growing', { features: [feature('two', { project: 'late' })] });

    await expect
      .poll(async () =>
        names((await get('/api/client/features?project=default&project=late', {}, ownToken)).body),
      )
      .toEqual(['one', 'two']);
    expect(await tag('&project=late')).not.toBe(await tag('&project=no'));
  });

  test('after a hundred different filters, rejects only new filters from the same token with 429', async () => {
    const ownToken = await server.token('main');
    const getFiltered = (number: number, secret = ownToken) =>
      get(`/api/client/features?namePrefix=limited-${number}`, {}, secret);
    for (let number = 0; number < 100; number++) expect((await getFiltered(number)).status).toBe(200);

    const rejected = await getFiltered(100);

    expect(rejected).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect((await getFiltered(0)).status).toBe(200);
    expect((await get('/api/client/features', {}, ownToken)).status).toBe(200);
    expect((await getFiltered(100, await server.token('main'))).status).toBe(200);
  });

  test('two clients that need the same new body get the same bytes', async () => {
    const send = () =>
      harness.app.sdk.inject({
        url: '/api/client/features?namePrefix=a',
        headers: { ...SPEC, authorization: token, 'accept-encoding': 'gzip' },
      });

    const [response, other] = await Promise.all([send(), send()]);

    expect(response.rawPayload.equals(other.rawPayload)).toBe(true);
    expect(names(JSON.parse(gunzipSync(response.rawPayload).toString()))).toEqual(['a-flag']);
  });

  test.each(['//api/client/features', '/api//client/features/', '/api/client//features//'])(
    'accepts the slashes in %s',
    async path => {
      const response = await fetch(`${server.url}${path}`, { headers: { ...SPEC, authorization: token } });

      expect(response.status).toBe(200);
    },
  );

  test('accepts the prefix Bearer, and HEAD requests', async () => {
    expect((await get('/api/client/features', {}, `Bearer ${token}`)).status).toBe(200);
    expect((await get('/api/client/features', {}, `bearer ${token}`)).status).toBe(200);
    const headers = { ...SPEC, authorization: token };
    const head = await fetch(`${server.url}/api/client/features`, { method: 'HEAD', headers });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('OPTIONS needs no token', async () => {
    const response = await fetch(`${server.url}/api/client/features`, { method: 'OPTIONS' });

    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toContain('GET');
  });

  test.each(['v5', '5', 'undefined'])('rejects the specification %s with 400', async spec => {
    const response = await get('/api/client/features', { 'unleash-client-spec': spec });

    expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(response.body.message).toContain(`"${spec}"`);
  });
});

describe('GET /api/client/features/:name', () => {
  test.each([
    [`/api/client/features/${'x'.repeat(513)}`, /^A path segment has more than 512 characters: "\/api/],
    [`/api/client/features/${'x'.repeat(300)}%ff`, /^The path is not valid: "\/api/],
  ])('rejects %s with a short message', async (path, message) => {
    const { status, body } = await get(path);

    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
    expect(body.message.length).toBeLessThan(200);
  });

  test('returns one feature', async () => {
    const { status, body } = await get('/api/client/features/a-flag');

    expect([status, body]).toEqual([200, { project: 'default', ...feature('a-flag') }]);
  });

  test('returns 404 for an unknown feature and for a feature in a different project', async () => {
    const ownToken = await server.token('main', ['default']);

    for (const response of [
      await get('/api/client/features/nope'),
      await get('/api/client/features/c-flag', {}, ownToken),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
      expect(response.body.details).toEqual([{ message: response.body.message }]);
    }
  });
});

describe('rejections', () => {
  const PATHS = [
    ['GET', '/api/client/features'],
    ['GET', '/api/client/features/a-flag'],
    ['GET', '/api/client/delta'],
    ['POST', '/api/client/register'],
    ['POST', '/api/client/metrics'],
  ] as const;

  test.each(PATHS)(
    '%s %s rejects missing, unknown, forged and personal tokens with 401',
    async (method, path) => {
      const user = await makeUser(harness.db, 'Admin');
      const forgedToken = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');

      for (const secret of [null, '', 'x', 'x'.repeat(2_000), '*:main.unknown', forgedToken, user.token]) {
        const { status, body } = await call(harness.app, method, path, { token: secret, body: undefined });
        expect([secret, status, body.message]).toEqual([secret, 401, expect.stringMatching(/API token/)]);
      }
    },
  );

  test.each([
    [null, 'The request has no token. Send an API token of type backend in the Authorization header.'],
    [
      'x',
      'The Authorization header does not contain an API token, which looks like "default:development.<secret>". Send an API token of type backend.',
    ],
    ['user:hyp_x', 'A personal access token works in the admin API only. Send an API token of type backend.'],
    [
      '*:main.unknown',
      'The API token is unknown, expired or revoked. Send an API token of type backend that is valid.',
    ],
  ])('describes the problem with the token %j', async (secret, message) => {
    expect((await get('/api/client/features', {}, secret)).body.message).toBe(message);
  });

  test('lists the methods that a path accepts in the response to any other method', async () => {
    const { status, body } = await call(harness.app, 'DELETE', '/api/client/features', { token });
    expect([status, body.message]).toEqual([
      404,
      'DELETE /api/client/features does not exist. This path accepts GET.',
    ]);
  });

  test.each(PATHS)('%s %s rejects admin and frontend tokens with 403', async (method, path) => {
    const fields = { tokenName: 'frontend', type: 'frontend' as const, environment: 'main' };
    const { secret } = await makeApiToken(harness.db, fields);

    for (const otherToken of [secret, ADMIN_TOKEN]) {
      const { status, body } = await call(harness.app, method, path, { token: otherToken });
      expect([status, body.message]).toEqual([
        403,
        expect.stringMatching(/requires a token of type backend/),
      ]);
    }
  });

  test('a forged token costs no query, and an unknown one is looked up again only after 1 s', async () => {
    // Unlike the first server, this one does not read tokens in the background, which would make it forget the unknown ones.
    const app = await harness.secondServer();
    await app.serving.refresh();
    const statementsBefore = harness.statements.length;
    const countLookups = () =>
      harness.statements.slice(statementsBefore).filter(text => text.includes("decode(given, 'hex')")).length;
    const sendTwice = async (secret: string) => {
      for (let round = 0; round < 2; round++)
        expect((await call(app, 'GET', '/api/client/features', { token: secret })).status).toBe(401);
    };

    await sendTwice(token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'));
    await sendTwice('user:hyp_x');
    expect(countLookups()).toBe(0);

    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const start = Date.now();
    await sendTwice('*:main.0');
    expect(countLookups()).toBe(1);
    await sendTwice('*:main.1');
    expect(countLookups()).toBe(2);
    vi.setSystemTime(start + 999);
    await sendTwice('*:main.0');
    expect(countLookups()).toBe(2);
    vi.setSystemTime(start + 1_000);
    await sendTwice('*:main.0');
    expect(countLookups()).toBe(3);
  });

  test('returns 404 for an unknown path, with and without a token', async () => {
    for (const path of ['/api/client', '/api/client/nope', '/edge/issue-token']) {
      expect(await get(path, {}, null)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
      expect((await get(path)).status).toBe(404);
    }
  });
});

describe('POST /api/client/register and /api/client/metrics', () => {
  const registration = { appName: 'shop', started: Date.now(), interval: 10, strategies: ['default'] };
  const bucket = { start: new Date(), stop: new Date(), toggles: { f: { yes: 1, no: 2, variants: null } } };

  const post = async (path: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
    await harness.app.sdk.inject({
      method: 'POST',
      url: path,
      headers: { authorization: token, 'content-type': 'application/json', ...headers },
      payload,
    });

  test.each([
    ['/api/client/register', registration],
    [
      '/api/client/register',
      { ...registration, instanceId: null, interval: 'undefined', yggdrasilVersion: null, x: 1 },
    ],
    ['/api/client/metrics', { appName: 'shop', instanceId: 'i', bucket }],
    ['/api/client/metrics', { appName: 'shop', bucket: null, impactMetrics: [] }],
    ['/api/client/metrics', {}],
  ])('%s accepts %j', async (path, body) => {
    const plain = await post(path, JSON.stringify(body));
    const zippedResponse = await post(path, gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' });
    const upperCase = await post(path, gzipSync(JSON.stringify(body)), { 'content-encoding': 'GZIP' });
    const typedResponse = await post(path, JSON.stringify(body), {
      'content-type': 'application/json;charset=UTF-8',
    });

    for (const { statusCode, body: text } of [plain, zippedResponse, upperCase, typedResponse])
      expect([statusCode, text]).toEqual([202, '']);
  });

  test('accepts a megabyte of metrics, and rejects more with 413', async () => {
    const makeBody = (bytes: number) => JSON.stringify({ appName: 'shop', pad: 'x'.repeat(bytes - 30) });

    expect((await post('/api/client/metrics', makeBody(1_048_576))).statusCode).toBe(202);
    expect((await post('/api/client/metrics', makeBody(1_048_700))).statusCode).toBe(413);
    const bomb = gzipSync(makeBody(5_000_000));
    expect((await post('/api/client/metrics', bomb, { 'content-encoding': 'gzip' })).statusCode).toBe(413);
  });

  test('rejects bodies that would take long to parse', async () => {
    const nestedBody = gzipSync(`{"tokens":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    const wideBody = gzipSync(`{"tokens":[${'{},'.repeat(20_000)}{}]}`);
    const manyItems = `{"a":[${'1,'.repeat(250_000)}1]}`;

    const responses = [
      await post('/edge/validate', nestedBody, { 'content-encoding': 'gzip' }),
      await post('/edge/validate', wideBody, { 'content-encoding': 'gzip' }),
      await post('/edge/validate', gzipSync('x'.repeat(65_537)), { 'content-encoding': 'gzip' }),
      await post('/api/client/metrics', manyItems),
    ];

    expect(responses.map(({ statusCode }) => statusCode)).toEqual([400, 400, 413, 400]);
    expect(responses[0]?.json().message).toMatch(/nested deeper than 32 levels/);
    expect(responses[3]?.json().message).toMatch(/more than 100000 items/);
  });

  test.each([
    ['/api/client/metrics', 'not json', {}, 400],
    ['/api/client/metrics', '[]', {}, 400],
    ['/api/client/metrics', 'null', {}, 400],
    ['/api/client/metrics', '', {}, 400],
    ['/api/client/register', '{}', {}, 400],
    ['/api/client/register', '{"appName":""}', {}, 400],
    ['/api/client/metrics', '{}', { 'content-type': 'text/plain' }, 415],
    ['/api/client/metrics', '{}', { 'content-encoding': 'gzip' }, 400],
  ])('%s rejects %j with headers %j', async (path, body, headers, status) => {
    const response = await post(path, body, headers);

    expect([response.statusCode, response.json().message]).toEqual([status, expect.any(String)]);
  });

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', ''])(
    'rejects the Content-Encoding "%s" with 415',
    async encoding => {
      const response = await post('/api/client/metrics', '{}', { 'content-encoding': encoding });

      expect([response.statusCode, response.json().message]).toEqual([
        415,
        `The Content-Encoding "${encoding}" is not supported. Use gzip, or send the body as it is.`,
      ]);
    },
  );

  test('counts requests by operation and status', async () => {
    await post('/api/client/metrics', '{}');

    const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus');

    expect(body).toMatch(/halyard_sdk_requests_total\{operation="metrics",status="202"\} [1-9]/);
    expect(body).toMatch(/halyard_sdk_requests_total\{operation="features",status="304"\} [1-9]/);
    expect(body).toMatch(/halyard_sdk_requests_total\{operation="features",status="401"\} [1-9]/);
  });
});

describe('POST /edge/validate', () => {
  const validate = async (tokens: unknown) =>
    await call(harness.app, 'POST', '/edge/validate', { token: null, body: { tokens } });

  test('lists only the valid tokens', async () => {
    const ownToken = await server.token('main', ['default']);
    const fields = { tokenName: 'frontend', type: 'frontend' as const, environment: 'main' };
    const { secret } = await makeApiToken(harness.db, fields);

    const { status, body } = await validate([token, 'unknown', ownToken, ADMIN_TOKEN, secret]);

    expect([status, body]).toEqual([
      200,
      {
        tokens: [
          { token, type: 'client', projects: ['*'], environment: 'main' },
          { token: ownToken, type: 'client', projects: ['default'], environment: 'main' },
          { token: secret, type: 'frontend', projects: ['*'], environment: 'main' },
        ],
      },
    ]);
  });

  test.each([undefined, 'x', [1], Array(101).fill('x')])('rejects %j with 400', async tokens => {
    expect(await validate(tokens)).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  });
});
