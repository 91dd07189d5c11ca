import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makePerson, makeUser, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { countLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();

const TOKENS = '/api/admin/invite-link/tokens';
const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString();
const create = async (name = 'interns') =>
  (await call(harness.app, 'POST', TOKENS, { body: { name, expiresAt: IN_A_MONTH } })).body;
const update = (key: number | string, body: unknown) =>
  call(harness.app, 'PUT', `${TOKENS}/${key}`, { body });
const validate = (secret: string) => call(harness.app, 'GET', `/invite/${secret}/validate`, { token: null });
const signUp = (secret: string, body: object) =>
  call(harness.app, 'POST', `/invite/${secret}/signup`, { token: null, body, ip: '192.0.2.50' });
const newMember = (email: string) => ({ email, name: 'New Here', password: PASSWORD });
const readLastEvent = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}&limit=1`)).body.events[0];

test('shows the secret of a signup link once, stores its hash, and records no secret', async () => {
  const admin = await makeUser(harness.db, 'Admin', 'inviter');

  const created = await call(harness.app, 'POST', TOKENS, {
    token: admin.token,
    body: { name: 'interns', expiresAt: IN_A_MONTH },
  });

  const { id, secret, url } = created.body;
  expect(created).toMatchObject({
    status: 201,
    body: {
      name: 'interns',
      enabled: true,
      expiresAt: IN_A_MONTH,
      createdBy: 'inviter',
      users: [],
      role: { name: 'Viewer' },
    },
  });
  expect(secret).toMatch(/^hyi_\w{49}$/);
  expect(url).toBe(`http://localhost:4242/new-user?token=${secret}&invite=true`);
  const maskedLink = { ...created.body, secret: `…${secret.slice(-4)}`, url: null };
  expect((await call(harness.app, 'GET', `${TOKENS}/${id}`)).body).toEqual(maskedLink);
  expect((await call(harness.app, 'GET', `${TOKENS}/${secret}`)).body).toEqual(maskedLink);
  expect((await call(harness.app, 'GET', TOKENS)).body.tokens).toContainEqual(maskedLink);
  const event = await readLastEvent('public-signup-token-created');
  expect(event.data).toEqual({ id, name: 'interns', enabled: true, expiresAt: IN_A_MONTH, rootRole: 3 });
  const { rows } =
    await sql`select from signup_tokens where to_jsonb(signup_tokens)::text like ${`%${secret}%`}`.execute(
      harness.db,
    );
  expect(rows).toEqual([]);
});

test('signs up a Viewer, who can log in, and records the signup and the user', async () => {
  const { id, secret } = await create('summer');

  expect((await validate(secret)).status).toBe(200);
  const signup = await signUp(secret, { ...newMember('kim@example.com'), username: 'kim', rootRole: 1 });

  expect(signup).toMatchObject({ status: 201, body: { email: 'kim@example.com', rootRole: 3 } });
  expect((await tryLogin(harness.app, 'kim@example.com')).status).toBe(200);
  const { users } = (await call(harness.app, 'GET', `${TOKENS}/${id}`)).body;
  expect(users).toEqual([
    { id: signup.body.id, name: 'New Here', username: 'kim', email: 'kim@example.com' },
  ]);
  const [signupEvent, userEvent] = [
    await readLastEvent('public-signup-token-user-added'),
    await readLastEvent('user-created'),
  ];
  expect(signupEvent).toMatchObject({
    createdBy: 'system',
    ip: '192.0.2.50',
    data: { name: 'summer', userId: signup.body.id },
  });
  expect(signupEvent.summary).toBe('**system** let user **kim** join through signup link **summer**');
  expect(userEvent.groupId).toBe(signupEvent.groupId);
});

test('rejects a signup with an unknown, forged, disabled or expired link', async () => {
  const [disabledLink, expiredLink] = [await create(), await create()];
  await update(disabledLink.id, { enabled: false });
  await sql`update signup_tokens set expires_at = now() where id = ${expiredLink.id}`.execute(harness.db);

  for (const secret of [disabledLink.secret, expiredLink.secret, 'nonsense', `hyi_${'a'.repeat(49)}`]) {
    for (const response of [await validate(secret), await signUp(secret, newMember('late@example.com'))]) {
      expect(response).toMatchObject({ status: 401, body: { name: 'AuthenticationRequired' } });
    }
  }
});

test('rejects a signup whose link is disabled during the request', async () => {
  const { id, secret } = await create();
  const admin = await harness.db.startTransaction().execute();
  await sql`update signup_tokens set enabled = false where id = ${id}`.execute(admin);

  const signup = signUp(secret, newMember('racer@example.com'));
  await expect.poll(() => countLockWaiters(harness.db)).toBe(1);
  await admin.commit().execute();

  expect((await signup).status).toBe(401);
});

test.each<[string, object, string]>([
  ['an empty password', { email: 'w@example.com', password: '' }, '/body/password'],
  ['a weak password', { email: 'w@example.com', password: 'secret' }, '/body/password'],
  ['no email address', { username: 'w', password: PASSWORD }, '/body/email'],
  ['an empty email address and no username', { email: '', password: PASSWORD }, '/body/username'],
])('rejects a signup with %s', async (_case, body, path) => {
  const { secret } = await create();

  expect(await signUp(secret, body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('rejects a signup with a taken username', async () => {
  const { username } = await makePerson(harness.db);
  const { secret } = await create();

  expect((await signUp(secret, { ...newMember('free@example.com'), username })).status).toBe(409);
});

test('updates a link by id or secret and records only changes', async () => {
  const { id, secret, expiresAt } = await create();

  const updated = await update(secret, { enabled: false });
  await update(id, { enabled: false, expiresAt });

  expect(updated).toMatchObject({ status: 200, body: { id, enabled: false, url: null } });
  const events = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?type=IS:public-signup-token-updated',
  );
  const ownEvents = events.body.events.filter((event: { data: { id: number } }) => event.data.id === id);
  expect(ownEvents).toHaveLength(1);
  expect(ownEvents[0]).toMatchObject({ data: { enabled: false }, preData: { enabled: true } });
  expect((await update(999_999, { enabled: true })).status).toBe(404);
  expect((await call(harness.app, 'GET', `${TOKENS}/999999`)).status).toBe(404);
});

test.each(['2020-01-01T00:00:00Z', new Date(Date.now() + 366 * 86_400_000).toISOString()])(
  'rejects the expiry %s',
  async expiresAt => {
    const { id } = await create();
    const rejections = [
      await call(harness.app, 'POST', TOKENS, { body: { name: 'x', expiresAt } }),
      await update(id, { expiresAt }),
    ];

    for (const response of rejections) {
      expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/expiresAt' }] } });
    }
  },
);
