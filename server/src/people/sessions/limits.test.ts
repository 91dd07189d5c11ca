import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { countHashes } from '../../platform/secrets/password-hash.ts';
import { makePerson, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';
import { LOGIN_LIMITS, MIN_BLOCKED_RESPONSE_MS } from './limits.ts';

const harness = useHarness();
let servers: [App, App];

beforeAll(async () => {
  servers = [harness.app, await harness.secondServer()];
});

beforeEach(async () => {
  await sql`truncate login_failures, login_places`.execute(harness.db);
});

const failLogin = (username: string, ip: string, app = harness.app) =>
  tryLogin(app, username, 'wrong password', { ip });
const tryCorrectLogin = (username: string, ip: string, app = harness.app) =>
  tryLogin(app, username, PASSWORD, { ip });

const readBlockedEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:login-blocked&limit=1000')).body.events;

test('blocks an account at one IP address after five failures, but not at other IP addresses', async () => {
  const { id, username } = await makePerson(harness.db);
  const statuses = [];
  for (let round = 0; round < 6; round++) {
    statuses.push((await failLogin(username, '192.0.2.1', servers[round % 2])).status);
  }

  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await tryCorrectLogin(username, '192.0.2.1')).status).toBe(429);
  expect((await tryCorrectLogin(username, '192.0.2.2')).status).toBe(200);
  const [event] = await readBlockedEvents();
  expect(event.data).toEqual({
    countedBy: 'place',
    failures: 5,
    minutes: 15,
    address: '192.0.2.1',
    userId: id,
    username,
  });
});

test('blocks an unknown username after five failures too, without storing it', async () => {
  const typedName = 'a password typed in the wrong field';
  for (let round = 0; round < 5; round++) await failLogin(typedName, '192.0.2.3');

  expect((await failLogin(typedName, '192.0.2.3')).status).toBe(429);
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(login_failures)::text as text from login_failures
    union all select data::text from events where data is not null`.execute(harness.db);
  expect(rows.filter(({ text }) => text.includes(typedName))).toEqual([]);
});

test('counts an account case-insensitively and an IPv6 network as one IP address', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 1; round <= 5; round++) {
    await failLogin(round % 2 ? username : username.toUpperCase(), `2001:db8:1:2::${round}`);
  }

  expect((await tryCorrectLogin(username, '2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await tryCorrectLogin(username, '2001:db8:1:3::1')).status).toBe(200);
});

test('resets the failures of an account at an IP address after a correct password', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 4; round++) await failLogin(username, '192.0.2.4');
  await logIn(harness.app, username, '192.0.2.4');

  const statuses = [];
  for (let round = 0; round < 5; round++) statuses.push((await failLogin(username, '192.0.2.4')).status);

  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  const { rows } = await sql`select scope, failures from login_failures order by scope`.execute(harness.db);
  // The four failures before the correct password no longer count in any scope.
  expect(rows).toEqual([
    { scope: 'account', failures: 5 },
    { scope: 'address', failures: 5 },
    { scope: 'place', failures: 5 },
  ]);
});

test('does not block a user at a known IP address because of failed logins to other accounts', async () => {
  const { username } = await makePerson(harness.db);
  const ip = '192.0.2.5';
  await logIn(harness.app, username, ip);
  for (let number = 0; number < LOGIN_LIMITS.address.failures; number++)
    await failLogin(`someone-${number}`, ip);

  expect((await failLogin('someone-new', ip)).status).toBe(429);
  expect((await tryCorrectLogin(username, ip)).status).toBe(200);
});

/** Returns a response without the random id of an error. */
const withoutErrorId = ({ status, body, headers }: ApiResponse) => {
  const { id: _, ...rest } = body;
  return { status, body: rest, names: Object.keys(headers).toSorted(), retryAfter: headers['retry-after'] };
};

/** Sets the counter of the IP address as if this many logins to different accounts had failed. */
async function simulateFailures(ip: string, failures: number) {
  await failLogin(`${ip}-first`, ip);
  await sql`update login_failures set failures = ${failures} where scope = 'address'`.execute(harness.db);
}

/** Guesses the password of one user, then of others, and then of the first user after the IP address is no longer blocked. */
async function guessAt(ip: string, username: string, failures: number, guesses: number) {
  const responses = [];
  await simulateFailures(ip, failures);
  for (let round = 0; round < guesses; round++) responses.push(await failLogin(username, ip));
  for (let number = 0; number < 3; number++) responses.push(await failLogin(`${ip}-someone-${number}`, ip));
  await sql`update login_failures set ends_at = now() where scope = 'address'`.execute(harness.db);
  for (let round = 0; round < 3; round++) responses.push(await failLogin(username, ip));
  return responses.map(response => {
    const { retryAfter, body, ...rest } = withoutErrorId(response);
    // The caller compares two runs, and a second can pass between them, so the seconds in messages are replaced.
    const minutes = retryAfter === undefined ? undefined : Math.round(Number(retryAfter) / 60);
    return { ...rest, minutes, name: body.name, text: String(body.message).replace(/\d+/, 'n') };
  });
}

test.each([
  ['after the IP address is blocked', 20, 8],
  ['before the IP address is blocked', 17, 2],
  ['while the IP address becomes blocked', 18, 4],
])('guesses %s do not reveal whether a user is known at the IP address', async (_when, others, guesses) => {
  const { username } = await makePerson(harness.db);
  await logIn(harness.app, username, '192.0.2.61');

  const knownResponses = await guessAt('192.0.2.61', username, others, guesses);
  const unknownResponses = await guessAt('192.0.2.62', 'nobody-has-this-name', others, guesses);

  expect(knownResponses).toEqual(unknownResponses);
});

test('a blocked login takes at least the minimum time, whether or not the user is known at the IP address', async () => {
  const { username } = await makePerson(harness.db);
  const ip = '192.0.2.63';
  await logIn(harness.app, username, ip);
  await simulateFailures(ip, LOGIN_LIMITS.address.failures);
  const measureLogin = async (name: string) => {
    const startedAt = performance.now();
    expect((await failLogin(name, ip)).status).toBe(429);
    return performance.now() - startedAt;
  };

  // Without a minimum time, one request would compute a hash while the other returned immediately.
  for (const name of [username, 'nobody-at-all'])
    expect(await measureLogin(name)).toBeGreaterThan(MIN_BLOCKED_RESPONSE_MS - 20);
});

test("limits guesses of a user's password at a known IP address while that address is blocked", async () => {
  const { username } = await makePerson(harness.db);
  const ip = '192.0.2.64';
  await logIn(harness.app, username, ip);
  await simulateFailures(ip, LOGIN_LIMITS.address.failures);
  const hashesBefore = countHashes().done;

  for (let round = 0; round < 8; round++) await failLogin(username, ip);

  expect(countHashes().done - hashesBefore).toBe(LOGIN_LIMITS.place.failures);
  expect((await tryCorrectLogin(username, ip)).status).toBe(429);
});

test('lifts a limit when its time window ends, and then counts from zero', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 6; round++) await failLogin(username, '192.0.2.6');
  await sql`update login_failures set ends_at = now()`.execute(harness.db);

  expect((await failLogin(username, '192.0.2.6')).status).toBe(401);
  const { rows } = await sql`
    select failures, round(extract(epoch from ends_at - now()) / 60)::integer as minutes
    from login_failures where scope = 'place'`.execute(harness.db);
  expect(rows).toEqual([{ failures: 1, minutes: 15 }]);
});

test('allows no more concurrent attempts than the limit', async () => {
  const { username } = await makePerson(harness.db);
  // The counter of the account at the address is locked, so all attempts read the counter and then wait to count.
  await failLogin(username, '192.0.2.7');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from login_failures where scope = 'place' for update`.execute(blocker);
  const hashesBefore = countHashes().done;

  const attempts = Array.from({ length: 7 }, (_, number) =>
    failLogin(username, '192.0.2.7', servers[number % 2]),
  );
  await expect.poll(() => countLockWaiters(harness.db)).toBe(7);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(attempts)).map(({ status }) => status).toSorted();
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429]);
  expect(countHashes().done - hashesBefore).toBe(4);
});

test('does not count an attempt against the account if the IP address is blocked', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 5; round++) await failLogin(username, '192.0.2.8');

  await Promise.all(Array.from({ length: 25 }, () => failLogin(username, '192.0.2.8')));

  const { rows } = await sql`select failures from login_failures where scope = 'account'`.execute(harness.db);
  expect(rows).toEqual([{ failures: 5 }]);
});

test('does not count successful logins', async () => {
  const { username } = await makePerson(harness.db);

  for (let round = 0; round < 7; round++) await logIn(harness.app, username, '192.0.2.9');

  const { rows } = await sql`select from login_failures where failures > 0`.execute(harness.db);
  expect(rows).toEqual([]);
});

test('uses a forwarded IP address only from a trusted proxy', async () => {
  const proxiedServer = await harness.secondServer({ trustedProxies: ['127.0.0.1'] });
  const { username } = await makePerson(harness.db);
  const tryLoginVia = (app: App, forwardedFor: string) =>
    tryLogin(app, username, 'wrong password', { headers: { 'x-forwarded-for': forwardedFor } });
  for (let round = 0; round < 5; round++) await tryLoginVia(harness.app, `192.0.2.${100 + round}`);

  expect((await tryLoginVia(harness.app, '192.0.2.200')).status).toBe(429);
  expect((await tryLoginVia(proxiedServer, '192.0.2.200')).status).toBe(401);
  expect((await tryLoginVia(proxiedServer, 'not an address')).status).toBe(401);
});

test('counts logins in metrics', async () => {
  const { username } = await makePerson(harness.db);
  await logIn(harness.app, username, '192.0.2.10');
  for (let round = 0; round < 6; round++) await failLogin(username, '192.0.2.10');

  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });

  expect(body).toMatch(/halyard_logins_total\{result="success"\} [1-9]/);
  expect(body).toMatch(/halyard_logins_total\{result="failure"\} [1-9]/);
  expect(body).toMatch(/halyard_logins_total\{result="blocked"\} [1-9]/);
  expect(body).toMatch(/halyard_login_limits_reached_total\{counted_by="place"\} [1-9]/);
  expect(body).toContain('halyard_password_hashes_waiting 0');
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
  ['x'.repeat(300), 'x'.repeat(100)],
  [undefined, ''],
])('%s is counted as %s', (ip, network) => {
  expect(toNetwork(ip)).toBe(network);
});
