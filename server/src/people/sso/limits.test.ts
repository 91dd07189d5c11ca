import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { useHarness } from '../../test/harness.ts';
import { type IdentityProvider, listen, startIdentityProvider, stop } from '../../test/identity-provider.ts';
import { call } from '../../test/request.ts';
import { ask, beginLogin, configureSso, cookiesOf, pathOf, person } from '../../test/single-sign-on.ts';
import { untilWaiting } from '../../test/waiting.ts';
import { sweepLogins } from '../sessions/end.ts';
import { UNCONFIRMED } from './limit-unconfirmed.ts';

const harness = useHarness();
let provider: IdentityProvider;
let front: Awaited<ReturnType<typeof listen>>;
let servers: [App, App];

type TokenResponse = { status: number; body: string };
/** The token endpoint of the provider, unless a test replaces it. */
let respondWithTokens: (request: IncomingMessage, body: string) => Promise<TokenResponse>;
let asked = 0;

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
  // The discovery document of the provider, with the token endpoint of this test.
  front = await listen(async (request, response) => {
    const json = { 'content-type': 'application/json' };
    if (request.url === '/token') {
      asked++;
      const tokens = await respondWithTokens(request, await text(request));
      response.writeHead(tokens.status, json).end(tokens.body);
      return;
    }
    const real = await fetch(`${provider.issuer}${request.url}`);
    const described = { ...((await real.json()) as object), token_endpoint: `${front.url}/token` };
    response.writeHead(200, json).end(JSON.stringify(described));
  });
  servers = [harness.app, await harness.secondServer()];
  await configureSso(harness.app, `${front.url}/.well-known/openid-configuration`);
});
afterAll(async () => {
  await stop(front.server);
  await provider.close();
});
beforeEach(async () => {
  respondWithTokens = sendRealTokens;
  asked = 0;
  await sql`truncate login_failures, sso_finished_logins`.execute(harness.db);
});

const ATTACKER = '192.0.2.1';

/** A function that sends a forged callback of a started login, any number of times. */
async function madeUp(): Promise<(ip?: string, app?: App) => ReturnType<typeof ask>> {
  const { url, cookie } = await beginLogin(harness.app);
  const query = new URLSearchParams({
    code: 'made-up',
    state: new URL(url).searchParams.get('state') ?? '',
    iss: provider.issuer,
  });
  return (ip = ATTACKER, app = harness.app) => ask(app, `/auth/oidc/callback?${query}`, cookie, { ip });
}

async function logIn(ip: string) {
  const { url, cookie } = await beginLogin(harness.app);
  return await ask(harness.app, pathOf(await provider.visit(url, person())), cookie, { ip });
}

const counted = async (): Promise<number[]> =>
  (await sql<{ failures: number }>`select failures from login_failures`.execute(harness.db)).rows.map(
    row => row.failures,
  );

const countUpTo = async (failures: number) => {
  const sendCallback = await madeUp();
  await sendCallback();
  await sql`update login_failures set failures = ${failures}`.execute(harness.db);
};

const finished = async (): Promise<number> =>
  (await sql`select from sso_finished_logins`.execute(harness.db)).rows.length;

const blockedEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:login-blocked')).body.events;

test('stores one counter for started logins and forged callbacks', async () => {
  for (let round = 0; round < 5; round++) {
    const sendCallback = await madeUp();
    expect((await sendCallback()).status).toBe(401);
  }

  expect(await finished()).toBe(0);
  expect(await counted()).toEqual([5]);
  expect((await logIn(ATTACKER)).status).toBe(302);
  expect(await finished()).toBe(1);
});

test('blocks a network on all servers after too many unconfirmed logins, and no other network', async () => {
  const sendCallback = await madeUp();
  const statuses = [];
  for (let round = 0; round < UNCONFIRMED.failures + 3; round++) {
    statuses.push((await sendCallback(ATTACKER, servers[round % 2])).status);
  }

  expect(statuses).toEqual([...Array(UNCONFIRMED.failures).fill(401), 429, 429, 429]);
  expect(asked).toBe(UNCONFIRMED.failures);
  // A blocked login is not counted: it costs one read.
  expect(await counted()).toEqual([UNCONFIRMED.failures]);
  const rejected = await logIn(ATTACKER);
  expect(rejected).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(cookiesOf(rejected)['halyard-session']).toBeUndefined();
  const retryAfter = Number(rejected.headers['retry-after']);
  expect(retryAfter).toBeGreaterThan(800);
  expect(retryAfter).toBeLessThanOrEqual(UNCONFIRMED.minutes * 60);
  expect((await logIn('192.0.2.2')).status).toBe(302);
  expect(await blockedEvents()).toMatchObject([
    {
      createdBy: 'system',
      data: { countedBy: 'address', method: 'oidc', failures: 100, minutes: 15, address: ATTACKER },
    },
  ]);
  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });
  expect(body).toMatch(/halyard_sso_logins_total\{result="blocked"\} [1-9]/);
});

test('ends the limit after its time, and counts from zero', async () => {
  await countUpTo(UNCONFIRMED.failures);
  expect((await logIn(ATTACKER)).status).toBe(429);

  await sql`update login_failures set ends_at = now()`.execute(harness.db);

  expect((await logIn(ATTACKER)).status).toBe(302);
  expect(await counted()).toEqual([0]);
});

test('counts failed passwords and unconfirmed logins of a network separately', async () => {
  await countUpTo(UNCONFIRMED.failures);

  const password = await call(harness.app, 'POST', '/auth/simple/login', {
    token: null,
    body: { username: 'nobody', password: 'wrong' },
    ip: ATTACKER,
  });

  expect(password.status).toBe(401);
});

test('does not count successful logins, users without an account and failures of the provider', async () => {
  await logIn(ATTACKER);
  await configureSso(harness.app, `${front.url}/.well-known/openid-configuration`, { autoCreate: false });
  const rejected = await logIn(ATTACKER);
  await configureSso(harness.app, `${front.url}/.well-known/openid-configuration`);
  respondWithTokens = async () => ({ status: 500, body: '{"error":"server_error"}' });
  const failed = await logIn(ATTACKER);

  expect([rejected.status, failed.status]).toEqual([403, 503]);
  expect(await counted()).toEqual([0]);
});

test('sends no more concurrent logins to the provider than the limit', async () => {
  await countUpTo(UNCONFIRMED.failures - 2);
  const sendCallback = await madeUp();
  asked = 0;
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from login_failures for update`.execute(blocker);

  const responses = [0, 1, 2, 3, 4].map(number => sendCallback(ATTACKER, servers[number % 2]));
  await untilWaiting(harness.db, 5);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([401, 401, 429, 429, 429]);
  expect(asked).toBe(2);
});

test('accepts a repeated callback after a failure of the provider', async () => {
  const { url, cookie } = await beginLogin(harness.app);
  const way = pathOf(await provider.visit(url, person()));
  respondWithTokens = async () => ({ status: 503, body: '' });
  const first = await ask(harness.app, way, cookie);
  respondWithTokens = sendRealTokens;

  const second = await ask(harness.app, way, cookie);

  expect([first.status, second.status]).toEqual([503, 302]);
});

test('logs in once when a callback arrives twice at the same time, even if the provider confirms both', async () => {
  let given: Promise<TokenResponse> | undefined;
  respondWithTokens = (request, body) => {
    given ??= sendRealTokens(request, body);
    return given;
  };
  const { url, cookie } = await beginLogin(harness.app);
  const way = pathOf(await provider.visit(url, person()));
  const blocker = await harness.db.startTransaction().execute();
  await sql`lock table users in share row exclusive mode`.execute(blocker);

  const responses = servers.map(app => ask(app, way, cookie));
  // One holds the attempt, the other waits for it.
  await untilWaiting(harness.db, 2);
  await blocker.rollback().execute();

  const [one, two] = (await Promise.all(responses)).toSorted((a, b) => a.status - b.status);
  expect([one?.status, two?.status]).toEqual([302, 401]);
  expect(two?.body.message).toContain('already finished');
  expect(await finished()).toBe(1);
});

test('deletes exactly the expired counters and attempts', async () => {
  const { db } = harness;
  await sql`delete from sessions`.execute(db);
  await logIn(ATTACKER);
  await (await madeUp())();
  const rows = async () => {
    const { rows: found } = await sql<Record<string, number>>`
      select (select count(*) from sso_finished_logins) as finished, (select count(*) from login_failures) as counters,
        (select count(*) from sso_identities) as identities, (select count(*) from revoked_tokens) as revoked,
        (select count(*) from sessions) as sessions`.execute(db);
    return found[0];
  };
  const alive = await rows();
  await sql`
    insert into sso_finished_logins (hash, expires_at) values
      ('old', now() - interval '1 second'), ('older', now() - interval '1 day')`.execute(db);
  await sql`
    insert into login_failures (scope, key, failures, ends_at)
    values ('address', 'old', 100, now() - interval '1 second')`.execute(db);
  await sql`
    insert into revoked_tokens (hash, token_id, revoked_at) values
      ('old', 1, now() - interval '366 days'), ('new', 2, now() - interval '364 days')`.execute(db);

  expect(await sweepLogins(db)).toBe(4);

  expect(await rows()).toEqual({ ...alive, revoked: Number(alive?.revoked) + 1 });
  expect(alive).toMatchObject({ finished: 1, counters: 1, sessions: 1 });
  expect(await sweepLogins(db)).toBe(0);
});
