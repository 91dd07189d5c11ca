import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makePerson } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Browser, logIn } from '../../test/login.ts';
import { DECISIONS, inDays, requestToken, sendForm } from '../../test/oauth-client.ts';
import { PUBLIC_URL } from '../../test/public-url.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { DEVICE_CODE_LIMITS, GUESS_LIMIT } from './limits.ts';
import { DEVICE_GRANT } from './metadata.ts';
import { sweepGrants } from './sweep.ts';

const harness = useHarness();
let username: string;
let userId: number;
let browser: Browser;

beforeAll(async () => {
  ({ username, id: userId } = await makePerson(harness.db, 'Editor'));
  browser = await logIn(harness.app, username);
});
beforeEach(async () => {
  await sql`delete from device_codes`.execute(harness.db);
  await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
});

const start = (fields: Record<string, string> = { client_id: 'halyard-cli' }, ip?: string) =>
  sendForm(harness.app, '/oauth/device_authorization', fields, ip === undefined ? {} : { ip });

const poll = (deviceCode: string, clientId = 'halyard-cli') =>
  requestToken(harness.app, { grant_type: DEVICE_GRANT, client_id: clientId, device_code: deviceCode });

/** Pretends that the client has waited long enough since its last request. */
const skipWait = () => sql`update device_codes set polled_at = null`.execute(harness.db);

const decide = (userCode: string, allow: boolean, description = 'laptop') =>
  browser.send('POST', DECISIONS, {
    body: { userCode, allow, ...(allow && { token: { description, expiresAt: inDays(30) } }) },
  });

test('a person can enter the code in lower case or without the hyphen, and the client gets one token', async () => {
  const { status, body: device } = await start(undefined, '203.0.113.7');
  expect(status).toBe(200);
  expect(device).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
    verification_uri: `${PUBLIC_URL}/authorize`,
    verification_uri_complete: `${PUBLIC_URL}/authorize?user_code=${device.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  expect((await poll(device.device_code)).body.error).toBe('authorization_pending');
  const typedCode = ` ${device.user_code.toLowerCase().replace('-', '')} `;
  const preview = await browser.send('POST', `${DECISIONS}/preview`, { body: { userCode: typedCode } });
  const approval = await decide(typedCode, true);
  await skipWait();

  const tokenResponse = await poll(device.device_code);

  expect(preview.body).toMatchObject({
    clientName: 'Halyard CLI',
    ip: '203.0.113.7',
    kind: 'personal',
  });
  expect(approval.body).toEqual({ redirectTo: null });
  expect(tokenResponse.status).toBe(200);
  const me = await call(harness.app, 'GET', '/api/admin/user', { token: tokenResponse.body.access_token });
  expect(me.body).toMatchObject({ user: { username }, token: { description: 'laptop', kind: 'personal' } });
  expect((await poll(device.device_code)).body.error).toBe('invalid_grant');
});

test('a client that polls too soon must wait 5 seconds longer each time', async () => {
  const { body: device } = await start();
  await poll(device.device_code);

  const second = await poll(device.device_code);
  const third = await poll(device.device_code);

  expect([second.body.error, third.body.error]).toEqual(['slow_down', 'slow_down']);
  const { rows } = await sql`select interval_seconds from device_codes`.execute(harness.db);
  expect(rows).toEqual([{ interval_seconds: 15 }]);
  for (let n = 0; n < 20; n++) await poll(device.device_code);
  const { rows: rowsLater } = await sql`select interval_seconds from device_codes`.execute(harness.db);
  expect(rowsLater).toEqual([{ interval_seconds: 60 }]);
});

test('a denied request cannot be approved later', async () => {
  const { body: device } = await start();

  expect((await decide(device.user_code, false)).status).toBe(200);

  expect((await poll(device.device_code)).body.error).toBe('access_denied');
  expect((await decide(device.user_code, true)).status).toBe(404);
});

test('an expired code can be neither entered nor exchanged', async () => {
  const { body: device } = await start();
  await sql`update device_codes set expires_at = now()`.execute(harness.db);

  expect((await poll(device.device_code)).body.error).toBe('expired_token');
  expect((await decide(device.user_code, true)).status).toBe(404);
  await sql`update device_codes set expires_at = now() - interval '11 minutes'`.execute(harness.db);
  expect(await sweepGrants(harness.db)).toBe(1);
});

test.each([
  ['invalid_request', {}],
  ['unauthorized_client', { client_id: 'https://agent.example/client.json' }],
])('returns %s for the fields %j', async (error, fields) => {
  const { status, body } = await start(fields as Record<string, string>);

  expect([status, body.error]).toEqual([400, error]);
});

test('rejects an unknown device code and a device code of a different client', async () => {
  const { body: device } = await start();

  expect((await poll('unknown')).body.error).toBe('invalid_grant');
  expect((await poll(device.device_code, 'somebody')).body.error).toBe('invalid_grant');
});

test('only one of two simultaneous decisions counts', async () => {
  const { body: device } = await start();
  const requests = await harness.db.transaction().execute(async tx => {
    await sql`select from users where id = ${userId} for update`.execute(tx);
    const decisions = ['one', 'two'].map(name => decide(device.user_code, true, name));
    await waitForLockWaiters(harness.db, 2);
    return decisions;
  });

  const responses = await Promise.all(requests);

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  const { body } = await browser.send('GET', '/api/admin/user/tokens');
  expect(body.pats).toHaveLength(1);
});

test('only one of two simultaneous requests for a granted code gets the token, which stays valid', async () => {
  const { body: device } = await start();
  await decide(device.user_code, true);
  const requests = await harness.db.transaction().execute(async tx => {
    await sql`select from users where id = ${userId} for update`.execute(tx);
    const first = poll(device.device_code);
    await waitForLockWaiters(harness.db, 1);
    await skipWait();
    const second = poll(device.device_code);
    await waitForLockWaiters(harness.db, 2);
    return [first, second];
  });

  const responses = await Promise.all(requests);

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  const success = responses.find(({ status }) => status === 200);
  expect(
    (await call(harness.app, 'GET', '/api/admin/user', { token: success?.body.access_token })).status,
  ).toBe(200);
});

test('limits the number of waiting clients per network, without affecting other networks', async () => {
  for (let n = 0; n < DEVICE_CODE_LIMITS.perNetwork; n++) await start(undefined, '203.0.113.8');

  const { status, body } = await start(undefined, '203.0.113.8');

  expect([status, body.error]).toEqual([429, 'temporarily_unavailable']);
  expect((await start(undefined, '203.0.113.9')).status).toBe(200);
});

test('throttles a user who guesses codes, even if the next code is correct', async () => {
  const person = await makePerson(harness.db, 'Viewer');
  const personBrowser = await logIn(harness.app, person.username);
  const { body: device } = await start();
  const guess = (userCode: string) =>
    personBrowser.send('POST', `${DECISIONS}/preview`, { body: { userCode } });
  for (let n = 0; n < GUESS_LIMIT.max; n++) expect((await guess(device.user_code)).status).toBe(200);
  const statuses = await Promise.all(
    Array.from({ length: 2 * GUESS_LIMIT.max }, async () => (await guess('BBBB-BBBB')).status),
  );
  expect(statuses.filter(code => code === 404)).toHaveLength(GUESS_LIMIT.max);

  const { status, headers } = await guess(device.user_code);

  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(500);
  expect(
    (await browser.send('POST', `${DECISIONS}/preview`, { body: { userCode: device.user_code } })).status,
  ).toBe(200);
});
