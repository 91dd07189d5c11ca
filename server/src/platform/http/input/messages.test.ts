import { expect, test } from 'vitest';
import { ADMIN_TOKEN, useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

test.each([
  [
    'GET',
    'search/events?createdBy=IS:ben',
    undefined,
    'createdBy must be a user id, not "ben". GET /api/admin/event-creators lists the ids.',
  ],
  [
    'GET',
    'search/events?feature=pay.a',
    undefined,
    'feature must start with IS: or IS_ANY_OF:, for example feature=IS:pay.a',
  ],
  [
    'GET',
    'search/events?project=is:a',
    undefined,
    'project must start with IS: or IS_ANY_OF:, for example project=IS:a',
  ],
  [
    'GET',
    'search/features?createdBy=IS:ben',
    undefined,
    'createdBy must be a user id, not "ben". GET /api/admin/flag-creators lists the ids.',
  ],
  [
    'GET',
    'search/events?feature=IS:a&feature=IS:b',
    undefined,
    'feature is given more than once. Use IS_ANY_OF:a,b for several values.',
  ],
  [
    'POST',
    'projects/default/features',
    { name: 'pay.a b/c' },
    'name "pay.a b/c" must contain only letters, digits and - _ . ! ~ * \' ( ), and must not be "." or ".."',
  ],
  [
    'POST',
    'addons',
    { provider: 'webhook', enabled: true, parameters: {}, events: ['feature-creatd'] },
    'Unknown event type "feature-creatd". Did you mean "feature-created"?',
  ],
  [
    'POST',
    'addons',
    { provider: 'webhook', enabled: true, parameters: {}, events: ['feature-enabled'] },
    'Unknown event type "feature-enabled". Did you mean "feature-environment-enabled"?',
  ],
  ['GET', 'user-admin/abc', undefined, 'id must be a positive integer'],
  [
    'PUT',
    'projects/default/tags',
    { features: [], tags: { addedTags: [], removedTags: [] } },
    'features must have at least 1 item',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: 'tomorrow' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: '0001-01-01T00:00:00+00:01' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: '9999-12-31T23:59:59-12:00' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: '2100-12-31T23:59:60Z' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: '2100-01-01T00:00:00+16:00' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'projects/default/features',
    { name: 'typed', type: 'relase' },
    'feature type "relase" does not exist. GET /api/admin/feature-types lists the feature types.',
  ],
  ['POST', 'tags', { type: 'nope', value: 'some' }, 'tag type "nope" does not exist'],
  ['POST', 'projects', { name: 7 }, 'name must be a string'],
  ['POST', 'projects', [], 'the body must be an object'],
  [
    'POST',
    'user-admin',
    { username: 'somebody', rootRole: 'Owner' },
    'rootRole "Owner" is not a root role. Use Admin, Editor, Viewer or the id of a custom root role',
  ],
] as const)('%s /%s %j names the value and what is allowed', async (method, path, body, message) => {
  const rejection = await call(harness.app, method, `/api/admin/${path}`, { body });

  expect(rejection.status).toBe(400);
  expect(rejection.body.details.map((detail: { message: string }) => detail.message)).toContain(message);
});

test.each([
  'search/events?type=IS:feature-enabled',
  'search/events/counts?by=day&type=IS_ANY_OF:feature-created,feature-enabled',
  'deliveries?type=IS:feature-enabled',
])('the Halyard-Hint header of %s names the nearest event type', async path => {
  const { status, headers } = await call(harness.app, 'GET', `/api/admin/${path}`);

  expect([status, headers['halyard-hint']]).toEqual([
    200,
    'Unknown event type "feature-enabled". Did you mean "feature-environment-enabled"?',
  ]);
});

test('percent-encodes what a hint quotes, and gives no hint for a known type', async () => {
  const hintFor = async (type: string) =>
    (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${encodeURIComponent(type)}`)).headers[
      'halyard-hint'
    ];

  expect(await hintFor('größe')).toBe(
    'Unknown event type "gr%C3%B6%C3%9Fe". GET /api/admin/event-types lists the event types.',
  );
  expect(await hintFor('feature-created')).toBeUndefined();
});

test('suggests the known names for a misspelled parameter and a misspelled field', async () => {
  const { body } = await call(
    harness.app,
    'POST',
    '/api/admin/projects/default/features/x/clone?dryRn=true',
    {
      body: { name: 'y', nam: 'z' },
      headers: { prefer: 'handling=strict' },
    },
  );
  const messages = body.details.map((detail: { message: string }) => detail.message);

  expect(messages).toContain('Unknown query parameter "dryRn". Did you mean "dryRun"?');
  expect(messages).toContain('Unknown field "nam". Did you mean "name"?');
});

test.each([
  ['{"name": "a",}', 'The body is not valid JSON: line 1, column 14.'],
  ['nonsense', 'The body is not valid JSON.'],
  ['', 'A JSON body is required.'],
  ['{"__proto__": {}}', 'The body contains a key that is not allowed: __proto__ or constructor.prototype.'],
])('says what is wrong with the body %j', async (payload, message) => {
  const response = await harness.app.inject({
    method: 'POST',
    url: '/api/admin/projects',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    payload,
  });

  expect(response.json()).toMatchObject({ name: 'BadDataError', message, details: [{ message }] });
});

test('says how large a body is and how large it may be', async () => {
  const response = await harness.app.inject({
    method: 'POST',
    url: '/api/admin/projects',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    payload: JSON.stringify({ name: 'x'.repeat(2_000_000) }),
  });

  expect(response.json()).toMatchObject({
    name: 'PayloadTooLargeError',
    message: 'The body has 2,000,011 bytes. This operation accepts at most 1,048,576.',
  });
});

test('the drift operation says that a feature is not a copy', async () => {
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name: 'no-copy' } });

  const { status, body } = await call(
    harness.app,
    'GET',
    '/api/admin/projects/default/features/no-copy/drift',
  );

  expect([status, body.message]).toEqual([404, 'Feature "no-copy" is not a copy.']);
});

const NOTHING =
  'The request has no Authorization header and no session. Send a token in the header, or log in.';
const MALFORMED =
  'The token in the Authorization header is malformed. Send the whole token as it was shown when it was created.';
const ENDED = 'The token is unknown, expired or revoked. Create a new one, or log in.';

test.each<[string, Record<string, string>, string]>([
  ['without a token', {}, NOTHING],
  ['with an empty header', { authorization: 'Bearer ' }, NOTHING],
  ['with a wrong checksum', { authorization: `user:hyp_${'a'.repeat(49)}` }, MALFORMED],
  ['with a long token', { authorization: 'a'.repeat(600) }, MALFORMED],
  ['with an unknown token', { authorization: '*:*.no-such-token' }, ENDED],
  [
    'with an unknown session',
    { cookie: 'halyard-session=hyw_nothing' },
    'The session is unknown or has ended. Log in again.',
  ],
])('says why a request %s is rejected with 401', async (_case, headers, message) => {
  const response = await harness.app.inject({ url: '/api/admin/projects', headers });

  expect([response.statusCode, response.json().message]).toEqual([401, message]);
});

test('lists the methods that a path accepts if the requested method is not one of them', async () => {
  const { status, body, headers } = await call(harness.app, 'PUT', '/api/admin/user-admin/?x=1', {
    body: {},
  });
  const unknownPath = await call(harness.app, 'GET', '/api/admin/nowhere');

  expect([status, headers.allow]).toEqual([404, 'GET, POST']);
  expect(body.message).toBe('PUT /api/admin/user-admin/ does not exist. This path accepts GET or POST.');
  expect(unknownPath.body.message).toBe('GET /api/admin/nowhere does not exist.');
  expect(unknownPath.headers).not.toHaveProperty('allow');
});

test.each(['/help', '/help/reference/limits', '/assets/index.js'])(
  'the response to POST %s lists GET as the only method',
  async url => {
    const { statusCode, headers } = await harness.app.inject({ method: 'POST', url });

    expect([statusCode, headers.allow]).toEqual([404, 'GET']);
  },
);

test.each([
  ['invalid UTF-8 in the path', '/api/admin/projects/%ff/features'],
  ['invalid UTF-8 in the query', '/api/admin/search/events?query=%ff'],
  ['NUL in the path', '/api/admin/projects/a%00b'],
  ['NUL in the query', '/api/admin/search/events?query=%00'],
  ['a long parameter', `/api/admin/projects/${'a'.repeat(600)}`],
  ['a long URL', `/api/admin/search/events?query=${'a'.repeat(13_000)}`],
])('rejects %s with 401 if the request has no token, and with 400 otherwise', async (_case, url) => {
  const anonymous = await call(harness.app, 'GET', url, { token: null });
  const withToken = await call(harness.app, 'GET', url);

  expect([anonymous.status, withToken.status]).toEqual([401, 400]);
  expect(anonymous.headers).toHaveProperty('x-content-type-options', 'nosniff');
});
