import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { hashingWork } from '../../platform/secrets/password-hash.ts';
import { makePerson, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn, tryLogin } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { waitingForLock } from '../../test/waiting.ts';
import { BLOCKED_MS, LOGIN_LIMITS } from './limits.ts';

const harness = useHarness();
let servers: [App, App];

beforeAll(async () => {
  servers = [harness.app, await harness.secondServer()];
});

beforeEach(async () => {
  await sql`truncate login_failures, login_places`.execute(harness.db);
});

const wrong = (username: string, ip: string, app = harness.app) =>
  tryLogin(app, username, 'wrong password', { ip });
const right = (username: string, ip: string, app = harness.app) => tryLogin(app, username, PASSWORD, { ip });

const blockedEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:login-blocked&limit=1000')).body.events;

test('blocks an account at one IP address after five failures, but not at a different one', async () => {
  const { id, username } = await makePerson(harness.db);
  const statuses = [];
  for (let round = 0; round < 6; round++) {
    statuses.push((await wrong(username, '192.0.2.1', servers[round % 2])).status);
  }

  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await right(username, '192.0.2.1')).status).toBe(429);
  expect((await right(username, '192.0.2.2')).status).toBe(200);
  const [event] = await blockedEvents();
  expect(event.data).toEqual({
    countedBy: 'place',
    failures: 5,
    minutes: 15,
    address: '192.0.2.1',
    userId: id,
    username,
  });
});

test('limits an unknown account in the same way, and does not store its name', async () => {
  const typed = 'a password typed in the wrong field';
  for (let round = 0; round < 5; round++) await wrong(typed, '192.0.2.3');

  expect((await wrong(typed, '192.0.2.3')).status).toBe(429);
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(login_failures)::text as text from login_failures
    union all select data::text from events where data is not null`.execute(harness.db);
  expect(rows.filter(({ text }) => text.includes(typed))).toEqual([]);
});

test('counts an account case-insensitive, and an IPv6 network as one address', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 1; round <= 5; round++) {
    await wrong(round % 2 ? username : username.toUpperCase(), `2001:db8:1:2::${round}`);
  }

  expect((await right(username, '2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await right(username, '2001:db8:1:3::1')).status).toBe(200);
});

test('resets the failures of an account at an IP address after a correct password', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 4; round++) await wrong(username, '192.0.2.4');
  await logIn(harness.app, username, '192.0.2.4');

  const statuses = [];
  for (let round = 0; round < 5; round++) statuses.push((await wrong(username, '192.0.2.4')).status);

  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  const { rows } = await sql`select scope, failures from login_failures order by scope`.execute(harness.db);
  // The four failures before the correct password are uncounted in all scopes.
  expect(rows).toEqual([
    { scope: 'account', failures: 5 },
    { scope: 'address', failures: 5 },
    { scope: 'place', failures: 5 },
  ]);
});

test('does not block a user at a known IP address for failures of others', async () => {
  const { username } = await makePerson(harness.db);
  const office = '192.0.2.5';
  await logIn(harness.app, username, office);
  for (let number = 0; number < LOGIN_LIMITS.address.failures; number++)
    await wrong(`someone-${number}`, office);

  expect((await wrong('someone-new', office)).status).toBe(429);
  expect((await right(username, office)).status).toBe(200);
});

/** A response without the random id of an error. */
const observed = ({ status, body, headers }: ApiResponse) => {
  const { id: _, ...rest } = body;
  return { status, body: rest, names: Object.keys(headers).toSorted(), retryAfter: headers['retry-after'] };
};

/** Writes the counters of this many failed logins to as many accounts from the IP address. */
async function failedAlready(office: string, failures: number) {
  await wrong(`${office}-first`, office);
  await sql`update login_failures set failures = ${failures} where scope = 'address'`.execute(harness.db);
}

/** Guesses of one name, further logins of others, and guesses after the block of the address has ended. */
async function guessedAt(office: string, guessed: string, others: number, guesses: number) {
  const responses = [];
  await failedAlready(office, others);
  for (let round = 0; round < guesses; round++) responses.push(await wrong(guessed, office));
  for (let number = 0; number < 3; number++)
    responses.push(await wrong(`${office}-someone-${number}`, office));
  await sql`update login_failures set ends_at = now() where scope = 'address'`.execute(harness.db);
  for (let round = 0; round < 3; round++) responses.push(await wrong(guessed, office));
  return responses.map(response => {
    const { retryAfter, body, ...seen } = observed(response);
    // A second can pass between the two runs, and the messages contain the seconds.
    const minutes = retryAfter === undefined ? undefined : Math.round(Number(retryAfter) / 60);
    return { ...seen, minutes, name: body.name, text: String(body.message).replace(/\d+/, 'n') };
  });
}

test.each([
  ['after the address is blocked', 20, 8],
  ['before the address is blocked', 17, 2],
  ['while the address becomes blocked', 18, 4],
])('guesses %s do not reveal whether a user is known at the IP address', async (_when, others, guesses) => {
  const { username } = await makePerson(harness.db);
  await logIn(harness.app, username, '192.0.2.61');

  const known = await guessedAt('192.0.2.61', username, others, guesses);
  const unknown = await guessedAt('192.0.2.62', 'nobody-has-this-name', others, guesses);

  expect(known).toEqual(unknown);
});

test('responds to a blocked login after about the same time for a known and an unknown user', async () => {
  const { username } = await makePerson(harness.db);
  const office = '192.0.2.63';
  await logIn(harness.app, username, office);
  await failedAlready(office, LOGIN_LIMITS.address.failures);
  const took = async (name: string) => {
    const start = performance.now();
    expect((await wrong(name, office)).status).toBe(429);
    return performance.now() - start;
  };

  // Without a minimum time, one response computes a hash and the other returns immediately.
  for (const name of [username, 'nobody-at-all']) expect(await took(name)).toBeGreaterThan(BLOCKED_MS - 20);
});

test('limits guesses of a known user while the IP address is blocked', async () => {
  const { username } = await makePerson(harness.db);
  const office = '192.0.2.64';
  await logIn(harness.app, username, office);
  await failedAlready(office, LOGIN_LIMITS.address.failures);
  const before = hashingWork().done;

  for (let round = 0; round < 8; round++) await wrong(username, office);

  expect(hashingWork().done - before).toBe(LOGIN_LIMITS.place.failures);
  expect((await right(username, office)).status).toBe(429);
});

test('ends a limit after its time, and counts from zero', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 6; round++) await wrong(username, '192.0.2.6');
  await sql`update login_failures set ends_at = now()`.execute(harness.db);

  expect((await wrong(username, '192.0.2.6')).status).toBe(401);
  const { rows } = await sql`
    select failures, round(extract(epoch from ends_at - now()) / 60)::integer as minutes
    from login_failures where scope = 'place'`.execute(harness.db);
  expect(rows).toEqual([{ failures: 1, minutes: 15 }]);
});

test('allows no more concurrent attempts than the limit', async () => {
  const { username } = await makePerson(harness.db);
  // The counter of the account at the address is locked: all eight read it, then wait to count.
  await wrong(username, '192.0.2.7');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from login_failures where scope = 'place' for update`.execute(blocker);
  const before = hashingWork().done;

  const attempts = Array.from({ length: 7 }, (_, number) =>
    wrong(username, '192.0.2.7', servers[number % 2]),
  );
  await expect.poll(() => waitingForLock(harness.db)).toBe(7);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(attempts)).map(({ status }) => status).toSorted();
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429]);
  expect(hashingWork().done - before).toBe(4);
});

test('does not count an attempt against the account that the limit of the IP address blocks', async () => {
  const { username } = await makePerson(harness.db);
  for (let round = 0; round < 5; round++) await wrong(username, '192.0.2.8');

  await Promise.all(Array.from({ length: 25 }, () => wrong(username, '192.0.2.8')));

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
  const proxied = await harness.secondServer({ trustedProxies: ['127.0.0.1'] });
  const { username } = await makePerson(harness.db);
  const via = (app: App, forwarded: string) =>
    tryLogin(app, username, 'wrong password', { headers: { 'x-forwarded-for': forwarded } });
  for (let round = 0; round < 5; round++) await via(harness.app, `192.0.2.${100 + round}`);

  expect((await via(harness.app, '192.0.2.200')).status).toBe(429);
  expect((await via(proxied, '192.0.2.200')).status).toBe(401);
  expect((await via(proxied, 'not an address')).status).toBe(401);
});

test('counts logins in metrics', async () => {
  const { username } = await makePerson(harness.db);
  await logIn(harness.app, username, '192.0.2.10');
  for (let round = 0; round < 6; round++) await wrong(username, '192.0.2.10');

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
  expect(networkOf(ip)).toBe(network);
});
