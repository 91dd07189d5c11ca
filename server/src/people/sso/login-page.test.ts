import { readFileSync } from 'node:fs';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makePerson } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Account, type IdentityProvider, startIdentityProvider } from '../../test/identity-provider.ts';
import { logIn as logInWithPassword } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { beginLogin, configureSso, getPathAndQuery, person } from '../../test/single-sign-on.ts';
import { FAILURES, toSsoFailure } from './failures.ts';
import { UNCONFIRMED_LIMIT } from './limit-unconfirmed.ts';

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CLOSED_URL = 'http://127.0.0.1:9';

const harness = useHarness();
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(() => configure());

const configure = (fields: object = {}) => configureSso(harness.app, provider.issuer, fields);

const openPage = (url: string, cookie = '', accept = BROWSER_ACCEPT): Promise<ApiResponse> =>
  call(harness.app, 'GET', url, { token: null, headers: { accept, cookie } });

/** Completes a login at the provider in a browser. Without an account, the user cancels. */
async function logIn(account: Account | null): Promise<ApiResponse> {
  const { url, cookie } = await beginLogin(harness.app, '?redirect=/flags?query=a');
  return await openPage(getPathAndQuery(await provider.visit(url, account)), cookie);
}

const getFailureParameters = (response: ApiResponse) => {
  expect(response.status).toBe(302);
  expect(response.headers.vary).toBe('accept');
  const url = new URL(String(response.headers.location), 'http://halyard');
  expect(url.origin + url.pathname).toBe('http://halyard/login');
  return Object.fromEntries(url.searchParams);
};

test("redirects a browser that opens a different browser's callback to the login page", async () => {
  const response = await openPage('/auth/oidc/callback?code=a&state=b');

  expect(getFailureParameters(response)).toEqual({ failed: 'expired' });
});

test.each(['application/json', '*/*', ''])(
  'a client that accepts %j gets the error as JSON',
  async accept => {
    const response = await openPage('/auth/oidc/callback?code=a&state=b', '', accept);

    expect(response).toMatchObject({ status: 401, body: { name: 'AuthenticationRequired' } });
    expect(response.headers.vary).toBe('accept');
  },
);

test('a failed login keeps the path to open after the next login', async () => {
  const cancelledLogin = await logIn(null);
  await configure({ enabled: false });
  const disabledLogin = await openPage('/auth/oidc/login?redirect=/projects/payments');

  expect(getFailureParameters(cancelledLogin)).toEqual({ failed: 'cancelled', to: '/flags?query=a' });
  expect(getFailureParameters(disabledLogin)).toEqual({ failed: 'disabled', to: '/projects/payments' });
});

test('does not keep a path on a different server', async () => {
  const response = await openPage(`/auth/oidc/login?redirect=${encodeURIComponent('//evil.example')}`);

  expect(getFailureParameters(response)).toEqual({ failed: 'address' });
});

test.each<[string, object, () => Account]>([
  ['no-account', { autoCreate: false }, () => person()],
  ['domain', {}, () => person({ email: 'ada@example.org' })],
  ['unverified', {}, () => person({ email_verified: false })],
  ['method', { acrValues: 'phr' }, () => person({ acr: 'pwd' })],
])('reports the failure %s', async (failed, fields, account) => {
  await configure(fields);

  expect(getFailureParameters(await logIn(account()))).toMatchObject({ failed });
});

test('reports that an account was deactivated or deleted, or belongs to a different user of the provider', async () => {
  const account = person();
  await logIn(account);
  const takenLogin = await logIn({ ...person(), email: account.email });
  const { rows } = await sql<{ id: number }>`
    select id from users where email = ${account.email}`.execute(harness.db);
  await call(harness.app, 'POST', `/api/admin/user-admin/${rows[0]?.id}/deactivate`);
  const deactivatedLogin = await logIn(account);
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${rows[0]?.id}`);
  const deletedLogin = await logIn(account);

  expect(getFailureParameters(takenLogin)).toMatchObject({ failed: 'taken' });
  expect(getFailureParameters(deactivatedLogin)).toMatchObject({ failed: 'deactivated' });
  expect(getFailureParameters(deletedLogin)).toMatchObject({ failed: 'deleted' });
});

test('reports that the provider did not confirm a login and, after too many failures, how long to wait', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const callbackUrl = await provider.visit(url, person());
  callbackUrl.searchParams.set('code', 'made-up');

  const unconfirmedLogin = await openPage(getPathAndQuery(callbackUrl), cookie);
  await sql`update login_failures set failures = ${UNCONFIRMED_LIMIT.failures}`.execute(harness.db);
  const throttledLogin = await openPage(getPathAndQuery(callbackUrl), cookie);
  await sql`truncate login_failures`.execute(harness.db);

  expect(getFailureParameters(unconfirmedLogin)).toEqual({ failed: 'unconfirmed' });
  expect(getFailureParameters(throttledLogin)).toEqual({
    failed: 'throttled',
    seconds: expect.stringMatching(/^[1-9]\d{1,2}$/),
  });
});

test('reports at login and at logout that the provider is unavailable', async () => {
  await configure({ discoverUrl: CLOSED_URL, enableSingleSignOut: true });

  expect(getFailureParameters(await openPage('/auth/oidc/login'))).toEqual({ failed: 'provider' });
  expect(getFailureParameters(await openPage('/auth/oidc/logout'))).toEqual({ failed: 'logout' });
});

test('shows the id of an unexpected error', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const callbackUrl = await provider.visit(url, person());
  await sql`alter table sessions rename to sessions_away`.execute(harness.db);

  const response = await openPage(getPathAndQuery(callbackUrl), cookie);
  await sql`alter table sessions_away rename to sessions`.execute(harness.db);

  expect(getFailureParameters(response)).toEqual({
    failed: 'error',
    id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

test('a database failure at the start of a login is not a provider failure', async () => {
  await sql`alter table auth_settings rename to auth_settings_away`.execute(harness.db);

  const response = await openPage('/auth/oidc/login');
  await sql`alter table auth_settings_away rename to auth_settings`.execute(harness.db);

  expect(getFailureParameters(response)).toEqual({
    failed: 'error',
    id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

test('distinguishes a login that would remove the last admin from an unreachable database', async () => {
  expect(toSsoFailure(new ApiError('InvalidOperationError', 'No admin would remain.'))).toBe('rejected');
  expect(toSsoFailure(new ApiError('ServiceUnavailableError', 'The database is unreachable.'))).toBe(
    'unavailable',
  );
});

test("a failed login does not affect the browser's session", async () => {
  const { username } = await makePerson(harness.db);
  const browser = await logInWithPassword(harness.app, username);

  const response = await openPage('/auth/oidc/callback?code=a&state=b', browser.cookie);

  expect(response.headers['set-cookie']).toBeUndefined();
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(200);
});

test('the documentation lists every login failure', () => {
  const page = readFileSync(new URL('../../../../docs/reference/single-sign-on.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Failures in the browser\n');

  expect([...section.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name)).toEqual([...FAILURES]);
});
