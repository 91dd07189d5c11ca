import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { change } from '../../record/change.ts';
import { makeUser, makeUserWith } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import {
  type Account,
  CLIENT,
  type IdentityProvider,
  listen,
  startIdentityProvider,
  stop,
} from '../../test/identity-provider.ts';
import { makeBrowser } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import {
  beginLogin,
  configureSso,
  getPathAndQuery,
  person,
  readCookies,
  type StartedLogin,
  sendAsBrowser,
} from '../../test/single-sign-on.ts';
import { countLockWaiters } from '../../test/waiting.ts';
import { deactivateUser, reactivateUser } from '../users/deactivate.ts';
import { removeUser } from '../users/remove.ts';
import { sealAttempt } from './attempt.ts';

const harness = useHarness();
let provider: IdentityProvider;
let groupCount = 0;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(() => configure());

const configure = (fields: object = {}): Promise<ApiResponse> =>
  configureSso(harness.app, provider.issuer, fields);
const get = (url: string, cookie?: string, app = harness.app): Promise<ApiResponse> =>
  sendAsBrowser(app, url, cookie);
const beginSsoLogin = (query = ''): Promise<StartedLogin> => beginLogin(harness.app, query);

/** Completes a login at the provider. Returns the response of the callback. */
async function logIn(account: Account, query = ''): Promise<ApiResponse> {
  const { url, cookie } = await beginSsoLogin(query);
  return await get(getPathAndQuery(await provider.visit(url, account)), cookie);
}

const readCaller = async (response: ApiResponse) => {
  const secret = readCookies(response)['halyard-session'];
  return (await makeBrowser(harness.app, `halyard-session=${secret}`).send('GET', '/api/admin/user')).body;
};

const readRootRole = async (userId: number): Promise<number> =>
  (await call(harness.app, 'GET', `/api/admin/user-admin/${userId}`)).body.rootRole;

const readNewestEventId = async (): Promise<number> =>
  (await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(harness.db)).rows[0]
    ?.id ?? 0;

const readEventsAfter = async (id: number) =>
  (
    await sql<{ type: string; by: string; kind: string; recorded: object }>`
      select type, created_by as by, created_by_kind as kind, coalesce(data, pre_data) as recorded
      from events where id > ${id} order by id`.execute(harness.db)
  ).rows;

test('redirects to the provider with PKCE, state and nonce, and the cookie does not show the state or nonce', async () => {
  const response = await get('/auth/oidc/login?redirect=/projects/default');
  const url = new URL(String(response.headers.location));

  expect(response.status).toBe(302);
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT.clientId,
    response_type: 'code',
    redirect_uri: `${APP_SETTINGS.publicUrl}/auth/oidc/callback`,
    scope: 'openid email profile',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(response.headers['set-cookie']).toMatch(
    /^halyard-login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(response.headers['cache-control']).toBe('no-store');
  for (const secret of [url.searchParams.get('state'), url.searchParams.get('nonce')])
    expect(Buffer.from(String(response.headers['set-cookie'])).toString()).not.toContain(secret);
});

test('creates an account and a session at the first login and redirects to the requested path', async () => {
  const eventIdBefore = await readNewestEventId();
  const ada = person();

  const firstLogin = await logIn(ada, '?redirect=/projects/default%3Ftab=1');
  const secondLogin = await logIn({ ...ada, email: 'another@example.org', email_verified: false });

  expect(firstLogin.headers).toMatchObject({
    location: '/projects/default?tab=1',
    'cache-control': 'no-store',
  });
  expect(readCookies(firstLogin)).toMatchObject({
    'halyard-login': '',
    'halyard-session': expect.stringMatching(/^hyw_/),
  });
  const caller = await readCaller(firstLogin);
  expect(caller.user).toMatchObject({ name: ada.name, username: null, email: ada.email });
  expect((await readCaller(secondLogin)).user).toEqual(caller.user);
  const userData = { name: ada.name, username: null, email: ada.email, rootRole: 3 };
  expect(await readEventsAfter(eventIdBefore)).toMatchObject([
    { type: 'user-created', by: 'system', kind: 'system', recorded: userData },
  ]);
});

test('stores the login method of the session and replaces the earlier session', async () => {
  const ada = person();
  const firstSession = readCookies(await logIn(ada))['halyard-session'];
  const { url, cookie } = await beginSsoLogin();

  const secondLogin = await get(
    getPathAndQuery(await provider.visit(url, ada)),
    `${cookie}; halyard-session=${firstSession}`,
  );

  const browser = makeBrowser(harness.app, `halyard-session=${readCookies(secondLogin)['halyard-session']}`);
  const { sessions } = (await browser.send('GET', '/api/admin/user/sessions')).body;
  expect(sessions).toMatchObject([{ method: 'oidc', current: true }]);
  expect((await get('/api/admin/user', `halyard-session=${firstSession}`)).status).toBe(401);
});

test('finds an account case-insensitively by its verified email address and keeps its role', async () => {
  const { id } = await makeUserWith(harness.db, { email: 'Grace@Example.net', rootRole: 'Editor' });

  const response = await logIn(person({ email: 'grace@example.NET' }));

  const { user } = await readCaller(response);
  expect(user.id).toBe(id);
  expect(await readRootRole(id)).toBe(2);
});

test('a later login keeps the role that an admin changed', async () => {
  const ada = person();
  const { user } = await readCaller(await logIn(ada));
  expect(await readRootRole(user.id)).toBe(3);
  await call(harness.app, 'PUT', `/api/admin/user-admin/${user.id}`, { body: { rootRole: 2 } });

  const laterLogin = await logIn(ada);

  expect((await readCaller(laterLogin)).user.id).toBe(user.id);
  expect(await readRootRole(user.id)).toBe(2);
});

test('reads the claims from the ID token, with email_verified as a string', async () => {
  const otherProvider = await startIdentityProvider({ claimsInIdToken: true });
  await configure({
    discoverUrl: `${otherProvider.issuer}/.well-known/openid-configuration`,
    idTokenSigningAlgorithm: 'RS256',
  });
  const { url, cookie } = await beginSsoLogin();

  const response = await get(
    getPathAndQuery(await otherProvider.visit(url, person({ email_verified: 'true' }))),
    cookie,
  );
  await otherProvider.close();

  expect(response.status, JSON.stringify(response.body)).toBe(302);
});

test.each<[string, object, object, number, RegExp]>([
  ['an unverified email address', { email_verified: false }, {}, 403, /did not verify/],
  ['an email address without email_verified', { email_verified: undefined }, {}, 403, /did not verify/],
  ['no email address', { email: undefined }, {}, 403, /did not verify/],
  ['an invalid email address', { email: 'no address' }, {}, 403, /did not verify/],
  ['a domain that is not in the list', { email: 'eve@example.org' }, {}, 403, /domain/],
  ['a subdomain of a domain in the list', { email: 'eve@evil.example.com' }, {}, 403, /domain/],
  ['a domain that ends like one in the list', { email: 'eve@badexample.com' }, {}, 403, /domain/],
  ['a new user without autoCreate', {}, { autoCreate: false }, 403, /No account/],
])('rejects %s and writes nothing', async (_case, claims, settings, status, message) => {
  await configure(settings);
  const eventIdBefore = await readNewestEventId();
  const response = await logIn(person(claims));

  expect(response).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
  expect(readCookies(response)['halyard-session']).toBeUndefined();
  expect(await readEventsAfter(eventIdBefore)).toEqual([]);
});

test('does not find an account by an unverified email address', async () => {
  await makeUserWith(harness.db, { email: 'boss@example.com', rootRole: 'Admin' });

  const response = await logIn(person({ email: 'boss@example.com', email_verified: false }));

  expect(response.status).toBe(403);
});

test('rejects a different identity with the email address of a linked account', async () => {
  const ada = person();
  await logIn(ada);

  const response = await logIn(person({ email: ada.email }));

  expect(response).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('different user') },
  });
});

test('rejects a deleted user until an admin creates an account with their email address', async () => {
  const ada = person();
  const { user } = await readCaller(await logIn(ada));
  await change(harness.db, SYSTEM, current => removeUser(current, user.id));

  const rejection = await logIn(ada);
  const { id } = await makeUserWith(harness.db, { email: String(ada.email), rootRole: 'Viewer' });
  const laterLogin = await logIn(ada);

  expect(rejection).toMatchObject({ status: 403, body: { message: expect.stringContaining('deleted') } });
  expect((await readCaller(laterLogin)).user.id).toBe(id);
});

test('neither reactivates a deactivated user nor creates a second account', async () => {
  const ada = person();
  const { user } = await readCaller(await logIn(ada));
  await change(harness.db, SYSTEM, current => deactivateUser(current, user.id));

  const loginByIdentity = await logIn(ada);
  const loginByEmail = await logIn(person({ email: ada.email }));
  await change(harness.db, SYSTEM, current => reactivateUser(current, user.id));
  const laterLogin = await logIn(ada);

  expect(loginByIdentity).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('deactivated') },
  });
  expect(loginByEmail.status).toBe(403);
  expect((await readCaller(laterLogin)).user.id).toBe(user.id);
});

test.each<
  [
    string,
    (
      callback: URL,
      startedLogin: StartedLogin,
    ) => Promise<[URL, string | undefined]> | [URL, string | undefined],
    RegExp,
  ]
>([
  [
    'a wrong state',
    (callback, { cookie }) => [withParameter(callback, 'state', 'x'.repeat(43)), cookie],
    /started in a different browser/,
  ],
  [
    'no state',
    (callback, { cookie }) => [withParameter(callback, 'state', null), cookie],
    /started in a different browser/,
  ],
  ['a different browser', callback => [callback, undefined], /started in a different browser/],
  [
    'a forged cookie',
    callback => [callback, 'halyard-login=djEuMDAwMDAwMDAuQUFBQQ'],
    /started in a different browser/,
  ],
  [
    'the cookie of a different attempt',
    async callback => [callback, (await beginSsoLogin()).cookie],
    /started in a different browser/,
  ],
  [
    'an unknown code',
    (callback, { cookie }) => [withParameter(callback, 'code', 'nope'), cookie],
    /invalid_grant/,
  ],
  ['no code', (callback, { cookie }) => [withParameter(callback, 'code', null), cookie], /not confirm/],
  [
    'a different issuer',
    (callback, { cookie }) => [withParameter(callback, 'iss', 'https://evil.example'), cookie],
    /not confirm/,
  ],
])('rejects %s', async (_case, tamper, message) => {
  const startedLogin = await beginSsoLogin();
  const [callback, cookie] = await tamper(await provider.visit(startedLogin.url, person()), startedLogin);

  const response = await get(getPathAndQuery(callback), cookie);

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringMatching(message) } });
  expect(readCookies(response)['halyard-session']).toBeUndefined();
});

function withParameter(url: URL, name: string, value: string | null): URL {
  const copy = new URL(url);
  if (value === null) copy.searchParams.delete(name);
  else copy.searchParams.set(name, value);
  return copy;
}

test('rejects the code of a different login', async () => {
  const [ownLogin, otherLogin] = [await beginSsoLogin(), await beginSsoLogin()];
  const stolenCallback = await provider.visit(otherLogin.url, person());
  const callback = withParameter(
    await provider.visit(ownLogin.url, person()),
    'code',
    stolenCallback.searchParams.get('code'),
  );

  const response = await get(getPathAndQuery(callback), ownLogin.cookie);

  expect(response).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('invalid_grant') },
  });
});

test('rejects an ID token with a different nonce', async () => {
  const { url, cookie } = await beginSsoLogin();
  const callback = await provider.visit(
    withParameter(new URL(url), 'nonce', 'of-another-login').href,
    person(),
  );

  const response = await get(getPathAndQuery(callback), cookie);

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringContaining('not confirm') } });
});

test('finishes an attempt only once across all servers, but keeps it after a wrong state', async () => {
  const secondServer = await harness.secondServer();
  const { url, cookie } = await beginSsoLogin();
  const callback = await provider.visit(url, person());

  const wrongState = await get(getPathAndQuery(withParameter(callback, 'state', 'x')), cookie);
  const firstLogin = await get(getPathAndQuery(callback), cookie);
  const repeatedLogin = await get(getPathAndQuery(callback), cookie, secondServer);

  expect([wrongState.status, firstLogin.status, repeatedLogin.status]).toEqual([401, 302, 401]);
  expect(repeatedLogin.body.message).toContain('already finished');
});

test('rejects an expired attempt', async () => {
  const state = 's'.repeat(43);
  const keyring = makeKeyring(APP_SETTINGS.secretKey, []);
  const attempt = {
    state,
    nonce: 'n',
    verifier: 'v'.repeat(43),
    returnTo: '/',
    expiresAt: Date.now() - 1_000,
  };

  const response = await get(
    `/auth/oidc/callback?code=c&state=${state}`,
    `halyard-login=${sealAttempt(keyring, attempt)}`,
  );

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringContaining('10 minutes') } });
});

test('rejects a login that the user cancelled, with the error code of the provider', async () => {
  const { url, cookie } = await beginSsoLogin();

  const response = await get(getPathAndQuery(await provider.visit(url, null)), cookie);

  expect(response).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('access_denied') },
  });
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'javascript:alert(1)',
  'projects',
  '/\t/evil.example',
  '/a\\b',
])('rejects redirect=%j', async redirect => {
  const response = await get(`/auth/oidc/login?redirect=${encodeURIComponent(redirect)}`);

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/query/redirect' }] } });
});

test.each([
  ['/.//evil.example', '/evil.example'],
  ['/a/..//evil.example', '/evil.example'],
  ['/a?next=//evil.example#x', '/a?next=//evil.example#x'],
])('redirect=%s redirects to %s on this server', async (redirect, location) => {
  const response = await logIn(person(), `?redirect=${encodeURIComponent(redirect)}`);

  expect(response.headers.location).toBe(location);
});

test('rejects the start and the callback of a login while single sign-on is disabled', async () => {
  const { url, cookie } = await beginSsoLogin();
  const callback = await provider.visit(url, person());
  await configure({ enabled: false });

  expect((await get('/auth/oidc/login')).status).toBe(404);
  expect((await get(getPathAndQuery(callback), cookie)).status).toBe(404);
});

test('returns 503 if the provider is down, sends an invalid or oversized response, or redirects', async () => {
  const [largeServer, redirectingServer, htmlServer] = await Promise.all([
    listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: 'x', filler: 'x'.repeat(1_100_000) }));
    }),
    listen((_request, response) => response.writeHead(302, { location: provider.issuer }).end()),
    listen((_request, response) => response.end('<html>')),
  ]);
  const stoppedServer = await listen(() => {});
  await stop(stoppedServer.server);

  for (const { url } of [stoppedServer, largeServer, redirectingServer, htmlServer]) {
    await configure({ discoverUrl: url });
    const response = await get('/auth/oidc/login');
    expect(response).toMatchObject({ status: 503, body: { name: 'ServiceUnavailableError' } });
    expect(response.headers['retry-after']).toBe('10');
  }

  for (const { server } of [largeServer, redirectingServer, htmlServer]) await stop(server);
});

test('times out after five seconds without a response from the provider', async () => {
  const silentServer = await listen(() => {});
  await configure({ discoverUrl: silentServer.url });

  const responses = await Promise.all([1, 2, 3].map(() => get('/auth/oidc/login')));
  await stop(silentServer.server);

  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
});

test('requests the discovery document once for concurrent logins', async () => {
  let requestCount = 0;
  const countingServer = await listen(async (_request, response) => {
    requestCount++;
    const realResponse = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
    const document = { ...((await realResponse.json()) as object), issuer: countingServer.url };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await configure({ discoverUrl: countingServer.url });

  await Promise.all(Array.from({ length: 20 }, () => beginSsoLogin()));
  await stop(countingServer.server);

  expect(requestCount).toBe(1);
});

test('rejects an ID token that the provider did not sign', async () => {
  const otherProvider = await startIdentityProvider();
  const imposter = await listen(async (request, response) => {
    const realResponse = await fetch(`${provider.issuer}${request.url}`);
    const document = { ...((await realResponse.json()) as object), jwks_uri: `${otherProvider.issuer}/jwks` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await configure({ discoverUrl: `${imposter.url}/.well-known/openid-configuration` });

  const response = await logIn(person());
  await stop(imposter.server);
  await otherProvider.close();

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringContaining('not confirm') } });
});

test('returns 503 for a wrong client secret', async () => {
  await configure({ secret: 'wrong' });

  const response = await logIn(person());

  expect(response.status).toBe(503);
});

test.each([
  ['NUL', 'person\u0000nul'],
  ['half a surrogate pair', 'person\ud800half'],
])('rejects a subject with %s, which cannot be stored', async (_case, sub) => {
  const response = await logIn(person({ sub }));

  expect(response.status).toBe(403);
  expect(readCookies(response)).not.toHaveProperty('halyard-session');
});

test('truncates a long name between characters', async () => {
  const response = await logIn(person({ name: `${'n'.repeat(254)}🚩` }));

  expect(response.status).toBe(302);
  expect(await readCaller(response)).toMatchObject({ user: { name: 'n'.repeat(254) } });
});

test('creates one account for two concurrent first logins', async () => {
  const ada = person();
  const logins: { callback: URL; cookie: string }[] = [];
  for (const _ of [1, 2]) {
    const { url, cookie } = await beginSsoLogin();
    logins.push({ callback: await provider.visit(url, ada), cookie });
  }
  let responses: Promise<ApiResponse[]> = Promise.resolve([]);
  await harness.db.transaction().execute(async tx => {
    // No user can be inserted while this lock is held, so both logins wait here.
    await sql`lock table users in share row exclusive mode`.execute(tx);
    responses = Promise.all(logins.map(({ callback, cookie }) => get(getPathAndQuery(callback), cookie)));
    await expect.poll(() => countLockWaiters(harness.db)).toBeGreaterThanOrEqual(2);
  });

  const [first, second] = await responses;

  expect([first?.status, second?.status]).toEqual([302, 302]);
  if (first && second) expect((await readCaller(first)).user.id).toBe((await readCaller(second)).user.id);
});

const createGroup = async (body: object): Promise<number> =>
  (await call(harness.app, 'POST', '/api/admin/groups', { body: { name: `Group ${++groupCount}`, ...body } }))
    .body.id;

const readGroupIds = async (userId: number): Promise<number[]> =>
  (
    await sql<{ id: number }>`
      select group_id as id from group_users where user_id = ${userId} order by 1`.execute(harness.db)
  ).rows.map(row => row.id);

test('adds memberships in mapped groups, and removes only memberships that a login added', async () => {
  await configure({ enableGroupSyncing: true, addGroupsScope: true });
  const [developers, testers] = [
    await createGroup({ mappingsSSO: ['dev', 'ops'] }),
    await createGroup({ mappingsSSO: ['test'] }),
  ];
  const ada = person();
  const userId = (await readCaller(await logIn({ ...ada, groups: ['dev', 'unknown'] }))).user.id;
  const manualGroup = await createGroup({ mappingsSSO: ['hand'], users: [{ user: { id: userId } }] });
  const eventIdBefore = await readNewestEventId();

  const steps: number[][] = [await readGroupIds(userId)];
  for (const groups of [['dev', 'hand'], ['test'], [], undefined]) {
    await logIn({ ...ada, groups });
    steps.push(await readGroupIds(userId));
  }

  expect(steps).toEqual([
    [developers, manualGroup],
    [developers, manualGroup],
    [testers, manualGroup],
    [manualGroup],
    [manualGroup],
  ]);
  expect(await readEventsAfter(eventIdBefore)).toMatchObject([
    { type: 'group-user-added', by: 'system', recorded: { groupId: testers, userId } },
    { type: 'group-user-removed', recorded: { groupId: developers, userId } },
    { type: 'group-user-removed', recorded: { groupId: testers, userId } },
  ]);
});

test('reads groups from a nested claim, and changes no groups while group syncing is disabled', async () => {
  const group = await createGroup({ mappingsSSO: ['lead'] });
  const ada = person({ roles: { halyard: ['lead'] } });
  await configure({ enableGroupSyncing: true, groupJsonPath: 'roles.halyard' });
  const userId = (await readCaller(await logIn(ada))).user.id;

  await configure();
  await logIn({ ...ada, roles: {} });

  expect(await readGroupIds(userId)).toEqual([group]);
});

test('applies the permissions of a group immediately, and rejects a login that would remove the last admin', async () => {
  const { db } = harness;
  await sql`delete from user_roles where role_id = 1`.execute(db);
  await configure({ enableGroupSyncing: true, addGroupsScope: true });
  await createGroup({ mappingsSSO: ['admins'], rootRole: 1 });
  const ada = person();

  const adminCaller = await readCaller(await logIn({ ...ada, groups: ['admins'] }));
  const rejection = await logIn({ ...ada, groups: [] });
  await makeUser(db, 'Admin');
  const laterLogin = await logIn({ ...ada, groups: [] });

  expect(adminCaller.permissions).toContainEqual({ permission: 'ADMIN' });
  expect(rejection).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('No user with the Admin role would remain') },
  });
  expect((await readCaller(laterLogin)).permissions).not.toContainEqual({ permission: 'ADMIN' });
});

test('sends the configured acr_values', async () => {
  await configure({ acrValues: 'phr phrh' });

  const { url } = await beginSsoLogin();

  expect(new URL(url).searchParams.get('acr_values')).toBe('phr phrh');
});

test('rejects an acr that was not requested', async () => {
  await configure({ acrValues: 'phr' });

  const [otherMethod, requestedMethod] = [
    await logIn(person({ acr: 'pwd' })),
    await logIn(person({ acr: 'phr' })),
  ];

  expect(otherMethod).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('requested method') },
  });
  expect(requestedMethod.status).toBe(302);
});

test('redirects a logout to the provider if single sign-out is enabled, and never to a different server', async () => {
  const localLogout = await get('/auth/oidc/logout');
  await configure({ enableSingleSignOut: true });
  const providerLogout = await get('/auth/oidc/logout?post_logout_redirect_uri=https://evil.example');

  expect(localLogout).toMatchObject({ status: 302, headers: { location: '/' } });
  const url = new URL(String(providerLogout.headers.location));
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    post_logout_redirect_uri: `${APP_SETTINGS.publicUrl}/`,
    client_id: CLIENT.clientId,
  });
});

test('sets the login cookie and the session cookie with the __Host- prefix over https', async () => {
  const publicUrl = 'https://flags.example.com';
  const app = await harness.secondServer({ publicUrl });
  const httpsProvider = await startIdentityProvider({ publicUrl });
  await configure({ discoverUrl: httpsProvider.issuer });

  const start = await get('/auth/oidc/login', undefined, app);
  const callback = await httpsProvider.visit(String(start.headers.location), person());
  const cookie = `__Host-halyard-login=${readCookies(start)['__Host-halyard-login']}`;
  const end = await get(getPathAndQuery(callback), cookie, app);
  await httpsProvider.close();

  expect(start.headers['set-cookie']).toMatch(/^__Host-halyard-login=[\w-]+; .*; Secure$/);
  expect(end.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-halyard-login=; Max-Age=0; .*; Secure$/),
    expect.stringMatching(/^__Host-halyard-session=hyw_\w+; .*; Secure$/),
  ]);
});

test('counts logins by result', async () => {
  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });
  const lines = String(body)
    .split('\n')
    .filter(line => line.startsWith('halyard_sso'))
    .join('\n');

  for (const result of ['success', 'rejected', 'failure', 'unavailable'])
    expect(lines).toMatch(new RegExp(`halyard_sso_logins_total\\{result="${result}"\\} [1-9]`));
});
