import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  countHashes,
  hashPassword,
  matchesPassword,
  passwordHashes,
} from '../../platform/secrets/password-hash.ts';
import { findPasswordViolations } from '../../platform/secrets/password-strength.ts';
import { makePerson, makeUser, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { findCookie, logIn, makeBrowser, tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const NEW_PASSWORD = 'another staple battery horse';

const makeLink = async (id: number | string): Promise<string> => {
  const { body } = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', { body: { id } });
  return new URL(body.resetPasswordUrl).searchParams.get('token') ?? '';
};
const setByLink = (token: string, password = NEW_PASSWORD, ip = '127.0.0.1') =>
  call(harness.app, 'POST', '/auth/reset/password', { token: null, body: { token, password }, ip });
const validate = (token: string) =>
  call(harness.app, 'GET', `/auth/reset/validate?token=${encodeURIComponent(token)}`, { token: null });
const readLastEvent = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}&limit=1`)).body.events[0];

test('shows the user of a reset link, sets the password once, and ends the sessions', async () => {
  const { id, username } = await makePerson(harness.db);
  const browser = await logIn(harness.app, username);

  const token = await makeLink(id);
  const link = await validate(token);
  const response = await setByLink(token);

  expect(link).toMatchObject({
    status: 200,
    body: { id, username, createdBy: 'admin token', role: { name: 'Viewer' } },
  });
  expect(JSON.stringify(link.body)).not.toContain(token);
  expect(response.status).toBe(200);
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(401);
  expect((await tryLogin(harness.app, username)).status).toBe(401);
  expect((await tryLogin(harness.app, username, NEW_PASSWORD)).status).toBe(200);
  expect((await setByLink(token)).status).toBe(401);
  expect((await validate(token)).status).toBe(401);
  expect(await readLastEvent('user-password-link-created')).toMatchObject({
    createdBy: 'admin token admin',
    data: { id, username },
  });
  expect(await readLastEvent('user-password-changed')).toMatchObject({
    createdBy: username,
    createdByUserId: id,
    data: { id },
  });
  const { rows } = await sql`
    select from events where data::text like ${`%${token}%`} or data::text like '%argon2%' or data::text like ${`%${NEW_PASSWORD}%`}`.execute(
    harness.db,
  );
  expect(rows).toEqual([]);
});

test('rejects an unknown, forged, expired or replaced link and the link of a deleted user with 401', async () => {
  const { id } = await makePerson(harness.db);
  const [expiredUser, deletedUser] = [
    await makeUser(harness.db, 'Viewer'),
    await makeUser(harness.db, 'Viewer'),
  ];
  const replacedLink = await makeLink(id);
  const validLink = await makeLink(String(id));
  const [expiredLink, deletedUserLink] = [await makeLink(expiredUser.id), await makeLink(deletedUser.id)];
  await sql`update password_links set expires_at = now() where user_id = ${expiredUser.id}`.execute(
    harness.db,
  );
  await call(harness.app, 'DELETE', `/api/admin/user-admin/${deletedUser.id}`);

  for (const token of [
    replacedLink,
    expiredLink,
    deletedUserLink,
    'nonsense',
    `${validLink.slice(0, -1)}x`,
    `hyl_${'a'.repeat(49)}`,
  ]) {
    for (const response of [await validate(token), await setByLink(token)]) {
      expect(response).toMatchObject({ status: 401, body: { name: 'AuthenticationRequired' } });
    }
  }
  expect((await validate(validLink)).status).toBe(200);
});

test('a link is invalid after the user or an admin has changed the password', async () => {
  const { id, username } = await makePerson(harness.db);
  const firstLink = await makeLink(id);
  const browser = await logIn(harness.app, username);
  await browser.send('POST', '/api/admin/user/change-password', {
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD },
  });
  expect((await validate(firstLink)).status).toBe(401);

  const secondLink = await makeLink(id);
  await call(harness.app, 'POST', `/api/admin/user-admin/${id}/change-password`, {
    body: { password: PASSWORD },
  });
  expect((await setByLink(secondLink)).status).toBe(401);
});

test('computes no hash for an invalid link and keeps the link after a weak password', async () => {
  const { id } = await makePerson(harness.db);
  const token = await makeLink(id);
  const hashesBefore = countHashes().done;

  await setByLink('nonsense');
  const weakResponse = await setByLink(token, 'short');

  expect(weakResponse).toMatchObject({ status: 400, body: { details: [{ path: '/body/password' }] } });
  expect(countHashes().done).toBe(hashesBefore);
  expect((await validate(token)).status).toBe(200);
});

test('sets only one password if a link is used twice at the same time', async () => {
  const { id, username } = await makePerson(harness.db);
  const token = await makeLink(id);
  // The lock makes both requests wait after they have found the link valid.
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${id} for update`.execute(blocker);

  const responses = [setByLink(token, NEW_PASSWORD), setByLink(token, 'yet another staple of horses')];
  await expect.poll(() => countLockWaiters(harness.db)).toBe(2);
  await blocker.rollback().execute();

  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 401]);
  const newPassword = statuses[0] === 200 ? NEW_PASSWORD : 'yet another staple of horses';
  expect((await tryLogin(harness.app, username, newPassword)).status).toBe(200);
});

test('unblocks logins from the IP address from which a link was used', async () => {
  const { id, username } = await makePerson(harness.db);
  const ip = '192.0.2.77';
  for (let round = 0; round < 6; round++) await tryLogin(harness.app, username, 'forgotten', { ip });
  expect((await tryLogin(harness.app, username, PASSWORD, { ip })).status).toBe(429);

  await setByLink(await makeLink(id), NEW_PASSWORD, ip);

  expect((await tryLogin(harness.app, username, NEW_PASSWORD, { ip })).status).toBe(200);
});

test.each([
  ['the user', 'user/change-password'],
  ['an admin', 'user-admin/:id/change-password'],
])('a link no longer works after %s has changed the password', async (setter, path) => {
  const owner = await makeUser(harness.db, 'Viewer');
  const setByAdmin = (password: string) =>
    call(harness.app, 'POST', `/api/admin/user-admin/${owner.id}/change-password`, { body: { password } });
  await setByAdmin(PASSWORD);
  const link = await makeLink(owner.id);

  const response = await call(harness.app, 'POST', `/api/admin/${path.replace(':id', String(owner.id))}`, {
    ...(setter === 'the user' ? { token: owner.token } : {}),
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD },
  });

  expect(response.status).toBe(200);
  expect((await validate(link)).status).toBe(401);
  expect((await setByLink(link, 'yet another staple of horses')).status).toBe(401);
});

test('creates a link for the user with an email address, ignoring case', async () => {
  const { body: user } = await call(harness.app, 'POST', '/api/admin/user-admin', {
    body: { email: 'reset@example.com', rootRole: 3 },
  });

  const link = await validate(await makeLink('Reset@Example.com'));

  expect(link.body).toMatchObject({ id: user.id, email: 'reset@example.com' });
});

test.each([
  [999_999, 'User 999999 does not exist.'],
  ['999999', 'User 999999 does not exist.'],
  ['nobody@example.com', 'User with email address "nobody@example.com" does not exist.'],
])('rejects a link for the unknown user %j', async (id, message) => {
  const response = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', { body: { id } });

  expect(response).toMatchObject({ status: 404, body: { message } });
});

test.each([0, '', null, {}])('rejects a link for the user %j', async id => {
  const response = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', { body: { id } });

  expect(response.status).toBe(400);
});

test('a request for an email does nothing, and the response does not reveal whether the user exists', async () => {
  await call(harness.app, 'POST', '/api/admin/user-admin', {
    body: { email: 'known@example.com', rootRole: 3 },
  });
  const requestMail = async (email: string) => {
    const statementsBefore = harness.statements.length;
    const { status, body } = await call(harness.app, 'POST', '/auth/reset/password-email', {
      token: null,
      body: { email },
    });
    return { status, body, statements: harness.statements.length - statementsBefore };
  };

  expect(await requestMail('known@example.com')).toEqual({ status: 200, body: '', statements: 0 });
  expect(await requestMail('unknown@example.com')).toEqual({ status: 200, body: '', statements: 0 });
});

test('users who enter their old password can change it, which ends other sessions and renews the current one', async () => {
  const { id, username } = await makePerson(harness.db);
  const [browser, otherBrowser] = [await logIn(harness.app, username), await logIn(harness.app, username)];
  const change = (body: object) => browser.send('POST', '/api/admin/user/change-password', { body });

  const rejection = await change({
    oldPassword: 'not the old one',
    password: NEW_PASSWORD,
    confirmPassword: NEW_PASSWORD,
  });
  const success = await change({
    oldPassword: PASSWORD,
    password: NEW_PASSWORD,
    confirmPassword: NEW_PASSWORD,
  });

  expect(rejection).toMatchObject({ status: 400, body: { details: [{ path: '/body/oldPassword' }] } });
  expect(success.status).toBe(200);
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(401);
  expect((await otherBrowser.send('GET', '/api/admin/user')).status).toBe(401);
  const renewedBrowser = makeBrowser(harness.app, findCookie(success) ?? '');
  expect((await renewedBrowser.send('GET', '/api/admin/user')).body.user.id).toBe(id);
  expect((await tryLogin(harness.app, username, NEW_PASSWORD)).status).toBe(200);
});

test('changes the password with a personal token, without a new session', async () => {
  const owner = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'POST', `/api/admin/user-admin/${owner.id}/change-password`, {
    body: { password: PASSWORD },
  });

  const response = await call(harness.app, 'POST', '/api/admin/user/change-password', {
    token: owner.token,
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD },
  });

  expect(response.status).toBe(200);
  expect(response.headers['set-cookie']).toBeUndefined();
});

test('limits guesses of the old password like failed logins', async () => {
  const { username } = await makePerson(harness.db);
  const browser = await logIn(harness.app, username);
  const guess = () =>
    browser.send('POST', '/api/admin/user/change-password', {
      body: { oldPassword: 'a guess', password: NEW_PASSWORD },
    });

  const statuses = [];
  for (let round = 0; round < 6; round++) statuses.push((await guess()).status);

  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
});

test('rejects the old password if an admin sets a different password during the request', async () => {
  const { id, username } = await makePerson(harness.db);
  const browser = await logIn(harness.app, username);
  const adminHash = await hashPassword('what the admin chose');
  const adminTransaction = await harness.db.startTransaction().execute();
  await sql`update users set password_hash = ${adminHash} where id = ${id}`.execute(adminTransaction);

  const change = browser.send('POST', '/api/admin/user/change-password', {
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD },
  });
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await adminTransaction.commit().execute();

  expect((await change).status).toBe(400);
  expect((await tryLogin(harness.app, username, 'what the admin chose')).status).toBe(200);
});

test('rejects a password change with an admin token', async () => {
  const response = await call(harness.app, 'POST', '/api/admin/user/change-password', {
    body: { oldPassword: 'x', password: NEW_PASSWORD },
  });

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test.each(['/auth/reset/validate-password', '/api/admin/user-admin/validate-password'])(
  '%s lists the violations of a password',
  async url => {
    const validatePassword = (password: string) => call(harness.app, 'POST', url, { body: { password } });

    expect((await validatePassword(NEW_PASSWORD)).status).toBe(200);
    const weakResponse = await validatePassword('aaaaaaaaaaaa');
    expect(weakResponse).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(weakResponse.body.details).toHaveLength(2);
  },
);

test.each([
  'short',
  'x'.repeat(129),
  'password1234',
  'P4ssw0rd2024!',
  'qwertyuiop12',
  '1qaz2wsx3edc',
  '123456789012',
  'abcdefghijkl',
  'aaaaaaaaaaaaaaaa',
  'abababababababab',
  'letmein12345',
  '!@#$%^&*()_+',
  'halyard-2026',
])('rejects the password %s', password => {
  expect(findPasswordViolations(password)).not.toEqual([]);
});

test.each([
  'correct horse battery staple',
  'kV9#mQ2$xL7@',
  'purple monkey dishwasher',
  '新しい長いパスワードです安全',
  `${'x7'.repeat(3)}${'yQ4 '.repeat(30)}`,
])('accepts the password %s', password => {
  expect(findPasswordViolations(password)).toEqual([]);
});

test("rejects passwords with the user's name or email address", () => {
  const person = { username: 'mlindqvist', email: 'ben.l@example.com', name: 'Ben Lindqvist' };

  for (const password of ['x-MLindqvist-x9', 'ben.l@example.com7', 'zq lindqvist 77 zq']) {
    expect(findPasswordViolations(password, person)).toHaveLength(1);
  }
  expect(findPasswordViolations('ben and the ocean 7', person)).toEqual([]);
});

test('salts a hash, stores its parameters, and ignores the Unicode composition of the password', async () => {
  const [firstHash, secondHash] = [
    await hashPassword('café au lait, s’il vous plaît'),
    await hashPassword('café au lait, s’il vous plaît'),
  ];

  expect(firstHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(firstHash).not.toBe(secondHash);
  expect(await matchesPassword('cafe\u0301 au lait, s’il vous plai\u0302t', firstHash)).toBe(true);
  expect(await matchesPassword('cafe au lait, s’il vous plaît', firstHash)).toBe(false);
  expect(await matchesPassword('anything', null)).toBe(false);
});

test("compares two passwords at a time, queues others, and rejects what exceeds a network's queue with 503", async () => {
  const comparisons = Array.from({ length: 70 }, () => matchesPassword('x', null));
  const results = Promise.allSettled(comparisons);

  expect(countHashes().waiting).toBe(64);
  const rejections = (await results).filter(result => result.status === 'rejected');
  expect(rejections.map(({ reason }) => reason.name)).toEqual(Array(4).fill('ServiceUnavailableError'));
  expect(countHashes().waiting).toBe(0);
});

test('hashes a login before waiting new passwords and before earlier logins from a busy network', async () => {
  const order: string[] = [];
  const recordStep = (label: string) => () => void order.push(label);
  const crowdLogins = Array.from({ length: 8 }, () =>
    matchesPassword('x', null, 'crowd').then(recordStep('crowd')),
  );
  const signupHashes = Array.from({ length: 8 }, () =>
    hashPassword('x', 'signups').then(recordStep('signup')),
  );

  await matchesPassword('x', null, 'other').then(recordStep('login'));

  expect(order.filter(label => label === 'crowd').length).toBeLessThan(8);
  expect(order.filter(label => label === 'signup').length).toBeLessThan(8);
  await Promise.all([...crowdLogins, ...signupHashes]);
});

test('rejects a network that uses links too often with 429, but no other network', async () => {
  const app = await harness.secondServer();
  const useLink = async (ip: string) =>
    await app.inject({
      method: 'POST',
      url: '/auth/reset/password',
      body: { token: 'nonsense', password: NEW_PASSWORD },
      remoteAddress: ip,
    });
  for (let n = 0; n < 60; n++) expect((await useLink('192.0.2.50')).statusCode).toBe(401);

  // The requests are sent simultaneously, because the limit allows the network another link every 2 s.
  const responses = await Promise.all(Array.from({ length: 60 }, () => useLink('192.0.2.50')));

  const rejection = responses.find(({ statusCode }) => statusCode === 429);
  expect(rejection?.json().name).toBe('RateLimitError');
  expect(Number(rejection?.headers['retry-after'])).toBeGreaterThan(0);
  expect((await useLink('192.0.2.51')).statusCode).toBe(401);
});

test('rejects a login with 503 if the queue is full, without counting the login', async () => {
  const { username } = await makePerson(harness.db);
  // Both slots are taken, so that nothing is hashed and the queue stays full until the response.
  const slots = [passwordHashes.logins.take('192.0.2.98'), passwordHashes.logins.take('192.0.2.98')];
  const queuedLogins = Array.from({ length: 64 }, () => matchesPassword('x', null, '192.0.2.99'));

  const response = await tryLogin(harness.app, username, PASSWORD, { ip: '192.0.2.99' });
  for (const release of slots) release();
  await Promise.all(queuedLogins);

  expect(response).toMatchObject({ status: 503, body: { name: 'ServiceUnavailableError' } });
  expect(response.headers['retry-after']).toBe('5');
  const { rows } =
    await sql`select from login_failures where failures > 0 and scope = 'account' and ends_at > now()
    and key = sha256(convert_to(${username}, 'UTF8'))`.execute(harness.db);
  expect(rows).toEqual([]);
});
