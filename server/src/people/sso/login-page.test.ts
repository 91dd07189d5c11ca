import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import { makePerson } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Account, type IdentityProvider, startIdentityProvider } from '../../test/identity-provider.ts';
import { logIn as logInWithPassword } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { beginLogin, configureSso, pathOf, person } from '../../test/single-sign-on.ts';
import { FAILURES, failureOf } from './failures.ts';
import { UNCONFIRMED } from './limit-unconfirmed.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CLOSED = 'http://127.0.0.1:9';

const harness = useHarness();
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(() => configure());

const configure = (fields: object = {}) => configureSso(harness.app, provider.issuer, fields);

const open = (url: string, cookie = '', accept = BROWSER): Promise<ApiResponse> =>
  call(harness.app, 'GET', url, { token: null, headers: { accept, cookie } });

/** A complete login at the provider in a browser. Without an account, the user cancels. */
async function logIn(account: Account | null): Promise<ApiResponse> {
  const { url, cookie } = await beginLogin(harness.app, '?redirect=/flags?query=a');
  return await open(pathOf(await provider.visit(url, account)), cookie);
}

const failedWith = (response: ApiResponse) => {
  expect(response.status).toBe(302);
  expect(response.headers.vary).toBe('accept');
  const url = new URL(String(response.headers.location), 'http://halyard');
  expect(url.origin + url.pathname).toBe('http://halyard/login');
  return Object.fromEntries(url.searchParams);
};

test("redirects a browser that opens a different browser's callback to the login page", async () => {
  const response = await open('/auth/oidc/callback?code=a&state=b');

  expect(failedWith(response)).toEqual({ failed: 'expired' });
});

test.each(['application/json', '*/*', ''])(
  'a client that accepts %j gets the error as JSON',
  async accept => {
    const response = await open('/auth/oidc/callback?code=a&state=b', '', accept);

    expect(response).toMatchObject({ status: 401, body: { name: 'AuthenticationRequired' } });
    expect(response.headers.vary).toBe('accept');
  },
);

test('keeps the path to return to', async () => {
  const cancelled = await logIn(null);
  await configure({ enabled: false });
  const disabled = await open('/auth/oidc/login?redirect=/projects/payments');

  expect(failedWith(cancelled)).toEqual({ failed: 'cancelled', to: '/flags?query=a' });
  expect(failedWith(disabled)).toEqual({ failed: 'disabled', to: '/projects/payments' });
});

test('drops a path on a different server', async () => {
  const response = await open(`/auth/oidc/login?redirect=${encodeURIComponent('//evil.example')}`);

  expect(failedWith(response)).toEqual({ failed: 'address' });
});

test.each<[string, object, () => Account]>([
  ['no-account', { autoCreate: false }, () => person()],
  ['domain', {}, () => person({ email: 'ada@example.org' })],
  ['unverified', {}, () => person({ email_verified: false })],
  ['method', { acrValues: 'phr' }, () => person({ acr: 'pwd' })],
])('says that a login failed with %s', async (failed, fields, account) => {
  await configure(fields);

  expect(failedWith(await logIn(account()))).toMatchObject({ failed });
});

test('says that an account was deactivated or deleted, or belongs to a different user of the provider', async () => {
  const account = person();
  await logIn(account);
  const taken = await logIn({ ...person(), email: account.email });
  const { rows } = await sql<{ id: number }>`
    select id from users where email = ${account.email}`.execute(harness.db);
  await call(harness.app, 'POST', `/api/admin/user-admin/${rows[0]?.id}/deactivate`);
  const deactivated = await logIn(account);
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${rows[0]?.id}`);
  const deleted = await logIn(account);

  expect(failedWith(taken)).toMatchObject({ failed: 'taken' });
  expect(failedWith(deactivated)).toMatchObject({ failed: 'deactivated' });
  expect(failedWith(deleted)).toMatchObject({ failed: 'deleted' });
});

test('says that the provider did not confirm a login, and after too many of them how long to wait', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const way = await provider.visit(url, person());
  way.searchParams.set('code', 'made-up');

  const unconfirmed = await open(pathOf(way), cookie);
  await sql`update login_failures set failures = ${UNCONFIRMED.failures}`.execute(harness.db);
  const throttled = await open(pathOf(way), cookie);
  await sql`truncate login_failures`.execute(harness.db);

  expect(failedWith(unconfirmed)).toEqual({ failed: 'unconfirmed' });
  expect(failedWith(throttled)).toEqual({
    failed: 'throttled',
    seconds: expect.stringMatching(/^[1-9]\d{1,2}$/),
  });
});

test('says that the provider is unavailable, at the login and at the logout', async () => {
  await configure({ discoverUrl: CLOSED, enableSingleSignOut: true });

  expect(failedWith(await open('/auth/oidc/login'))).toEqual({ failed: 'provider' });
  expect(failedWith(await open('/auth/oidc/logout'))).toEqual({ failed: 'logout' });
});

test('names the id of an unexpected error', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const way = await provider.visit(url, person());
  await sql`alter table sessions rename to sessions_away`.execute(harness.db);

  const response = await open(pathOf(way), cookie);
  await sql`alter table sessions_away rename to sessions`.execute(harness.db);

  expect(failedWith(response)).toEqual({ failed: 'error', id: expect.stringMatching(/^[\da-f-]{36}$/) });
});

test('a database failure at the start of a login is not a provider failure', async () => {
  await sql`alter table auth_settings rename to auth_settings_away`.execute(harness.db);

  const response = await open('/auth/oidc/login');
  await sql`alter table auth_settings_away rename to auth_settings`.execute(harness.db);

  expect(failedWith(response)).toEqual({ failed: 'error', id: expect.stringMatching(/^[\da-f-]{36}$/) });
});

test('the last admin and an unreachable database have separate messages', async () => {
  expect(failureOf(new ApiError('InvalidOperationError', 'No admin would remain.'))).toBe('rejected');
  expect(failureOf(new ApiError('ServiceUnavailableError', 'The database is unreachable.'))).toBe(
    'unavailable',
  );
});

test('a failed login leaves the session of the browser as it was', async () => {
  const { username } = await makePerson(harness.db);
  const browser = await logInWithPassword(harness.app, username);

  const response = await open('/auth/oidc/callback?code=a&state=b', browser.cookie);

  expect(response.headers['set-cookie']).toBeUndefined();
  expect((await browser.ask('GET', '/api/admin/user')).status).toBe(200);
});

test('the page lists every value of failed', () => {
  const page = readFileSync(new URL('../../../../docs/reference/single-sign-on.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Failures in the browser\n');

  expect([...section.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name)).toEqual([...FAILURES]);
});
