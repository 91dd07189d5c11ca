import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { keyringOf } from '../../platform/secrets/seal.ts';
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
import { browserWith } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import {
  ask as askUs,
  type Begun,
  beginLogin,
  configureSso,
  cookiesOf,
  pathOf,
  person,
} from '../../test/single-sign-on.ts';
import { waitingForLock } from '../../test/waiting.ts';
import { deactivateUser, reactivateUser } from '../users/deactivate.ts';
import { removeUser } from '../users/remove.ts';
import { sealAttempt } from './attempt.ts';

const harness = useHarness();
let provider: IdentityProvider;
let number = 0;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(() => configure());

const configure = (fields: object = {}): Promise<ApiResponse> =>
  configureSso(harness.app, provider.issuer, fields);
const ask = (url: string, cookie?: string, app = harness.app): Promise<ApiResponse> =>
  askUs(app, url, cookie);
const begin = (query = ''): Promise<Begun> => beginLogin(harness.app, query);

/** A complete login at the provider. Returns the response of the callback. */
async function logIn(account: Account, query = ''): Promise<ApiResponse> {
  const { url, cookie } = await begin(query);
  return await ask(pathOf(await provider.visit(url, account)), cookie);
}

const callerOf = async (response: ApiResponse) => {
  const secret = cookiesOf(response)['halyard-session'];
  return (await browserWith(harness.app, `halyard-session=${secret}`).ask('GET', '/api/admin/user')).body;
};

const lastEvent = async (): Promise<number> =>
  (await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(harness.db)).rows[0]
    ?.id ?? 0;

const eventsAfter = async (id: number) =>
  (
    await sql<{ type: string; by: string; kind: string; recorded: object }>`
      select type, created_by as by, created_by_kind as kind, coalesce(data, pre_data) as recorded
      from events where id > ${id} order by id`.execute(harness.db)
  ).rows;

test('redirects to the provider with PKCE, state and nonce, and hides them from the page', async () => {
  const response = await ask('/auth/oidc/login?redirect=/projects/default');
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

test('creates an account and a session at the first login, and redirects to the requested path', async () => {
  const before = await lastEvent();
  const ada = person();

  const first = await logIn(ada, '?redirect=/projects/default%3Ftab=1');
  const second = await logIn({ ...ada, email: 'another@example.org', email_verified: false });

  expect(first.headers).toMatchObject({ location: '/projects/default?tab=1', 'cache-control': 'no-store' });
  expect(cookiesOf(first)).toMatchObject({
    'halyard-login': '',
    'halyard-session': expect.stringMatching(/^hyw_/),
  });
  const caller = await callerOf(first);
  expect(caller.user).toMatchObject({ name: ada.name, username: null, email: ada.email });
  expect((await callerOf(second)).user).toEqual(caller.user);
  const created = { name: ada.name, username: null, email: ada.email, rootRole: 3 };
  expect(await eventsAfter(before)).toMatchObject([
    { type: 'user-created', by: 'system', kind: 'system', recorded: created },
  ]);
});

test('stores the login method of the session, and replaces the earlier session', async () => {
  const ada = person();
  const first = cookiesOf(await logIn(ada))['halyard-session'];
  const { url, cookie } = await begin();

  const second = await ask(pathOf(await provider.visit(url, ada)), `${cookie}; halyard-session=${first}`);

  const browser = browserWith(harness.app, `halyard-session=${cookiesOf(second)['halyard-session']}`);
  const { sessions } = (await browser.ask('GET', '/api/admin/user/sessions')).body;
  expect(sessions).toMatchObject([{ method: 'oidc', current: true }]);
  expect((await ask('/api/admin/user', `halyard-session=${first}`)).status).toBe(401);
});

test('finds an account by its verified email address, case-insensitive, and keeps its role', async () => {
  const { id } = await makeUserWith(harness.db, { email: 'Grace@Example.net', rootRole: 'Editor' });

  const response = await logIn(person({ email: 'grace@example.NET' }));

  const { user } = await callerOf(response);
  expect(user.id).toBe(id);
});

test('reads the claims from the ID token, with email_verified as a string', async () => {
  const other = await startIdentityProvider({ claimsInIdToken: true });
  await configure({
    discoverUrl: `${other.issuer}/.well-known/openid-configuration`,
    idTokenSigningAlgorithm: 'RS256',
  });
  const { url, cookie } = await begin();

  const response = await ask(pathOf(await other.visit(url, person({ email_verified: 'true' }))), cookie);
  await other.close();

  expect(response.status, JSON.stringify(response.body)).toBe(302);
});

test.each<[string, object, object, number, RegExp]>([
  ['an address that is not verified', { email_verified: false }, {}, 403, /did not verify/],
  ['an address without email_verified', { email_verified: undefined }, {}, 403, /did not verify/],
  ['no address', { email: undefined }, {}, 403, /did not verify/],
  ['an invalid address', { email: 'no address' }, {}, 403, /did not verify/],
  ['a domain that is not in the list', { email: 'eve@example.org' }, {}, 403, /domain/],
  ['a subdomain of a domain in the list', { email: 'eve@evil.example.com' }, {}, 403, /domain/],
  ['a domain that ends like one in the list', { email: 'eve@badexample.com' }, {}, 403, /domain/],
  ['a new user without autoCreate', {}, { autoCreate: false }, 403, /No account/],
])('rejects %s and writes nothing', async (_case, claims, settings, status, message) => {
  await configure(settings);
  const before = await lastEvent();
  const response = await logIn(person(claims));

  expect(response).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
  expect(cookiesOf(response)['halyard-session']).toBeUndefined();
  expect(await eventsAfter(before)).toEqual([]);
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
  const { user } = await callerOf(await logIn(ada));
  await change(harness.db, SYSTEM, current => removeUser(current, user.id));

  const rejected = await logIn(ada);
  const { id } = await makeUserWith(harness.db, { email: String(ada.email), rootRole: 'Viewer' });
  const back = await logIn(ada);

  expect(rejected).toMatchObject({ status: 403, body: { message: expect.stringContaining('deleted') } });
  expect((await callerOf(back)).user.id).toBe(id);
});

test('does not bring a deactivated user back, and does not create another account', async () => {
  const ada = person();
  const { user } = await callerOf(await logIn(ada));
  await change(harness.db, SYSTEM, current => deactivateUser(current, user.id));

  const known = await logIn(ada);
  const byAddress = await logIn(person({ email: ada.email }));
  await change(harness.db, SYSTEM, current => reactivateUser(current, user.id));
  const back = await logIn(ada);

  expect(known).toMatchObject({ status: 403, body: { message: expect.stringContaining('deactivated') } });
  expect(byAddress.status).toBe(403);
  expect((await callerOf(back)).user.id).toBe(user.id);
});

test.each<
  [string, (way: URL, begun: Begun) => Promise<[URL, string | undefined]> | [URL, string | undefined], RegExp]
>([
  [
    'a wrong state',
    (way, { cookie }) => [changed(way, 'state', 'x'.repeat(43)), cookie],
    /started in a different browser/,
  ],
  ['no state', (way, { cookie }) => [changed(way, 'state', null), cookie], /started in a different browser/],
  ['another browser', way => [way, undefined], /started in a different browser/],
  ['a forged cookie', way => [way, 'halyard-login=djEuMDAwMDAwMDAuQUFBQQ'], /started in a different browser/],
  [
    'the cookie of another attempt',
    async way => [way, (await begin()).cookie],
    /started in a different browser/,
  ],
  ['an unknown code', (way, { cookie }) => [changed(way, 'code', 'nope'), cookie], /invalid_grant/],
  ['no code', (way, { cookie }) => [changed(way, 'code', null), cookie], /not confirm/],
  [
    'a different issuer',
    (way, { cookie }) => [changed(way, 'iss', 'https://evil.example'), cookie],
    /not confirm/,
  ],
])('rejects %s', async (_case, spoil, message) => {
  const begun = await begin();
  const [way, cookie] = await spoil(await provider.visit(begun.url, person()), begun);

  const response = await ask(pathOf(way), cookie);

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringMatching(message) } });
  expect(cookiesOf(response)['halyard-session']).toBeUndefined();
});

function changed(url: URL, name: string, value: string | null): URL {
  const copy = new URL(url);
  if (value === null) copy.searchParams.delete(name);
  else copy.searchParams.set(name, value);
  return copy;
}

test('rejects the code of a different login', async () => {
  const [own, other] = [await begin(), await begin()];
  const stolen = await provider.visit(other.url, person());
  const way = changed(await provider.visit(own.url, person()), 'code', stolen.searchParams.get('code'));

  const response = await ask(pathOf(way), own.cookie);

  expect(response).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('invalid_grant') },
  });
});

test('rejects an ID token with a different nonce', async () => {
  const { url, cookie } = await begin();
  const way = await provider.visit(changed(new URL(url), 'nonce', 'of-another-login').href, person());

  const response = await ask(pathOf(way), cookie);

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringContaining('not confirm') } });
});

test('finishes an attempt once on all servers, and keeps it after a wrong state', async () => {
  const second = await harness.secondServer();
  const { url, cookie } = await begin();
  const way = await provider.visit(url, person());

  const wrong = await ask(pathOf(changed(way, 'state', 'x')), cookie);
  const first = await ask(pathOf(way), cookie);
  const again = await ask(pathOf(way), cookie, second);

  expect([wrong.status, first.status, again.status]).toEqual([401, 302, 401]);
  expect(again.body.message).toContain('already finished');
});

test('rejects an expired attempt', async () => {
  const state = 's'.repeat(43);
  const keyring = keyringOf(APP_SETTINGS.secretKey, []);
  const attempt = {
    state,
    nonce: 'n',
    verifier: 'v'.repeat(43),
    returnTo: '/',
    expiresAt: Date.now() - 1_000,
  };

  const response = await ask(
    `/auth/oidc/callback?code=c&state=${state}`,
    `halyard-login=${sealAttempt(keyring, attempt)}`,
  );

  expect(response).toMatchObject({ status: 401, body: { message: expect.stringContaining('10 minutes') } });
});

test('rejects a login that the user cancelled, with the error code of the provider', async () => {
  const { url, cookie } = await begin();

  const response = await ask(pathOf(await provider.visit(url, null)), cookie);

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
  const response = await ask(`/auth/oidc/login?redirect=${encodeURIComponent(redirect)}`);

  expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/query/redirect' }] } });
});

test.each([
  ['/.//evil.example', '/evil.example'],
  ['/a/..//evil.example', '/evil.example'],
  ['/a?next=//evil.example#x', '/a?next=//evil.example#x'],
])('redirect=%s redirects to %s of this server', async (redirect, location) => {
  const response = await logIn(person(), `?redirect=${encodeURIComponent(redirect)}`);

  expect(response.headers.location).toBe(location);
});

test('rejects the start and the callback of a login while single sign-on is disabled', async () => {
  const { url, cookie } = await begin();
  const way = await provider.visit(url, person());
  await configure({ enabled: false });

  expect((await ask('/auth/oidc/login')).status).toBe(404);
  expect((await ask(pathOf(way), cookie)).status).toBe(404);
});

test('returns 503 for a provider that is down, invalid, redirects or sends too much', async () => {
  const [large, moved, page] = await Promise.all([
    listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: 'x', filler: 'x'.repeat(1_100_000) }));
    }),
    listen((_request, response) => response.writeHead(302, { location: provider.issuer }).end()),
    listen((_request, response) => response.end('<html>')),
  ]);
  const gone = await listen(() => {});
  await stop(gone.server);

  for (const { url } of [gone, large, moved, page]) {
    await configure({ discoverUrl: url });
    const response = await ask('/auth/oidc/login');
    expect(response).toMatchObject({ status: 503, body: { name: 'ServiceUnavailableError' } });
    expect(response.headers['retry-after']).toBe('10');
  }

  for (const { server } of [large, moved, page]) await stop(server);
});

test('times out after five seconds without a response of the provider', async () => {
  const silent = await listen(() => {});
  await configure({ discoverUrl: silent.url });

  const responses = await Promise.all([1, 2, 3].map(() => ask('/auth/oidc/login')));
  await stop(silent.server);

  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
});

test('requests the discovery document once for concurrent logins', async () => {
  let asked = 0;
  const counting = await listen(async (_request, response) => {
    asked++;
    const real = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
    const described = { ...((await real.json()) as object), issuer: counting.url };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described));
  });
  await configure({ discoverUrl: counting.url });

  await Promise.all(Array.from({ length: 20 }, () => begin()));
  await stop(counting.server);

  expect(asked).toBe(1);
});

test('rejects an ID token that the provider did not sign', async () => {
  const other = await startIdentityProvider();
  const posing = await listen(async (request, response) => {
    const real = await fetch(`${provider.issuer}${request.url}`);
    const described = { ...((await real.json()) as object), jwks_uri: `${other.issuer}/jwks` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described));
  });
  await configure({ discoverUrl: `${posing.url}/.well-known/openid-configuration` });

  const response = await logIn(person());
  await stop(posing.server);
  await other.close();

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
  expect(cookiesOf(response)).not.toHaveProperty('halyard-session');
});

test('truncates a long name between characters', async () => {
  const response = await logIn(person({ name: `${'n'.repeat(254)}🚩` }));

  expect(response.status).toBe(302);
  expect(await callerOf(response)).toMatchObject({ user: { name: 'n'.repeat(254) } });
});

test('creates one account for two concurrent first logins', async () => {
  const ada = person();
  const ways: { way: URL; cookie: string }[] = [];
  for (const _ of [1, 2]) {
    const { url, cookie } = await begin();
    ways.push({ way: await provider.visit(url, ada), cookie });
  }
  let responses: Promise<ApiResponse[]> = Promise.resolve([]);
  await harness.db.transaction().execute(async tx => {
    // Nobody can be inserted while this lock is held, so both logins wait at this point.
    await sql`lock table users in share row exclusive mode`.execute(tx);
    responses = Promise.all(ways.map(({ way, cookie }) => ask(pathOf(way), cookie)));
    await expect.poll(() => waitingForLock(harness.db)).toBeGreaterThanOrEqual(2);
  });

  const [one, two] = await responses;

  expect([one?.status, two?.status]).toEqual([302, 302]);
  if (one && two) expect((await callerOf(one)).user.id).toBe((await callerOf(two)).user.id);
});

const createGroup = async (body: object): Promise<number> =>
  (await call(harness.app, 'POST', '/api/admin/groups', { body: { name: `Group ${++number}`, ...body } }))
    .body.id;

const groupsOf = async (userId: number): Promise<number[]> =>
  (
    await sql<{ id: number }>`
      select group_id as id from group_users where user_id = ${userId} order by 1`.execute(harness.db)
  ).rows.map(row => row.id);

test('syncs the memberships in mapped groups, and in no others', async () => {
  await configure({ enableGroupSyncing: true, addGroupsScope: true });
  const [developers, testers] = [
    await createGroup({ mappingsSSO: ['dev', 'ops'] }),
    await createGroup({ mappingsSSO: ['test'] }),
  ];
  const ada = person();
  const userId = (await callerOf(await logIn({ ...ada, groups: ['dev', 'unknown'] }))).user.id;
  const byHand = await createGroup({ mappingsSSO: ['hand'], users: [{ user: { id: userId } }] });
  const before = await lastEvent();

  const steps: number[][] = [await groupsOf(userId)];
  for (const groups of [['dev', 'hand'], ['test'], [], undefined]) {
    await logIn({ ...ada, groups });
    steps.push(await groupsOf(userId));
  }

  expect(steps).toEqual([[developers, byHand], [developers, byHand], [testers, byHand], [byHand], [byHand]]);
  expect(await eventsAfter(before)).toMatchObject([
    { type: 'group-user-added', by: 'system', recorded: { groupId: testers, userId } },
    { type: 'group-user-removed', recorded: { groupId: developers, userId } },
    { type: 'group-user-removed', recorded: { groupId: testers, userId } },
  ]);
});

test('finds groups by a path, and changes none while group syncing is disabled', async () => {
  const group = await createGroup({ mappingsSSO: ['lead'] });
  const ada = person({ roles: { halyard: ['lead'] } });
  await configure({ enableGroupSyncing: true, groupJsonPath: 'roles.halyard' });
  const userId = (await callerOf(await logIn(ada))).user.id;

  await configure();
  await logIn({ ...ada, roles: {} });

  expect(await groupsOf(userId)).toEqual([group]);
});

test('applies the permissions of a group immediately, and keeps the last admin', async () => {
  const { db } = harness;
  await sql`delete from user_roles where role_id = 1`.execute(db);
  await configure({ enableGroupSyncing: true, addGroupsScope: true });
  await createGroup({ mappingsSSO: ['admins'], rootRole: 1 });
  const ada = person();

  const asAdmin = await callerOf(await logIn({ ...ada, groups: ['admins'] }));
  const asNothing = await logIn({ ...ada, groups: [] });
  await makeUser(db, 'Admin');
  const later = await logIn({ ...ada, groups: [] });

  expect(asAdmin.permissions).toContainEqual({ permission: 'ADMIN' });
  expect(asNothing).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('No user with the role Admin would remain') },
  });
  expect((await callerOf(later)).permissions).not.toContainEqual({ permission: 'ADMIN' });
});

test('sends the configured acr_values', async () => {
  await configure({ acrValues: 'phr phrh' });

  const { url } = await begin();

  expect(new URL(url).searchParams.get('acr_values')).toBe('phr phrh');
});

test('rejects an acr that was not requested', async () => {
  await configure({ acrValues: 'phr' });

  const [other, right] = [await logIn(person({ acr: 'pwd' })), await logIn(person({ acr: 'phr' }))];

  expect(other).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('requested method') },
  });
  expect(right.status).toBe(302);
});

test('redirects a logout to the provider if enabled, and never to a different server', async () => {
  const home = await ask('/auth/oidc/logout');
  await configure({ enableSingleSignOut: true });
  const away = await ask('/auth/oidc/logout?post_logout_redirect_uri=https://evil.example');

  expect(home).toMatchObject({ status: 302, headers: { location: '/' } });
  const url = new URL(String(away.headers.location));
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    post_logout_redirect_uri: `${APP_SETTINGS.publicUrl}/`,
    client_id: CLIENT.clientId,
  });
});

test('sets both cookies with the __Host- prefix over https', async () => {
  const app = await harness.secondServer({ publicUrl: 'https://flags.example.com' });

  const response = await ask('/auth/oidc/login', undefined, app);

  expect(response.headers['set-cookie']).toMatch(/^__Host-halyard-login=.*; Secure$/);
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
