import type { App } from '@halyard/plane/platform/http/app.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { countHashes } from '../../platform/secrets/password-hash.ts';
import { makePerson, makeUser, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { COOKIE, findCookie, logIn, makeBrowser, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';
import { sweepExpiredLoginData } from './end.ts';
import { MAX_SESSIONS } from './limits.ts';

const harness = useHarness();
let secondServer: App;

beforeAll(async () => {
  secondServer = await harness.secondServer();
});

const readStatusWith = async (cookie: string, app = harness.app) =>
  (await makeBrowser(app, cookie).send('GET', '/api/admin/user')).status;

const readEvents = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}`)).body.events;

test('at login, sets an HttpOnly cookie that authenticates the user', async () => {
  const { id, username } = await makePerson(harness.db, 'Editor');

  const response = await tryLogin(harness.app, username.toUpperCase());

  expect(response).toMatchObject({ status: 200, body: { id, username, isAPI: false } });
  expect(response.headers['set-cookie']).toMatch(
    /^halyard-session=hyw_[0-9A-Za-z]{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const me = await makeBrowser(harness.app, findCookie(response) ?? '').send('GET', '/api/admin/user');
  expect(me.body.user.id).toBe(id);
  expect(me.body.permissions).toContainEqual({ permission: 'CREATE_PROJECT' });
});

test('sets a Secure cookie with the __Host- prefix over https', async () => {
  const app = await harness.secondServer({ publicUrl: 'https://flags.example.com' });
  const { username } = await makePerson(harness.db);

  const response = await tryLogin(app, username);

  expect(response.headers['set-cookie']).toMatch(
    /^__Host-halyard-session=hyw_\w{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(await readStatusWith(findCookie(response) ?? '', app)).toBe(200);
  expect(await readStatusWith(`halyard-session=${findCookie(response)?.split('=')[1]}`, app)).toBe(401);
});

test('logs in with an email address, which takes precedence over a username', async () => {
  const email = 'Lena@example.com';
  const createUser = (body: object) => call(harness.app, 'POST', '/api/admin/user-admin', { body });
  const firstUser = await createUser({ username: email, email, rootRole: 'Viewer' });
  await call(harness.app, 'PUT', `/api/admin/user-admin/${firstUser.body.id}`, {
    body: { email: 'l@example.com' },
  });
  const secondUser = await createUser({ username: 'lena', email, password: PASSWORD, rootRole: 'Viewer' });

  expect((await tryLogin(harness.app, 'lena@EXAMPLE.com')).body.id).toBe(secondUser.body.id);
});

test('responds identically to a wrong password and an unknown user, and computes one hash for each', async () => {
  const { username } = await makePerson(harness.db);
  const withoutPassword = await makeUser(harness.db, 'Viewer');
  const failLogin = async (name: string, ip: string) => {
    const hashesBefore = countHashes().done;
    const { body, status, headers } = await tryLogin(harness.app, name, 'not this one at all', { ip });
    const { id: _, ...error } = body;
    return { status, error, cookie: headers['set-cookie'], hashes: countHashes().done - hashesBefore };
  };

  const wrongPassword = await failLogin(username, '192.0.2.1');

  expect(wrongPassword).toMatchObject({ status: 401, error: { name: 'AuthenticationRequired' }, hashes: 1 });
  expect(await failLogin('nobody-at-all', '192.0.2.2')).toEqual(wrongPassword);
  expect(await failLogin(withoutPassword.username, '192.0.2.3')).toEqual(wrongPassword);
});

test.each([
  ['no password', { username: 'x' }, '/body/password'],
  ['an empty username', { username: '', password: 'x' }, '/body/username'],
])('rejects %s', async (_case, body, path) => {
  const response = await call(harness.app, 'POST', '/auth/simple/login', { token: null, body });

  expect(response).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects a login sent as a form', async () => {
  const response = await harness.app.inject({
    method: 'POST',
    url: '/auth/simple/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'username=x&password=y',
  });

  expect(response.statusCode).toBe(415);
});

test('a login creates a new secret and ends the earlier session of the same browser', async () => {
  const { username } = await makePerson(harness.db);
  const firstBrowser = await logIn(harness.app, username);
  const otherBrowser = await logIn(harness.app, username);

  const secondLogin = await tryLogin(harness.app, username, PASSWORD, {
    headers: { cookie: firstBrowser.cookie },
  });

  expect(findCookie(secondLogin)).not.toBe(firstBrowser.cookie);
  expect(await readStatusWith(firstBrowser.cookie)).toBe(401);
  expect(await readStatusWith(otherBrowser.cookie)).toBe(200);
  expect(await readStatusWith(findCookie(secondLogin) ?? '')).toBe(200);
});

test('stores only the hash of a secret', async () => {
  const { username } = await makePerson(harness.db);
  const { cookie } = await logIn(harness.app, username);
  const secret = cookie.split('=')[1] ?? '';

  const { rows } = await sql<{ kept: string }>`select to_jsonb(sessions)::text as kept from sessions`.execute(
    harness.db,
  );

  expect(rows.some(({ kept }) => kept.includes(hashToken(secret).toString('hex')))).toBe(true);
  expect(rows.some(({ kept }) => kept.includes(secret))).toBe(false);
});

describe('a session ends', () => {
  test('after eight hours without a request', async () => {
    const { id, username } = await makePerson(harness.db);
    const { cookie } = await logIn(harness.app, username);

    await sql`update sessions set seen_at = now() - interval '7 hours 59 minutes' where user_id = ${id}`.execute(
      harness.db,
    );
    expect(await readStatusWith(cookie)).toBe(200);
    await expect
      .poll(
        async () =>
          (
            await sql<{ fresh: boolean }>`
        select seen_at > now() - interval '1 minute' as fresh from sessions where user_id = ${id}`.execute(
              harness.db,
            )
          ).rows,
      )
      .toEqual([{ fresh: true }]);
    await sql`update sessions set seen_at = now() - interval '8 hours' where user_id = ${id}`.execute(
      harness.db,
    );
    expect(await readStatusWith(cookie)).toBe(401);
  });

  test('seven days after the login', async () => {
    const { id, username } = await makePerson(harness.db);
    const { cookie } = await logIn(harness.app, username);

    const { rows } = await sql<{ days: number }>`
      select extract(epoch from expires_at - created_at)::integer / 86400 as days from sessions where user_id = ${id}`.execute(
      harness.db,
    );
    await sql`update sessions set expires_at = now() where user_id = ${id}`.execute(harness.db);

    expect(rows).toEqual([{ days: 7 }]);
    expect(await readStatusWith(cookie)).toBe(401);
  });

  test('with a logout, which removes the cookie and can be repeated', async () => {
    const { username } = await makePerson(harness.db);
    const browser = await logIn(harness.app, username);

    const response = await browser.send('POST', '/logout');

    expect(response.status).toBe(200);
    expect(response.headers['set-cookie']).toBe(`${COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`);
    expect(await readStatusWith(browser.cookie)).toBe(401);
    expect((await browser.send('POST', '/logout')).status).toBe(200);
    expect((await call(harness.app, 'POST', '/logout', { token: null })).status).toBe(200);
  });

  test('when the user ends all sessions, on every server', async () => {
    const { id, username } = await makePerson(harness.db);
    const [browser, otherBrowser] = [await logIn(harness.app, username), await logIn(secondServer, username)];
    const otherUser = await logIn(harness.app, (await makePerson(harness.db)).username);

    const response = await browser.send('DELETE', '/api/admin/user/sessions');

    expect(response.status).toBe(200);
    expect(response.headers['set-cookie']).toContain('Max-Age=0');
    expect(await readStatusWith(browser.cookie, secondServer)).toBe(401);
    expect(await readStatusWith(otherBrowser.cookie, secondServer)).toBe(401);
    expect(await readStatusWith(otherUser.cookie)).toBe(200);
    const [event] = await readEvents('user-sessions-ended');
    expect(event).toMatchObject({ createdByUserId: id, data: { userId: id, username, sessions: 2 } });
  });

  test('when an admin ends the sessions of the user', async () => {
    const { id, username } = await makePerson(harness.db);
    const { cookie } = await logIn(harness.app, username);

    const response = await call(harness.app, 'DELETE', `/api/admin/user-admin/${id}/sessions`);

    expect(response.status).toBe(200);
    expect(await readStatusWith(cookie)).toBe(401);
    expect((await call(harness.app, 'DELETE', '/api/admin/user-admin/999999/sessions')).status).toBe(404);
  });

  test('when the user is deleted', async () => {
    const { id, username } = await makePerson(harness.db);
    const { cookie } = await logIn(harness.app, username);

    await call(harness.app, 'DELETE', `/api/admin/user-admin/${id}`);

    expect(await readStatusWith(cookie, secondServer)).toBe(401);
    expect((await tryLogin(harness.app, username)).status).toBe(401);
  });
});

test('lists the sessions of the authenticated user and ends a single session', async () => {
  const { username } = await makePerson(harness.db);
  const [browser, otherBrowser] = [
    await logIn(harness.app, username, '192.0.2.44'),
    await logIn(harness.app, username),
  ];
  const otherUser = await logIn(harness.app, (await makePerson(harness.db)).username);

  const { sessions } = (await browser.send('GET', '/api/admin/user/sessions')).body;

  expect(sessions).toHaveLength(2);
  expect(sessions.find((session: { current: boolean }) => session.current)).toMatchObject({
    method: 'password',
    ip: '192.0.2.44',
    userAgent: 'lightMyRequest',
  });
  const { id } = sessions.find((session: { current: boolean }) => !session.current);
  expect((await otherUser.send('DELETE', `/api/admin/user/sessions/${id}`)).status).toBe(404);
  expect((await browser.send('DELETE', `/api/admin/user/sessions/${id}`)).status).toBe(200);
  expect(await readStatusWith(otherBrowser.cookie)).toBe(401);
  expect(await readStatusWith(browser.cookie)).toBe(200);
});

test('ends the least recently used session of a user with the maximum number of sessions', async () => {
  const { id, username } = await makePerson(harness.db);
  const oldestBrowser = await logIn(harness.app, username);
  await sql`
    insert into sessions (user_id, hash, method, expires_at)
    select ${id}, sha256(n::text::bytea), 'password', now() + interval '1 day' from generate_series(2, ${MAX_SESSIONS}) n`.execute(
    harness.db,
  );
  // The session was used within the last minute, so this use is not written and does not make it the newest session.
  expect(await readStatusWith(oldestBrowser.cookie)).toBe(200);
  await sql`update sessions set seen_at = now() - interval '1 hour' where user_id = ${id} and method = 'password' and ip is not null`.execute(
    harness.db,
  );

  const newestBrowser = await logIn(harness.app, username);

  const { sessions } = (await newestBrowser.send('GET', '/api/admin/user/sessions')).body;
  expect(sessions).toHaveLength(MAX_SESSIONS);
  expect(await readStatusWith(oldestBrowser.cookie)).toBe(401);
});

test('uses the token in the header and ignores the cookie', async () => {
  const { username } = await makePerson(harness.db);
  const token = (await makeUser(harness.db, 'Viewer', 'token-owner')).token;
  const { cookie } = await logIn(harness.app, username);
  const requestWith = (authorization: string) =>
    call(harness.app, 'GET', '/api/admin/user', { token: authorization, headers: { cookie } });

  expect((await requestWith(token)).body.user.username).toBe('token-owner');
  expect((await requestWith('*:*.wrong')).status).toBe(401);
});

test.each(['', ' ', 'Bearer', 'Bearer '])(
  'uses the cookie if the Authorization header is "%s"',
  async authorization => {
    const { username } = await makePerson(harness.db);
    const { cookie } = await logIn(harness.app, username);
    const requestWith = (headers: Record<string, string>) =>
      call(harness.app, 'GET', '/api/admin/user', { token: authorization, headers });

    expect((await requestWith({ cookie })).body.user.username).toBe(username);
    expect((await requestWith({})).status).toBe(401);
  },
);

test('rejects a cookie with a wrong checksum without querying the database', async () => {
  const statementsBefore = harness.statements.length;

  expect(await readStatusWith(`${COOKIE}=hyw_${'a'.repeat(49)}`)).toBe(401);
  expect(harness.statements.length).toBe(statementsBefore);
});

test('runs the same number of statements for a session as for a token', async () => {
  const { username } = await makePerson(harness.db);
  const { token } = await makeUser(harness.db, 'Viewer');
  const browser = await logIn(harness.app, username);
  const countStatements = async (request: () => Promise<unknown>) => {
    const statementsBefore = harness.statements.length;
    await request();
    return harness.statements.length - statementsBefore;
  };

  const statementsWithSession = await countStatements(() => browser.send('GET', '/api/admin/tag-types'));

  expect(await countStatements(() => call(harness.app, 'GET', '/api/admin/tag-types', { token }))).toBe(
    statementsWithSession,
  );
});

const OUR_ORIGIN = 'http://localhost:4242';

describe('a write with a session', () => {
  const createTag = async (headers: Record<string, string>) => {
    const { cookie } = await logIn(harness.app, (await makePerson(harness.db)).username);
    return await call(harness.app, 'POST', '/api/admin/tags', {
      token: null,
      headers: { cookie, ...headers },
      body: { type: 'simple', value: `csrf-${Math.random().toString(36).slice(2)}` },
    });
  };

  test.each<[string, Record<string, string>]>([
    ['has neither Sec-Fetch-Site nor Origin', {}],
    ['comes from a different site', { 'sec-fetch-site': 'cross-site' }],
    ['comes from a sibling domain', { 'sec-fetch-site': 'same-site' }],
    ['does not come from a page', { 'sec-fetch-site': 'none' }],
    ['has two Sec-Fetch-Site values', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['comes from a different origin', { origin: 'https://evil.example' }],
    ['comes from a page without an origin', { origin: 'null' }],
    ['comes from our host on a different port', { origin: 'http://localhost:4243' }],
    ['comes from our host over https', { origin: 'https://localhost:4242' }],
    ['has our origin only in the Referer', { referer: `${OUR_ORIGIN}/projects` }],
    [
      'is cross-site according to the browser, with our origin',
      { 'sec-fetch-site': 'cross-site', origin: OUR_ORIGIN },
    ],
  ])('is rejected if it %s', async (_case, headers) => {
    const response = await createTag(headers);

    expect(response).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  });

  test.each<[string, Record<string, string>]>([
    ['comes from our own page', { 'sec-fetch-site': 'same-origin' }],
    ['comes from our own origin, without Sec-Fetch-Site', { origin: OUR_ORIGIN }],
    [
      'comes from our own page under a different host name',
      { 'sec-fetch-site': 'same-origin', origin: 'http://flags' },
    ],
  ])('is accepted if it %s', async (_case, headers) => {
    const response = await createTag(headers);

    expect(response.status).toBe(201);
  });

  test.each(['PUT', 'PATCH', 'DELETE'] as const)('is rejected as a %s of unknown origin', async method => {
    const { cookie } = await logIn(harness.app, (await makePerson(harness.db)).username);

    const response = await call(harness.app, method, '/api/admin/tag-types/simple', {
      token: null,
      headers: { cookie },
    });

    // A method that the route does not support is rejected with the same response.
    expect(response.status).toBe(403);
    expect(response.body.message).toContain('Sec-Fetch-Site');
  });
});

test('a GET or HEAD request with a session needs neither Sec-Fetch-Site nor Origin', async () => {
  const { cookie } = await logIn(harness.app, (await makePerson(harness.db)).username);

  for (const method of ['GET', 'HEAD'] as const) {
    const response = await call(harness.app, method, '/api/admin/tag-types', {
      token: null,
      headers: { cookie },
    });
    expect(response.status).toBe(200);
  }
});

test('a write with a token can come from any site', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/tags', {
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    body: { type: 'simple', value: 'by-token' },
  });

  expect(response.status).toBe(201);
});

test('the message of a rejected login mentions HALYARD_PUBLIC_URL if the browser uses a different URL', async () => {
  const { username } = await makePerson(harness.db);
  const headers = { origin: 'http://flags.internal:4242' };

  const { status, body } = await tryLogin(harness.app, username, PASSWORD, { headers });

  expect(status).toBe(403);
  expect(body.message).toBe(
    `The request comes from "http://flags.internal:4242", but this server's URL is "${OUR_ORIGIN}". If your browser's address bar shows "http://flags.internal:4242", ask the operator to set HALYARD_PUBLIC_URL to it. Scripts need a token instead of a session.`,
  );
});

test('the message of a rejected login omits HALYARD_PUBLIC_URL if the request comes from a different site', async () => {
  const { username } = await makePerson(harness.db);
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };

  const { body } = await tryLogin(harness.app, username, PASSWORD, { headers });

  expect(body.message).toContain('Sec-Fetch-Site: "cross-site"');
  expect(body.message).not.toContain('HALYARD_PUBLIC_URL');
});

test('rejects a login or logout from a different site', async () => {
  const { username } = await makePerson(harness.db);
  const { cookie } = await logIn(harness.app, username);
  const foreignHeaders = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];

  for (const headers of foreignHeaders) {
    const login = await tryLogin(harness.app, username, PASSWORD, { headers });
    expect(login).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
    expect(login.headers['set-cookie']).toBeUndefined();
    const logout = await call(harness.app, 'POST', '/logout', {
      token: null,
      headers: { cookie, ...headers },
    });
    expect(logout.status).toBe(403);
  }
  expect(await readStatusWith(cookie)).toBe(200);
});

test('creates no session if the password changes during the login', async () => {
  const { id, username } = await makePerson(harness.db);
  const blocker = await harness.db.startTransaction().execute();
  await sql`update users set password_hash = 'x' where id = ${id}`.execute(blocker);

  const login = tryLogin(harness.app, username);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  // The login has verified the old password and waits for the row. If it did not read the user again, it would open a session.
  await blocker.commit().execute();

  expect((await login).status).toBe(401);
  const { rows } = await sql`select from sessions where user_id = ${id}`.execute(harness.db);
  expect(rows).toEqual([]);
});

test('creates no session if the user is deleted during the login', async () => {
  const { id, username } = await makePerson(harness.db);
  const blocker = await harness.db.startTransaction().execute();
  await sql`update users set deleted_at = now() where id = ${id}`.execute(blocker);

  const login = tryLogin(harness.app, username);
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await blocker.commit().execute();

  expect((await login).status).toBe(401);
});

test('at the next login, rehashes a password whose hash has weaker parameters', async () => {
  const { id, username } = await makePerson(harness.db);
  const weakParameters = '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$';
  const { argon2Sync } = await import('node:crypto');
  const hashValue = argon2Sync('argon2id', {
    message: PASSWORD,
    nonce: Buffer.from('somesaltsomesalt'),
    memory: 64,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  })
    .toString('base64')
    .replace(/=+$/, '');
  await sql`update users set password_hash = ${weakParameters + hashValue} where id = ${id}`.execute(
    harness.db,
  );
  const readHash = async () =>
    (
      await sql<{ hash: string }>`
    select password_hash as hash from users where id = ${id}`.execute(harness.db)
    ).rows[0]?.hash;

  await logIn(harness.app, username);

  expect(await readHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await tryLogin(harness.app, username)).status).toBe(200);
});

test('deletes only expired sessions, counters and known networks', async () => {
  const { id, username } = await makePerson(harness.db);
  const { cookie } = await logIn(harness.app, username);
  await sql`delete from sessions where user_id <> ${id}`.execute(harness.db);
  await sql`delete from login_failures`.execute(harness.db);
  await sql`
    insert into sessions (user_id, hash, method, seen_at, expires_at) values
      (${id}, 'idle', 'password', now() - interval '9 hours', now() + interval '1 day'),
      (${id}, 'over', 'password', now(), now() - interval '1 second')`.execute(harness.db);
  await sql`
    insert into login_failures (scope, key, failures, ends_at) values
      ('place', 'old', 3, now() - interval '1 second'), ('place', 'new', 3, now() + interval '1 minute')`.execute(
    harness.db,
  );
  await sql`insert into login_places values (${id}, 'old', now() - interval '91 days'), (${id}, 'new', now() - interval '89 days')`.execute(
    harness.db,
  );

  expect(await sweepExpiredLoginData(harness.db)).toBe(4);
  expect(await readStatusWith(cookie)).toBe(200);
  expect(await sweepExpiredLoginData(harness.db)).toBe(0);
});
