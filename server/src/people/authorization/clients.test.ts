import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makePerson } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Browser, logIn } from '../../test/login.ts';
import {
  buildAuthorizationQuery,
  DECISIONS,
  makePkce,
  REDIRECT_URI,
  register,
} from '../../test/oauth-client.ts';
import { PUBLIC_URL } from '../../test/public-url.ts';
import { type Receiver, startReceiver } from '../../test/receiver.ts';
import { call } from '../../test/request.ts';
import { DOCUMENT_READ_LIMIT } from './limits.ts';
import { findRedirectUriProblem, isRegisteredUri } from './redirect-uri.ts';

const harness = useHarness();
let publisher: Receiver;
let browser: Browser;
let documentCount = 0;

beforeAll(async () => {
  publisher = await startReceiver();
  const { username } = await makePerson(harness.db, 'Viewer');
  browser = await logIn(harness.app, username);
});
afterAll(async () => await publisher.close());
beforeEach(() => void publisher.received.splice(0));

type Options = { status?: number; id?: string; type?: string; by?: Browser };

/** Publishes a client's document, at a new URL each time, and previews an authorization request from the client. */
async function preview(
  document: unknown,
  { status = 200, id, type = 'application/json', by = browser }: Options = {},
) {
  const url = id ?? `${publisher.url}/client-${++documentCount}.json`;
  const text =
    typeof document === 'string' ? document : JSON.stringify({ client_id: url, ...(document as object) });
  publisher.respondWith((_, response) =>
    response.writeHead(status, { 'content-type': type, location: '/elsewhere' }).end(text),
  );
  return {
    url,
    ...(await by.send('POST', `${DECISIONS}/preview`, {
      body: { query: buildAuthorizationQuery(makePkce(), { client_id: url }) },
    })),
  };
}

const VALID = { client_name: 'Some agent', redirect_uris: ['http://127.0.0.1/callback'] };

test("reads and caches the document at the client's URL", async () => {
  const first = await preview(VALID);
  const second = await preview(VALID, { id: first.url });

  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    clientName: 'Some agent',
    clientHost: new URL(publisher.url).host,
    kind: 'agent',
    redirectHost: '127.0.0.1:50123',
  });
  expect(second.status).toBe(200);
  expect(publisher.received).toHaveLength(1);
  expect(publisher.received[0]).toMatchObject({ body: '', headers: { accept: 'application/json' } });
  expect(publisher.received[0]?.headers).not.toHaveProperty('cookie');
});

test.each([
  [
    'a different client_id',
    { ...VALID, client_id: 'https://agent.example/client.json' },
    'different client_id',
  ],
  ['no redirect URIs', { client_name: 'x' }, 'redirect_uris must be a list of 1 to 10 URLs'],
  ['too many redirect URIs', { redirect_uris: Array(11).fill(REDIRECT_URI) }, 'a list of 1 to 10 URLs'],
  ['a plain http redirect URI', { redirect_uris: ['http://agent.example/cb'] }, 'must be an https URL'],
  ['a name that is not a string', { ...VALID, client_name: 7 }, 'client_name must be a string'],
  [
    'a key-based authentication method',
    { ...VALID, token_endpoint_auth_method: 'private_key_jwt' },
    'only public clients',
  ],
  ['a list', '[]', 'is not a JSON object'],
  ['truncated JSON', '{"client_id": ', 'is not a JSON object'],
  ['a large document', JSON.stringify({ ...VALID, padding: 'x'.repeat(5_000) }), 'at most 4,096 characters'],
])('rejects a document with %s', async (_, document, message) => {
  const { status, body } = await preview(document);

  expect(status).toBe(400);
  expect(body.message).toContain(message);
});

test.each([302, 404, 500])('does not follow or accept a response with status %i', async status => {
  const { body } = await preview(VALID, { status });

  expect(body.message).toContain(`returned status ${status}`);
  expect(publisher.received).toHaveLength(1);
});

test.each([
  'https://agent.example/',
  'https://agent.example/client.json#part',
  'https://agent.example/client.json#',
  'https://user@agent.example/client.json',
  'https://agent.example/a/../client.json',
  'ftp://agent.example/client.json',
  'agent',
])('does not accept %s as a document URL', async id => {
  const { status, body } = await preview(VALID, { id });

  expect([status, publisher.received.length]).toEqual([400, 0]);
  expect(body.message).toContain('Use the https URL of a client metadata document');
});

test('reads no document from the private network or over http, unless the operator allows it', async () => {
  const strict = await harness.secondServer({ allowPrivateTargets: false });
  const previewClient = (id: string) =>
    browser.send('POST', `${DECISIONS}/preview`, {
      app: strict,
      body: { query: buildAuthorizationQuery(makePkce(), { client_id: id }) },
    });

  const [httpPreview, privatePreview] = [
    await previewClient(`${publisher.url}/a.json`),
    await previewClient(`https://127.0.0.1:${new URL(publisher.url).port}/a.json`),
  ];

  expect(httpPreview.body.message).toContain('Use the https URL');
  expect(privatePreview.body.message).toContain('must point to a public IP address');
  expect(publisher.received).toEqual([]);
});

test.each([
  ['text/plain', 400],
  ['text/html; charset=utf-8', 400],
  ['application/jsonp', 400],
  ['application/json; charset=utf-8', 200],
  ['application/client+json', 200],
])('a document with the content type %s results in status %i', async (type, expected) => {
  const { status, body } = await preview(VALID, { type });

  expect(status).toBe(expected);
  if (expected === 400) expect(body.message).toContain('is not application/json');
});

test('limits how many documents it reads for each user, even in simultaneous requests, without affecting other users', async () => {
  const { username } = await makePerson(harness.db, 'Viewer');
  const otherBrowser = await logIn(harness.app, username);
  const first = await preview(VALID, { by: otherBrowser });

  const statuses = await Promise.all(
    Array.from(
      { length: DOCUMENT_READ_LIMIT.max },
      async () => (await preview('no document', { by: otherBrowser })).status,
    ),
  );

  expect(statuses.toSorted()).toEqual([...Array(DOCUMENT_READ_LIMIT.max - 1).fill(400), 429]);
  expect(publisher.received).toHaveLength(DOCUMENT_READ_LIMIT.max);
  expect((await preview(VALID, { by: otherBrowser, id: first.url })).status).toBe(200);
  expect((await preview(VALID)).status).toBe(200);
});

test.each([
  ['Agent\u202Eenil dnammoc', 'Agent enil dnammoc'],
  ['\u3164\u115F', 'Unnamed client'],
  [`Age${'\u0301'.repeat(50)}nt`, 'Age\u0301\u0301nt'],
])('removes misleading characters from the name %j', async (name, expected) => {
  const { body } = await call(harness.app, 'POST', '/oauth/register', {
    token: null,
    body: { client_name: name, redirect_uris: [REDIRECT_URI] },
  });
  const { body: preview } = await browser.send('POST', `${DECISIONS}/preview`, {
    body: { query: buildAuthorizationQuery(makePkce(), { client_id: body.client_id }) },
  });

  expect([body.client_name, preview.clientName]).toEqual([expected, expected]);
});

test('registers a client under an id that depends only on its name and redirect URIs', async () => {
  const response = await call(harness.app, 'POST', '/oauth/register', {
    token: null,
    body: {
      client_name: 'Some agent',
      redirect_uris: ['https://agent.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
    },
  });

  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    client_id: expect.stringMatching(/^dyn_[\w-]+$/),
    client_id_issued_at: expect.any(Number),
    client_name: 'Some agent',
    redirect_uris: ['https://agent.example/cb'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  expect(await register(harness.app, ['https://agent.example/cb'])).toBe(response.body.client_id);
});

test.each([
  ['invalid_redirect_uri', {}],
  ['invalid_redirect_uri', []],
  ['invalid_redirect_uri', { redirect_uris: ['cursor://callback'] }],
  ['invalid_redirect_uri', { redirect_uris: ['https://agent.example/#part'] }],
  ['invalid_redirect_uri', { redirect_uris: Array(10).fill(`https://agent.example/${'a'.repeat(400)}`) }],
  ['invalid_client_metadata', { redirect_uris: [REDIRECT_URI], client_name: {} }],
])('rejects a registration with %s: %j', async (error, body) => {
  const response = await call(harness.app, 'POST', '/oauth/register', { token: null, body });

  expect([response.status, response.body.error]).toEqual([400, error]);
});

test.each([
  ['http://127.0.0.1/callback', 'http://127.0.0.1:1234/callback', true],
  ['http://127.0.0.1:99/callback', 'http://127.0.0.1/callback', true],
  ['http://localhost/callback', 'http://localhost:1234/callback', true],
  ['http://localhost/callback', 'http://127.0.0.1:1234/callback', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:1234/callback/', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:1234/callback?a=b', false],
  ['https://agent.example/cb', 'https://agent.example/cb', true],
  ['https://agent.example/cb', 'https://agent.example:8443/cb', false],
  ['https://agent.example/cb', 'https://agent.example/cb/', false],
  ['https://agent.example/cb', 'https://AGENT.example/cb', false],
  ['https://127.0.0.1/cb', 'https://127.0.0.1:1/cb', false],
])('%s, requested as %s: %s', (registeredUri, requestedUri, expected) => {
  expect(isRegisteredUri(requestedUri, [registeredUri])).toBe(expected);
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'http://10.0.0.1/',
  'vscode://x',
  '/path',
  'x'.repeat(600),
])('rejects %s as a redirect URI', uri => {
  expect(findRedirectUriProblem(uri)).toBeDefined();
});

test('describes the authorization server and its resources', async () => {
  const get = (path: string) => call(harness.app, 'GET', `/.well-known/${path}`, { token: null });

  const [server, api, mcp] = [
    await get('oauth-authorization-server'),
    await get('oauth-protected-resource'),
    await get('oauth-protected-resource/mcp'),
  ];

  expect(server.body).toMatchObject({
    issuer: PUBLIC_URL,
    authorization_endpoint: `${PUBLIC_URL}/authorize`,
    token_endpoint: `${PUBLIC_URL}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  expect(api.body).toMatchObject({ resource: PUBLIC_URL, authorization_servers: [PUBLIC_URL] });
  expect(mcp.body).toMatchObject({ resource: `${PUBLIC_URL}/mcp`, authorization_servers: [PUBLIC_URL] });
});

test.each([
  ['POST', null],
  ['POST', '*:*.no-such-token'],
  ['GET', null],
] as const)('%s /mcp without a valid token says where to get one', async (method, token) => {
  const { status, headers } = await call(harness.app, method, '/mcp', { token });

  expect(status).toBe(401);
  expect(headers['www-authenticate']).toBe(
    `Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
  );
});
