import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { type IdentityProvider, listen, startIdentityProvider, stop } from '../../test/identity-provider.ts';
import { call } from '../../test/request.ts';
import {
  beginLogin,
  configureSso,
  getPathAndQuery,
  person,
  readCookies,
  sendAsBrowser,
} from '../../test/single-sign-on.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { sweepExpiredLoginData } from '../sessions/end.ts';
import { UNCONFIRMED_LIMIT } from './limit-unconfirmed.ts';

const harness = useHarness();
let provider: IdentityProvider;
let proxy: Awaited<ReturnType<typeof listen>>;
let servers: [App, App];

type TokenResponse = { status: number; body: string };
/** The provider's token endpoint, unless a test replaces it. */
let respondWithTokens: (request: IncomingMessage, body: string) => Promise<TokenResponse>;
let tokenRequestCount = 0;

const sendRealTokens = async (request: IncomingMessage, body: string): Promise<TokenResponse> => {
  const { authorization = '', 'content-type': type = '' } = request.headers;
  const response = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
  });
  return { status: response.status, body: await response.text() };
};

beforeAll(async () => {
  provider = await startIdentityProvider();
  // The proxy serves the discovery document of the provider, but names its own token endpoint, which the tests control.
  proxy = await listen(async (request, response) => {
    const json = { 'content-type': 'application/json' };
    if (request.url === '/token') {
      tokenRequestCount++;
      const tokens = await respondWithTokens(request, await text(request));
      response.writeHead(tokens.status, json).end(tokens.body);
      return;
    }
    const realResponse = await fetch(`${provider.issuer}${request.url}`);
    const document = { ...((await realResponse.json()) as object), token_endpoint: `${proxy.url}/token` };
    response.writeHead(200, json).end(JSON.stringify(document));
  });
  servers = [harness.app, await harness.secondServer()];
  await configureSso(harness.app, `${proxy.url}/.well-known/openid-configuration`);
});
afterAll(async () => {
  await stop(proxy.server);
  await provider.close();
});
beforeEach(async () => {
  respondWithTokens = sendRealTokens;
  tokenRequestCount = 0;
  await sql`truncate login_failures, sso_finished_logins`.execute(harness.db);
});

const ATTACKER = '192.0.2.1';

/** Returns a function that sends the forged callback of a started login, any number of times. */
async function forgeCallback(): Promise<(ip?: string, app?: App) => ReturnType<typeof sendAsBrowser>> {
  const { url, cookie } = await beginLogin(harness.app);
  const query = new URLSearchParams({
    code: 'made-up',
    state: new URL(url).searchParams.get('state') ?? '',
    iss: provider.issuer,
  });
  return (ip = ATTACKER, app = harness.app) =>
    sendAsBrowser(app, `/auth/oidc/callback?${query}`, cookie, { ip });
}

async function logIn(ip: string) {
  const { url, cookie } = await beginLogin(harness.app);
  return await sendAsBrowser(harness.app, getPathAndQuery(await provider.visit(url, person())), cookie, {
    ip,
  });
}

const readCounters = async (): Promise<number[]> =>
  (await sql<{ failures: number }>`select failures from login_failures`.execute(harness.db)).rows.map(
    row => row.failures,
  );

const setCounter = async (failures: number) => {
  const sendCallback = await forgeCallback();
  await sendCallback();
  await sql`update login_failures set failures = ${failures}`.execute(harness.db);
};

const countFinishedLogins = async (): Promise<number> =>
  (await sql`select from sso_finished_logins`.execute(harness.db)).rows.length;

const readBlockedEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:login-blocked')).body.events;

test('five forged callbacks store only one counter, and no finished login', async () => {
  for (let round = 0; round < 5; round++) {
    const sendCallback = await forgeCallback();
    expect((await sendCallback()).status).toBe(401);
  }

  expect(await countFinishedLogins()).toBe(0);
  expect(await readCounters()).toEqual([5]);
  expect((await logIn(ATTACKER)).status).toBe(302);
  expect(await countFinishedLogins()).toBe(1);
});

test('blocks a network on all servers after too many unconfirmed logins, but no other network', async () => {
  const sendCallback = await forgeCallback();
  const statuses = [];
  for (let round = 0; round < UNCONFIRMED_LIMIT.failures + 3; round++) {
    statuses.push((await sendCallback(ATTACKER, servers[round % 2])).status);
  }

  expect(statuses).toEqual([...Array(UNCONFIRMED_LIMIT.failures).fill(401), 429, 429, 429]);
  expect(tokenRequestCount).toBe(UNCONFIRMED_LIMIT.failures);
  // A blocked login is not counted, because it costs only one read.
  expect(await readCounters()).toEqual([UNCONFIRMED_LIMIT.failures]);
  const rejection = await logIn(ATTACKER);
  expect(rejection).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(readCookies(rejection)['halyard-session']).toBeUndefined();
  const retryAfter = Number(rejection.headers['retry-after']);
  expect(retryAfter).toBeGreaterThan(800);
  expect(retryAfter).toBeLessThanOrEqual(UNCONFIRMED_LIMIT.minutes * 60);
  expect((await logIn('192.0.2.2')).status).toBe(302);
  expect(await readBlockedEvents()).toMatchObject([
    {
      createdBy: 'system',
      data: { countedBy: 'address', method: 'oidc', failures: 100, minutes: 15, address: ATTACKER },
    },
  ]);
  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });
  expect(body).toMatch(/halyard_sso_logins_total\{result="blocked"\} [1-9]/);
});

test('lifts the limit when its time window ends, and then counts from zero', async () => {
  await setCounter(UNCONFIRMED_LIMIT.failures);
  expect((await logIn(ATTACKER)).status).toBe(429);

  await sql`update login_failures set ends_at = now()`.execute(harness.db);

  expect((await logIn(ATTACKER)).status).toBe(302);
  expect(await readCounters()).toEqual([0]);
});

test('counts failed passwords and unconfirmed logins of a network separately', async () => {
  await setCounter(UNCONFIRMED_LIMIT.failures);

  const passwordLogin = await call(harness.app, 'POST', '/auth/simple/login', {
    token: null,
    body: { username: 'nobody', password: 'wrong' },
    ip: ATTACKER,
  });

  expect(passwordLogin.status).toBe(401);
});

test('does not count successful logins, users without an account or provider failures', async () => {
  await logIn(ATTACKER);
  await configureSso(harness.app, `${proxy.url}/.well-known/openid-configuration`, { autoCreate: false });
  const rejection = await logIn(ATTACKER);
  await configureSso(harness.app, `${proxy.url}/.well-known/openid-configuration`);
  respondWithTokens = async () => ({ status: 500, body: '{"error":"server_error"}' });
  const failure = await logIn(ATTACKER);

  expect([rejection.status, failure.status]).toEqual([403, 503]);
  expect(await readCounters()).toEqual([0]);
});

test('sends no more concurrent logins to the provider than the limit allows', async () => {
  await setCounter(UNCONFIRMED_LIMIT.failures - 2);
  const sendCallback = await forgeCallback();
  tokenRequestCount = 0;
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from login_failures for update`.execute(blocker);

  const responses = [0, 1, 2, 3, 4].map(number => sendCallback(ATTACKER, servers[number % 2]));
  await waitForLockWaiters(harness.db, 5);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([401, 401, 429, 429, 429]);
  expect(tokenRequestCount).toBe(2);
});

test('accepts a repeated callback after a provider failure', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const callbackPath = getPathAndQuery(await provider.visit(url, person()));
  respondWithTokens = async () => ({ status: 503, body: '' });
  const first = await sendAsBrowser(harness.app, callbackPath, cookie);
  respondWithTokens = sendRealTokens;

  const second = await sendAsBrowser(harness.app, callbackPath, cookie);

  expect([first.status, second.status]).toEqual([503, 302]);
});

test('logs in once if a callback arrives twice at the same time, even if the provider confirms both', async () => {
  let tokenResponse: Promise<TokenResponse> | undefined;
  respondWithTokens = (request, body) => {
    tokenResponse ??= sendRealTokens(request, body);
    return tokenResponse;
  };
  const { url, cookie } = await beginLogin(harness.app);
  const callbackPath = getPathAndQuery(await provider.visit(url, person()));
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table users in share row exclusive mode`.execute(blocker);

  const responses = servers.map(app => sendAsBrowser(app, callbackPath, cookie));
  // One login has locked the attempt and waits for the users table, and the other waits for the attempt.
  await waitForLockWaiters(harness.db, 2);
  await blocker.rollback().execute();

  const [first, second] = (await Promise.all(responses)).toSorted((a, b) => a.status - b.status);
  expect([first?.status, second?.status]).toEqual([302, 401]);
  expect(second?.body.message).toContain('already finished');
  expect(await countFinishedLogins()).toBe(1);
});

test('deletes only expired counters, attempts and hashes of revoked tokens', async () => {
  const { db } = harness;
  await sql`delete from sessions`.execute(db);
  await logIn(ATTACKER);
  await (await forgeCallback())();
  const countRows = async () => {
    const { rows: counts } = await sql<Record<string, number>>`
      select (select count(*) from sso_finished_logins) as finished, (select count(*) from login_failures) as counters,
        (select count(*) from sso_identities) as identities, (select count(*) from revoked_tokens) as revoked,
        (select count(*) from sessions) as sessions`.execute(db);
    return counts[0];
  };
  const countsBefore = await countRows();
  await sql`
    insert into sso_finished_logins (hash, expires_at) values
      ('old', now() - interval '1 second'), ('older', now() - interval '1 day')`.execute(db);
  await sql`
    insert into login_failures (scope, key, failures, ends_at)
    values ('address', 'old', 100, now() - interval '1 second')`.execute(db);
  await sql`
    insert into revoked_tokens (hash, token_id, revoked_at) values
      ('old', 1, now() - interval '366 days'), ('new', 2, now() - interval '364 days')`.execute(db);

  expect(await sweepExpiredLoginData(db)).toBe(4);

  expect(await countRows()).toEqual({ ...countsBefore, revoked: Number(countsBefore?.revoked) + 1 });
  expect(countsBefore).toMatchObject({ finished: 1, counters: 1, sessions: 1 });
  expect(await sweepExpiredLoginData(db)).toBe(0);
});
