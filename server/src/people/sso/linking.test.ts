import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUserWith, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Account, type IdentityProvider, startIdentityProvider } from '../../test/identity-provider.ts';
import { type Browser, logIn, makeBrowser, tryLogin } from '../../test/login.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import {
  beginLogin,
  configureSso,
  getPathAndQuery,
  person,
  readCookies,
  sendAsBrowser,
} from '../../test/single-sign-on.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(() => configureSso(harness.app, provider.issuer));

const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();

async function logInBySso(account: Account): Promise<ApiResponse> {
  const { url, cookie } = await beginLogin(harness.app);
  return await sendAsBrowser(harness.app, getPathAndQuery(await provider.visit(url, account)), cookie);
}

const toBrowser = (response: ApiResponse): Browser =>
  makeBrowser(harness.app, `halyard-session=${readCookies(response)['halyard-session']}`);

/** Signs up with a signup link, which accepts any email address, and returns the id of the user. */
async function signUp(email: string): Promise<number> {
  const link = await call(harness.app, 'POST', '/api/admin/invite-link/tokens', {
    body: { name: 'open house', expiresAt: IN_A_DAY },
  });
  const signup = await call(harness.app, 'POST', `/invite/${link.body.secret}/signup`, {
    token: null,
    body: { email, password: PASSWORD },
  });
  expect(signup.status).toBe(201);
  return signup.body.id;
}

/** Creates every kind of credential for the user: a session, a personal token and a password link. */
async function createCredentials(id: number, email: string) {
  const browser = await logIn(harness.app, email);
  const token = await browser.send('POST', '/api/admin/user/tokens', {
    body: { description: 'planted', expiresAt: IN_A_DAY },
  });
  expect(token.status).toBe(201);
  const reset = await call(harness.app, 'POST', '/api/admin/user-admin/reset-password', {
    body: { id: String(id) },
  });
  const link = new URL(reset.body.resetPasswordUrl).searchParams.get('token');
  return { browser, token: String(token.body.secret), link: String(link) };
}

const readEvents = async (id: number) =>
  (
    await sql<{ type: string; by: string; recorded: object }>`
      select type, created_by as by, coalesce(data, pre_data) as recorded from events
      where type in ('user-identity-linked', 'user-sessions-ended', 'pat-deleted')
        and coalesce(data, pre_data) ->> 'userId' = ${String(id)}
      order by events.id`.execute(harness.db)
  ).rows;

const countRows = async (table: string, id: number): Promise<number> =>
  (await sql`select from ${sql.table(table)} where user_id = ${id}`.execute(harness.db)).rows.length;

test.each<[string, (email: string) => Promise<number>]>([
  ['a self-registered account', signUp],
  [
    'an account that an admin created',
    async email => (await makeUserWith(harness.db, { email, password: PASSWORD, rootRole: 'Viewer' })).id,
  ],
])('linking %s revokes every earlier credential', async (kind, create) => {
  await configureSso(harness.app, provider.issuer, { enableGroupSyncing: true, addGroupsScope: true });
  await call(harness.app, 'POST', '/api/admin/groups', {
    body: { name: `Admins for ${kind}`, mappingsSSO: ['admins'], rootRole: 1 },
  });
  const owner = person({ groups: ['admins'] });
  const email = String(owner.email);
  const id = await create(email);
  const credentials = await createCredentials(id, email);

  const response = await logInBySso(owner);

  expect((await toBrowser(response).send('GET', '/api/admin/user')).body).toMatchObject({
    user: { id },
    permissions: expect.arrayContaining([{ permission: 'ADMIN' }]),
  });
  expect(await tryLogin(harness.app, email)).toMatchObject({ status: 401 });
  expect(await credentials.browser.send('GET', '/api/admin/user')).toMatchObject({ status: 401 });
  expect(await call(harness.app, 'GET', '/api/admin/user', { token: credentials.token })).toMatchObject({
    status: 401,
  });
  const reset = await call(harness.app, 'POST', '/auth/reset/password', {
    token: null,
    body: { token: credentials.link, password: `${PASSWORD} again` },
  });
  expect(reset.status).toBe(401);
  expect(await countRows('sessions', id)).toBe(1);
  expect(await readEvents(id)).toMatchObject([
    { type: 'user-sessions-ended', recorded: { userId: id, sessions: 1 } },
    { type: 'pat-deleted', recorded: { userId: id, description: 'planted' } },
    {
      type: 'user-identity-linked',
      by: 'system',
      recorded: {
        userId: id,
        email,
        issuer: provider.issuer,
        revoked: { password: true, passwordLink: true, sessions: 1, personalTokens: 1 },
      },
    },
  ]);
});

test('linking deletes the known networks of the account', async () => {
  const owner = person();
  const id = await signUp(String(owner.email));
  expect((await tryLogin(harness.app, String(owner.email), PASSWORD, { ip: '192.0.2.77' })).status).toBe(200);

  await logInBySso(owner);

  const { rows } = await sql<{ address: string }>`
    select address from login_places where user_id = ${id}`.execute(harness.db);
  expect(rows).toEqual([{ address: '127.0.0.1' }]);
});

test('linking an account to an identity of a different provider deletes the earlier identity', async () => {
  const otherProvider = await startIdentityProvider();
  const [firstAccount, secondAccount] = [person(), person()];
  await configureSso(harness.app, otherProvider.issuer, { autoCreate: false });
  const id = await signUp(String(firstAccount.email));
  const { url, cookie } = await beginLogin(harness.app);
  expect(
    (await sendAsBrowser(harness.app, getPathAndQuery(await otherProvider.visit(url, firstAccount)), cookie))
      .headers['set-cookie'],
  ).toBeDefined();
  await configureSso(harness.app, provider.issuer);
  await logInBySso({ ...secondAccount, email: firstAccount.email });
  await otherProvider.close();

  const { rows } = await sql<{ issuer: string }>`
    select issuer from sso_identities where user_id = ${id}`.execute(harness.db);
  expect(rows).toEqual([{ issuer: provider.issuer }]);
});

test('a later login of the same identity revokes nothing', async () => {
  const owner = person();
  const browser = toBrowser(await logInBySso(owner));
  const { body } = await browser.send('POST', '/api/admin/user/tokens', {
    body: { description: 'own', expiresAt: IN_A_DAY },
  });

  await logInBySso(owner);

  expect((await call(harness.app, 'GET', '/api/admin/user', { token: body.secret })).status).toBe(200);
  expect((await browser.send('GET', '/api/admin/user')).status).toBe(200);
  expect(await readEvents(body.userId)).toEqual([]);
});

test('keeps the roles of a linked account and lets an admin set a password', async () => {
  const owner = person();
  const email = String(owner.email);
  const { id } = await makeUserWith(harness.db, { email, password: PASSWORD, rootRole: 'Editor' });
  await logInBySso(owner);

  await call(harness.app, 'POST', `/api/admin/user-admin/${id}/change-password`, {
    body: { password: PASSWORD },
  });

  expect((await tryLogin(harness.app, email)).status).toBe(200);
  expect((await call(harness.app, 'GET', `/api/admin/user-admin/${id}`)).body.rootRole).toBe(2);
});

test('creates no personal token if the session or token of the request is revoked during the request', async () => {
  const owner = person();
  const id = await signUp(String(owner.email));
  const { browser, token } = await createCredentials(id, String(owner.email));
  const body = { description: 'late', expiresAt: IN_A_DAY };
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from users where id = ${id} for update`.execute(blocker);

  const requests = [
    browser.send('POST', '/api/admin/user/tokens', { body }),
    call(harness.app, 'POST', '/api/admin/user/tokens', { token, body: { ...body, description: 'later' } }),
  ];
  await waitForLockWaiters(harness.db, 2);
  await sql`delete from sessions where user_id = ${id}`.execute(blocker);
  await sql`delete from personal_access_tokens where user_id = ${id}`.execute(blocker);
  await blocker.commit().execute();

  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 401]);
  expect(await countRows('personal_access_tokens', id)).toBe(0);
});

test('drops a reserved name from the provider', async () => {
  const response = await logInBySso(person({ name: 'System' }));

  expect((await toBrowser(response).send('GET', '/api/admin/user')).body.user.name).not.toMatch(/^system$/i);
});
