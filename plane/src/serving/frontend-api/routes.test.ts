import { gunzipSync, gzipSync } from 'node:zlib';
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

const feature = (name: string, fields: Partial<SdkDocument> = {}): SdkDocument => ({
  name,
  enabled: true,
  strategies: [],
  variants: [],
  ...fields,
});

const enabledFor = (contextName: string, ...values: string[]) => ({
  strategies: [
    { name: 'default', parameters: {}, constraints: [{ contextName, operator: 'IN', values }] } as object,
  ],
});

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  await putDocuments(harness.db, 'main', {
    features: [
      feature('for-all', { impressionData: true }),
      feature('disabled', { enabled: false }),
      feature('for-ada', enabledFor('userId', 'ada')),
      feature('for-germany', enabledFor('country', 'DE')),
      feature('for-user-7', enabledFor('userId', '7')),
      feature('for-country-1.5', enabledFor('country', '1.5')),
      feature('for-country-true', enabledFor('country', 'true')),
      feature('for-country-false', enabledFor('country', 'false')),
      feature('in-main', enabledFor('environment', 'main')),
      feature('for-address', enabledFor('remoteAddress', '203.0.113.7')),
      feature('with-variant', {
        variants: [{ name: 'blue', weight: 1_000, payload: { type: 'string', value: '#00f' } }],
      }),
      feature('elsewhere', { project: 'other' }),
    ],
  });
  token = await server.token('main', undefined, 'frontend');
});

type Options = Parameters<typeof call>[3];

const get = async (query = '', options: Options = {}) =>
  await call(harness.app, 'GET', `/api/frontend${query}`, { token, ...options });

const post = async (body: unknown, options: Options = {}) =>
  await call(harness.app, 'POST', '/api/frontend', { token, body, ...options });

const names = ({ body }: ApiResponse) => body.toggles.map(({ name }: { name: string }) => name);

describe('results', () => {
  test('contain the enabled flags with their variants', async () => {
    const { status, body, headers } = await get();

    expect(status).toBe(200);
    expect(body).toEqual({
      toggles: [
        {
          name: 'for-all',
          enabled: true,
          impressionData: true,
          variant: { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true },
        },
        expect.objectContaining({ name: 'in-main' }),
        {
          name: 'with-variant',
          enabled: true,
          impressionData: false,
          variant: {
            name: 'blue',
            enabled: true,
            payload: { type: 'string', value: '#00f' },
            feature_enabled: true,
            featureEnabled: true,
          },
        },
        expect.objectContaining({ name: 'elsewhere' }),
      ],
    });
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w.-]+"$/),
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('etag'),
      vary: 'accept-encoding, origin',
    });
  });

  test("contain only flags of the token's projects", async () => {
    const narrowToken = await server.token('main', ['default'], 'frontend');

    expect(names(await get('', { token: narrowToken }))).not.toContain('elsewhere');
  });

  test.each([
    ['a known field', '?userId=ada', { userId: 'ada' }, 'for-ada'],
    ['a property', '?properties[country]=DE', { properties: { country: 'DE' } }, 'for-germany'],
    ['an unknown field, as a property', '?country=DE', { country: 'DE' }, 'for-germany'],
    [
      'the IP address in the context',
      '?remoteAddress=203.0.113.7',
      { remoteAddress: '203.0.113.7' },
      'for-address',
    ],
    ["the token's environment, not the context's", '?environment=other', { environment: 'other' }, 'in-main'],
  ])('depend on %s', async (_, query, context, name) => {
    expect(names(await get(query))).toContain(name);
    expect(names(await post({ context }))).toContain(name);
  });

  test("depend on the client's IP address by default", async () => {
    expect(names(await get('', { ip: '203.0.113.7' }))).toContain('for-address');
    expect(names(await get('', { ip: '203.0.113.8' }))).not.toContain('for-address');
  });

  test('depend on the forwarded IP address only behind a trusted proxy', async () => {
    const behindProxy = await harness.secondServer({ trustedProxies: ['192.0.2.1'] });
    const forwardedRequest = { token, headers: { 'x-forwarded-for': '203.0.113.7' } };

    const trustedResponse = await call(behindProxy, 'GET', '/api/frontend', {
      ...forwardedRequest,
      ip: '192.0.2.1',
    });

    expect(names(trustedResponse)).toContain('for-address');
    expect(names(await get('', { ...forwardedRequest, ip: '192.0.2.1' }))).not.toContain('for-address');
  });

  test('depend on numbers and booleans as strings, and not on other values', async () => {
    const oddContext = {
      userId: ['ada'],
      country: { code: 'DE' },
      properties: [1],
      sessionId: null,
      currentTime: 'no',
    };

    expect(names(await post({ context: oddContext }))).toEqual([
      'for-all',
      'in-main',
      'with-variant',
      'elsewhere',
    ]);
    for (const [context, sameContext, name] of [
      [{ userId: 7 }, { userId: '7' }, 'for-user-7'],
      [{ properties: { country: 1.5 } }, { properties: { country: '1.5' } }, 'for-country-1.5'],
      [{ properties: { country: true } }, { properties: { country: 'true' } }, 'for-country-true'],
      [{ country: false }, { country: 'false' }, 'for-country-false'],
    ] as const) {
      const response = await post({ context });
      expect(names(response)).toContain(name);
      expect(response.headers.etag).toBe((await post({ context: sameContext })).headers.etag);
    }
    expect((await post({})).status).toBe(200);
  });

  test('are returned despite double and trailing slashes', async () => {
    const { status } = await call(harness.app, 'GET', '//api//frontend/?userId=ada', { token });

    expect(status).toBe(200);
  });

  test('are compressed if large', async () => {
    await makeEnvironment(harness.db, 'many');
    const features = Array.from({ length: 200 }, (_, index) => feature(`a-long-name-of-a-flag-${index}`));
    await putDocuments(harness.db, 'many', { features });
    const manyFlagsToken = await server.token('many', undefined, 'frontend');
    const request = { method: 'GET' as const, url: '/api/frontend' };

    const plain = await harness.app.sdk.inject({ ...request, headers: { authorization: manyFlagsToken } });
    const gzip = await harness.app.sdk.inject({
      ...request,
      headers: { authorization: manyFlagsToken, 'accept-encoding': 'gzip' },
    });

    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect(gzip.headers.etag).toBe(plain.headers.etag);
  });
});

describe('returns 304', () => {
  const withTag = (etag: unknown) => ({ headers: { 'if-none-match': String(etag) } });

  test('for the same context, by GET and by POST, with fields in any order', async () => {
    const { etag } = (await get('?userId=ada&sessionId=1&country=DE')).headers;

    const getResponse = await get('?country=DE&sessionId=1&userId=ada', withTag(etag));
    const postResponse = await post(
      { context: { sessionId: '1', properties: { country: 'DE' }, userId: 'ada' } },
      withTag(etag),
    );

    expect(getResponse).toMatchObject({
      status: 304,
      body: '',
      headers: { etag, 'access-control-allow-origin': '*', vary: 'accept-encoding, origin' },
    });
    expect(postResponse.status).toBe(304);
  });

  test("never for a different user's tag", async () => {
    const ada = await get('?userId=ada&sessionId=1');
    const ben = await get('?userId=ben&sessionId=1', withTag(ada.headers.etag));

    expect(ben.status).toBe(200);
    expect(names(ada)).toContain('for-ada');
    expect(names(ben)).not.toContain('for-ada');
  });

  test('not after a change in the scope, but after a change elsewhere', async () => {
    await makeEnvironment(harness.db, 'moving');
    await putDocuments(harness.db, 'moving', { features: [feature('one')] });
    const movingToken = await server.token('moving', ['default'], 'frontend');
    const read = async (headers = {}) => await get('?sessionId=1', { token: movingToken, headers });
    const firstResponse = await read();

    await putDocuments(harness.db, 'moving', { features: [feature('two', { project: 'other' })] });
    await harness.app.serving.refresh();
    const afterOther = await read({ 'if-none-match': firstResponse.headers.etag });
    await putDocuments(harness.db, 'moving', { features: [feature('one', { enabled: false })] });
    await harness.app.serving.refresh();
    const afterOwn = await read({ 'if-none-match': firstResponse.headers.etag });

    expect(afterOther.status).toBe(304);
    expect(afterOwn).toMatchObject({ status: 200, body: { toggles: [] } });
  });

  test('for random results only if they happen to be the same', async () => {
    await makeEnvironment(harness.db, 'random');
    const parameters = { rollout: '50', stickiness: 'random', groupId: 'g' };
    const strategies = [{ name: 'flexibleRollout', parameters } as object];
    await putDocuments(harness.db, 'random', { features: [feature('dice', { strategies })] });
    const randomToken = await server.token('random', undefined, 'frontend');
    const { etag } = (await get('?userId=ada', { token: randomToken })).headers;

    const statuses = new Set<number>();
    for (let poll = 0; poll < 100; poll++)
      statuses.add((await get('?userId=ada', { token: randomToken, ...withTag(etag) })).status);

    expect(statuses).toEqual(new Set([200, 304]));
  });
});

describe('errors', () => {
  test.each([
    'GET /api/frontend',
    'POST /api/frontend',
    'POST /api/frontend/client/metrics',
    'POST /api/frontend/client/register',
    'POST /api/frontend/client/events',
  ])('%s accepts only frontend tokens', async operation => {
    const [method, path = ''] = operation.split(' ') as ['GET' | 'POST', string];
    const backend = await server.token('main');
    const statusWith = async (secret: string | null) => {
      const response = await call(harness.app, method, path, {
        token: secret,
        ...(method === 'POST' ? { body: { appName: 'shop' } } : {}),
      });
      expect(response.headers['access-control-allow-origin']).toBe('*');
      return [response.status, response.body.name];
    };

    expect(await statusWith(null)).toEqual([401, 'AuthenticationRequired']);
    expect(await statusWith('*:main.unknown')).toEqual([401, 'AuthenticationRequired']);
    expect(await statusWith(backend)).toEqual([403, 'NoAccessError']);
    expect(await statusWith(ADMIN_TOKEN)).toEqual([403, 'NoAccessError']);
  });

  test('a frontend token cannot read rules', async () => {
    const { status } = await call(harness.app, 'GET', '/api/client/features', { token });

    expect(status).toBe(403);
  });

  test('a revoked token is rejected within 1 s', async () => {
    const fields = { tokenName: 'ends', type: 'frontend' as const, environment: 'main' };
    const { secret } = await makeApiToken(harness.db, fields);
    const responseBefore = await get('', { token: secret });
    const list = await call(harness.app, 'GET', '/api/admin/api-tokens');
    const { id } = list.body.tokens.find((apiToken: { tokenName: string }) => apiToken.tokenName === 'ends');
    await call(harness.app, 'DELETE', `/api/admin/api-tokens/${id}`);

    await expect.poll(async () => (await get('', { token: secret })).status).toBe(401);
    expect(responseBefore.status).toBe(200);
  });

  const manyProperties = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, '1']));

  test.each([
    ['too many properties', { context: { properties: manyProperties } }, /101 properties\. At most 100/],
    ['too many fields', { context: manyProperties }, /101 properties/],
    [
      'many fields that are not values',
      { context: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`x${n}`, []])) },
      /has 1001 fields/,
    ],
    ['a long name', { context: { [`n${'x'.repeat(100)}`]: '1' } }, /property name is longer than 100/],
    ['a large context', { context: { userId: 'x'.repeat(16_385) } }, /16,385 characters\. At most 16,384/],
    ['a context that is not an object', { context: 'ada' }, /context must be an object/],
    ['a body that is not an object', [1], /must be a JSON object/],
  ])('returns 400 for %s', async (_, body, message) => {
    const response = await post(body);

    expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(response.body.message).toMatch(message);
  });

  test('returns 400 for a long query and 413 for a large body, without showing the context', async () => {
    const query = await get(`?userId=secret-user${'x'.repeat(8_192)}`);
    const largeResponse = await post({ context: { userId: 'secret-user'.repeat(6_000) } });

    expect(query).toMatchObject({ status: 400 });
    expect(query.body.message).toMatch(/8,2\d\d characters\. At most 8,192/);
    expect(largeResponse.status).toBe(413);
    expect(JSON.stringify([query.body, largeResponse.body])).not.toContain('secret-user');
  });

  test('returns 503 with Retry-After while too many flags wait', async () => {
    const busyServer = await harness.secondServer({}, {}, undefined, { maxWaitingFlags: 50 });

    const { status, headers } = await call(busyServer, 'GET', '/api/frontend', { token });

    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('2');
  });

  test('returns 405 for /api/frontend/client/features, and 404 for unknown paths', async () => {
    const features = await call(harness.app, 'GET', '/api/frontend/client/features', { token });
    const unknown = await call(harness.app, 'GET', '/api/frontend/nope', { token });
    const proxy = await call(harness.app, 'GET', '/api/proxy', { token });

    expect(features).toMatchObject({ status: 405, body: { name: 'MethodNotAllowedError' } });
    expect(unknown.status).toBe(404);
    expect(proxy.body.message).toContain('/api/frontend');
  });
});

describe('CORS', () => {
  test.each(['/api/frontend?userId=ada', '/api/frontend/client/metrics'])(
    'a preflight request for %s needs no token',
    async path => {
      const { statusCode, headers, body } = await harness.app.sdk.inject({
        method: 'OPTIONS',
        url: path,
        headers: {
          origin: 'https://shop.example.com',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,if-none-match,unleash-appname',
        },
      });

      expect(statusCode).toBe(204);
      expect(body).toBe('');
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'authorization,if-none-match,unleash-appname',
        'access-control-max-age': '86400',
      });
    },
  );
});

describe('metrics and registrations', () => {
  test('accepts impression events of up to 64 KiB with 200, and discards them', async () => {
    const send = async (body: unknown) =>
      (await call(harness.app, 'POST', '/api/frontend/client/events', { token, body })).status;

    expect(await send({ eventType: 'isEnabled', featureName: 'for-all', enabled: true })).toBe(200);
    expect(await send([{ eventType: 'getVariant' }])).toBe(200);
    expect(await send({ context: 'x'.repeat(65_536) })).toBe(413);
  });

  test.each([
    [
      'metrics',
      { appName: 'shop', bucket: { start: 1, stop: 2, toggles: { 'for-all': { yes: 1, no: 0 } } } },
    ],
    ['register', { appName: 'shop', started: 1, interval: 30_000, strategies: [] }],
  ])('accepts %s with 200', async (path, body) => {
    const accepted = await call(harness.app, 'POST', `/api/frontend/client/${path}`, { token, body });
    const rejected = await call(harness.app, 'POST', `/api/frontend/client/${path}`, { token, body: [] });

    expect(accepted).toMatchObject({ status: 200, body: 'OK' });
    expect(rejected.status).toBe(400);
  });

  test.each(['metrics', 'register'])(
    'limits %s bodies to 64 KiB, before and after decompression',
    async path => {
      const send = async (payload: string | Buffer, headers: Record<string, string> = {}) => {
        const url = `/api/frontend/client/${path}`;
        const type = { authorization: token, 'content-type': 'application/json' };
        return (
          await harness.app.sdk.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } })
        ).statusCode;
      };
      const body = JSON.stringify({ appName: 'x'.repeat(65_536) });

      expect(await send(body)).toBe(413);
      expect(await send(gzipSync(body), { 'content-encoding': 'gzip' })).toBe(413);
    },
  );
});

describe('one flag', () => {
  const getFlag = (name: string, query = '') => get(`/features/${name}${query}`);

  test('is returned even if it is disabled for the context, because the PHP SDK needs it', async () => {
    const [ada, ben] = [await getFlag('for-ada', '?userId=ada'), await getFlag('for-ada', '?userId=ben')];
    const noVariant = { name: 'disabled', enabled: false };

    expect([ada.status, ben.status]).toEqual([200, 200]);
    expect(ada.body).toEqual({
      name: 'for-ada',
      enabled: true,
      variant: { ...noVariant, feature_enabled: true, featureEnabled: true },
      impressionData: false,
    });
    expect(ben.body).toEqual({
      name: 'for-ada',
      enabled: false,
      variant: { ...noVariant, feature_enabled: false, featureEnabled: false },
      impressionData: false,
    });
  });

  test('includes its variant, and depends on properties in the query', async () => {
    expect((await getFlag('with-variant')).body.variant).toMatchObject({ name: 'blue', enabled: true });
    expect((await getFlag('for-germany', '?properties[country]=DE')).body.enabled).toBe(true);
    expect((await getFlag('for-all')).body.impressionData).toBe(true);
  });

  test('returns 404 for an unknown flag, and 401 without a token', async () => {
    expect((await getFlag('nope')).status).toBe(404);
    expect((await get('/features/for-all', { token: null })).status).toBe(401);
  });
});
