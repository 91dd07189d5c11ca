import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildApp } from '../../../app.ts';
import { makeUser } from '../../../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

const post = (
  payload: string | Buffer | undefined,
  contentType?: string,
  url = '/api/admin/projects',
  headers: object = {},
) =>
  harness.app.inject({
    method: 'POST',
    url,
    headers: {
      authorization: ADMIN_TOKEN,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });

const nestedJson = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const project = (extra: string): string => `{"name":"x"${extra}}`;

/** Sends a request exactly as given, and returns the response. */
async function sendRaw(request: string): Promise<string> {
  const app = await harness.secondServer();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(request);
  return await text(socket);
}

test.each([
  [
    '400',
    'without a Host',
    'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
    'The request has no Host header.',
  ],
  [
    '400',
    'with two Hosts',
    'GET /health HTTP/1.1\r\nHost: x\r\nhOST: y\r\nConnection: close\r\n\r\n',
    'The request has 2 Host headers. Send exactly one.',
  ],
  [
    '400',
    'from an SDK with two Hosts',
    'GET /api/client/features HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n',
    'The request has 2 Host headers. Send exactly one.',
  ],
  [
    '417',
    'with an unknown Expect',
    'GET /health HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n',
    'The expectation \\"foo\\" is not supported. Omit the Expect header.',
  ],
])('responds with %s and a body to a request %s', async (status, _case, request, message) => {
  const response = await sendRaw(request);

  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(response).toContain('x-content-type-options: nosniff');
  expect(response).toContain(`"message":"${message}"`);
});

test('accepts an HTTP/1.0 request without a Host header', async () => {
  expect(await sendRaw('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

test('rejects a body over 16 KiB where no token is required', async () => {
  const login = (password: string) =>
    post(
      JSON.stringify({ username: 'nobody', password, more: password }),
      'application/json',
      '/auth/simple/login',
    );

  expect((await login('x'.repeat(900))).statusCode).toBe(401);
  expect((await login('x'.repeat(9_000))).statusCode).toBe(413);
});

const INVALID_UTF8 = Buffer.concat([Buffer.from('{"name":"x'), Buffer.from([0xff]), Buffer.from('"}')]);

test('rejects a body that is not valid UTF-8', async () => {
  const response = await post(INVALID_UTF8, 'application/json');

  expect(response.statusCode).toBe(400);
  expect(response.json().message).toBe('The body is not valid UTF-8.');
});

test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('accepts a body in the charset %s', async charset => {
  const response = await post('{"name":""}', `application/json; charset=${charset}`);

  expect(response.statusCode).toBe(400);
});

test.each([
  [
    'application/json; charset=iso-8859-1',
    {},
    'The body must be UTF-8. The charset "iso-8859-1" is not supported.',
  ],
  [
    'application/json',
    { 'content-encoding': 'gzip' },
    'The body must not be compressed. The Content-Encoding "gzip" is not supported.',
  ],
])('rejects a body with the content type %s and the headers %o', async (contentType, headers, message) => {
  const response = await post(project(''), contentType, undefined, headers);

  expect([response.statusCode, response.json().message]).toEqual([415, message]);
});

test('accepts a body with the Content-Encoding identity', async () => {
  const response = await post('{"name":""}', 'application/json', undefined, {
    'content-encoding': 'identity',
  });

  expect(response.statusCode).toBe(400);
});

test.each([
  ['query=%ff', '/query/query'],
  ['limit=1&query=a%C3', '/query/query'],
  ['%ff=1', '/query/\ufffd'],
  ['query=%C3%%A9', '/query/query'],
])('rejects the query ?%s, which is not valid UTF-8', async (query, path) => {
  const { status, body } = await call(harness.app, 'GET', `/api/admin/search/events?${query}`);

  expect([status, body.details?.[0]?.path]).toEqual([400, path]);
});

test.each(['query=100%', 'query=%zz%C3%A9', 'query=%C3%A9', 'query=a+b'])(
  'accepts the query ?%s',
  async query => {
    expect((await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).status).toBe(200);
  },
);

test.each([
  ['no content type', post.bind(null, project('')), 415, 'ContentTypeerror'],
  ['no content type and no body', post.bind(null, undefined), 415, 'ContentTypeerror'],
  ['text', post.bind(null, project(''), 'text/plain'), 415, 'ContentTypeerror'],
  ['a form', post.bind(null, 'name=x', 'application/x-www-form-urlencoded'), 415, 'ContentTypeerror'],
  ['a JSON dialect', post.bind(null, project(''), 'application/vnd.api+json'), 415, 'ContentTypeerror'],
  ['JSON that is cut off', post.bind(null, '{"name":', 'application/json'), 400, 'BadDataError'],
  ['an empty body declared as JSON', post.bind(null, '', 'application/json'), 400, 'BadDataError'],
  [
    'a body over 1 MiB',
    post.bind(null, project(`,"description":"${'x'.repeat(1_100_000)}"`), 'application/json'),
    413,
    'PayloadTooLargeError',
  ],
  ['a body nested 33 levels', post.bind(null, nestedJson(33), 'application/json'), 400, 'BadDataError'],
  ['a million brackets', post.bind(null, '['.repeat(1_000_000), 'application/json'), 400, 'BadDataError'],
  [
    '__proto__',
    post.bind(null, project(',"__proto__":{"mode":"private"}'), 'application/json'),
    400,
    'BadDataError',
  ],
  [
    'constructor.prototype',
    post.bind(null, project(',"constructor":{"prototype":{}}'), 'application/json'),
    400,
    'BadDataError',
  ],
  [
    'NUL in a value',
    post.bind(null, project(',"description":"a\\u0000b"'), 'application/json'),
    400,
    'BadDataError',
  ],
  [
    'half a surrogate pair',
    post.bind(null, project(',"description":"\\ud800"'), 'application/json'),
    400,
    'BadDataError',
  ],
])('rejects %s', async (_case, send, status, name) => {
  const response = await send();

  expect(response.statusCode).toBe(status);
  expect(response.json()).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name,
    message: expect.any(String),
    details: [{ message: expect.any(String) }],
  });
});

test.each([
  ['a charset', 'application/json; charset=utf-8', project('')],
  ['32 levels', 'application/json', project(`,"unknown":${nestedJson(31)}`)],
])('a body with %s is accepted', async (_case, contentType, payload) => {
  expect((await post(payload, contentType)).statusCode).toBe(201);
});

test('accepts a request without a body, with or without a content type', async () => {
  const url = '/api/admin/projects/revive/missing';
  expect((await post('', 'application/json', url)).statusCode).toBe(404);
  expect((await post(undefined, undefined, url)).statusCode).toBe(404);
});

test('a list of violations has a maximum length', async () => {
  const body = { name: 'x', environments: Array.from({ length: 5_000 }, () => 1) };

  const { details } = (await call(harness.app, 'POST', '/api/admin/projects', { body })).body;

  expect(details).toHaveLength(101);
  expect(details.at(-1)).toEqual({ message: 'and 4901 more' });
});

test.each([
  ['items', 'projects', { name: 'x', environments: Array(40_000).fill(1) }],
  [
    'members',
    'addons/777777/rotate-secret',
    Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`unknown${index}`, 1])),
  ],
])('lists only the first violation of a body with many %s', async (_case, path, body) => {
  const response = await call(harness.app, 'POST', `/api/admin/${path}`, { body });

  expect(response.status).toBe(400);
  expect(response.body.details).toHaveLength(1);
});

test('authenticates before it reads the body', async () => {
  const response = await harness.app.inject({ method: 'POST', url: '/api/admin/projects', payload: '{' });
  expect(response.statusCode).toBe(401);
});

test.each([
  ['GET', '/api/admin/nope', ADMIN_TOKEN, 404, 'NotFoundError'],
  ['GET', '/api/admin/nope', null, 401, 'AuthenticationRequired'],
  ['GET', '/nope', null, 404, 'NotFoundError'],
  ['POST', '/api/admin/search/events', ADMIN_TOKEN, 404, 'NotFoundError'],
  ['GET', '/api/clients', null, 401, 'AuthenticationRequired'],
  ['GET', '/api/admin/projects/%E0%A4%A', ADMIN_TOKEN, 400, 'BadDataError'],
  ['GET', '/api/admin/projects/a%00b', ADMIN_TOKEN, 400, 'BadDataError'],
  ['GET', `/api/admin/projects/${'x'.repeat(600)}`, ADMIN_TOKEN, 400, 'BadDataError'],
  ['GET', `/api/admin/user?x=${'x'.repeat(13_000)}`, ADMIN_TOKEN, 400, 'BadDataError'],
  ['GET', '/api/admin/user', `*:*.${'x'.repeat(2_000)}`, 401, 'AuthenticationRequired'],
] as const)('responds to %s %s in the error format', async (method, url, token, status, name) => {
  const response = await call(harness.app, method, url, { token });

  expect(response).toMatchObject({ status, body: { name, details: [{ message: expect.any(String) }] } });
});

test.each(['/api/proxy?appName=shop', '/api/proxy/client/metrics'])(
  '%s returns a 404 that names the path for frontend SDKs, whichever token is sent',
  async url => {
    const { secret } = (
      await call(harness.app, 'POST', '/api/admin/api-tokens', {
        body: { tokenName: url, type: 'frontend', environment: 'development' },
      })
    ).body;

    for (const token of [secret, ADMIN_TOKEN, null]) {
      const response = await call(harness.app, 'GET', url, { token });
      expect(response).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
      expect(response.body.message).toMatch(/Frontend SDKs use \/api\/frontend/);
    }
  },
);

test('unknown, expired and revoked tokens are rejected with the same message', async () => {
  const { body: token } = await call(harness.app, 'POST', '/api/admin/api-tokens', {
    body: { tokenName: 'ending', type: 'backend' },
  });
  await call(harness.app, 'DELETE', `/api/admin/api-tokens/${encodeURIComponent(token.secret)}`);
  const owner = await makeUser(harness.db, 'Viewer');
  await sql`update personal_access_tokens set expires_at = now() where user_id = ${owner.id}`.execute(
    harness.db,
  );
  const bodies = await Promise.all(
    ['x', '*:*.unknown-token-0123456789012345678901', token.secret, owner.token].map(
      async secret => (await call(harness.app, 'GET', '/api/admin/user', { token: secret })).body,
    ),
  );

  expect(new Set(bodies.map(({ id: _, ...body }) => JSON.stringify(body))).size).toBe(1);
});

test('responds to an unexpected error with an id but without its message', async () => {
  const app = await buildApp(harness.db, APP_SETTINGS);
  app.get('/api/admin/broken', { config: { permission: 'NONE' } }, () => {
    throw new Error('select secret from nowhere');
  });

  const response = await call(app, 'GET', '/api/admin/broken');

  expect(response).toMatchObject({ status: 500, body: { name: 'InternalError' } });
  expect(response.body.message).toContain(response.body.id);
  expect(JSON.stringify(response.body)).not.toContain('secret');
  await app.close();
});

test('a route without a permission stops the server from starting', async () => {
  const app = await buildApp(harness.db, APP_SETTINGS);

  expect(() => app.get('/api/admin/forgotten', () => 'open')).toThrow(
    /GET \/api\/admin\/forgotten declares no permission/,
  );
  await app.close();
});

test('the metrics count requests by route and contain no URL', async () => {
  await call(harness.app, 'GET', '/api/admin/projects/some-project');

  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });

  expect(body).toMatch(
    /http_request_duration_seconds_count\{method="GET",route="\/api\/admin\/projects\/:projectId",status="404"\} 1/,
  );
  expect(body).not.toContain('some-project');
});

test('serves the documentation page and the OpenAPI document', async () => {
  const page = await call(harness.app, 'GET', '/docs/', { token: null });
  const document = await call(harness.app, 'GET', '/docs/openapi.json', { token: null });

  expect(page.status).toBe(200);
  expect(page.body).toContain('Halyard API');
  expect(document.body.paths).toHaveProperty('/api/admin/search/events');
});

test('a body with 49,000 violations under long keys is rejected with a short response that counts them', async () => {
  const openObjects = Array.from({ length: 30 }, () => `"${'k'.repeat(999)}":{`).join('');
  const body = `{${openObjects}"z":[${Array(49_000).fill('"\\u0000"').join(',')}]${'}'.repeat(31)}`;

  const response = await harness.app.inject({
    method: 'POST',
    url: '/api/admin/features/validate',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body,
  });

  const { message, details } = response.json();
  expect(response.statusCode).toBe(400);
  expect(message).toBe('The request is invalid: 49000 violations, listed in details.');
  expect(response.body.length).toBeLessThan(40_000);
  expect(details.at(-1).message).toBe(`and ${49_000 - (details.length - 1)} more`);
});
