import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../platform/config.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { duringTransaction } from '../../test/during.ts';
import { makePerson, makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { tryLogin } from '../../test/login.ts';
import { call } from '../../test/request.ts';
import { checkClientSecret, openSecret, resealClientSecret } from './secret.ts';
import { findOidc } from './store.ts';

const harness = useHarness();
const OIDC = '/api/admin/auth/oidc/settings';
const SIMPLE = '/api/admin/auth/simple/settings';
const SECRET = 'a-canary-that-must-not-be-seen';
const VALID = {
  enabled: true,
  discoverUrl: 'https://login.example.com',
  clientId: 'halyard',
  secret: SECRET,
};

const get = (path: string) => call(harness.app, 'GET', path);
const post = (path: string, body: object) => call(harness.app, 'POST', path, { body });
const readLastEvents = async (limit: number) =>
  (await get(`/api/admin/search/events?limit=${limit}`)).body.events;

beforeEach(async () => {
  await sql`delete from auth_settings`.execute(harness.db);
});

test('enables only password login by default', async () => {
  expect((await get(OIDC)).body).toEqual({
    enabled: false,
    discoverUrl: null,
    clientId: null,
    secret: null,
    autoCreate: false,
    emailDomains: '',
    defaultRootRole: 'Viewer',
    defaultRootRoleId: 3,
    enableSingleSignOut: false,
    enableGroupSyncing: false,
    groupJsonPath: null,
    addGroupsScope: false,
    acrValues: null,
    idTokenSigningAlgorithm: null,
  });
  expect((await get(SIMPLE)).body).toEqual({ disabled: false });
});

test('creates and updates the settings, keeps omitted fields, and records both changes', async () => {
  const created = await post(OIDC, VALID);
  const updated = await post(OIDC, {
    autoCreate: true,
    emailDomains: 'example.com',
    defaultRootRole: 'Editor',
  });
  const repeated = await post(OIDC, { ...updated.body });

  expect([created.status, updated.status, repeated.status]).toEqual([200, 200, 200]);
  expect(updated.body).toMatchObject({ ...VALID, secret: MASK, autoCreate: true, defaultRootRoleId: 2 });
  expect(repeated.body).toEqual(updated.body);
  expect((await get(OIDC)).body).toEqual(updated.body);
  expect(await readLastEvents(2)).toMatchObject([
    {
      type: 'setting-updated',
      data: { id: 'auth.oidc', ...updated.body },
      preData: { id: 'auth.oidc', ...created.body },
    },
    { type: 'setting-created', data: { id: 'auth.oidc', ...created.body }, preData: null },
  ]);
});

test('encrypts the secret, which appears in no response, event or column', async () => {
  await post(OIDC, VALID);
  const sameSecret = await post(OIDC, { secret: SECRET });
  const eventsBefore = (await readLastEvents(1))[0].id;
  const otherSecret = await post(OIDC, { secret: `${SECRET}-2` });

  expect((await readLastEvents(1))[0]).toMatchObject({
    type: 'setting-updated',
    data: { secretChanged: true },
  });
  expect((await readLastEvents(1))[0].id).toBe(eventsBefore + 1);
  const sealed = (await findOidc(harness.db))?.sealedSecret ?? null;
  expect(openSecret(makeKeyring(APP_SETTINGS.secretKey, []), sealed)).toBe(`${SECRET}-2`);
  const { rows } = await sql`select events.*::text, (select auth_settings::text from auth_settings)
    from events where type like 'setting-%'`
    .execute(harness.db)
    .catch(
      async () =>
        await sql`select events::text as event, (select auth_settings::text from auth_settings) as settings
        from events where type like 'setting-%'`.execute(harness.db),
    );
  expect(rows.length).toBeGreaterThan(0);
  for (const text of [sameSecret.body, otherSecret.body, (await get(OIDC)).body, rows])
    expect(JSON.stringify(text)).not.toContain(SECRET);
});

test('rejects a new discoverUrl unless the request also enters or removes the secret', async () => {
  await post(OIDC, VALID);

  const secretOmitted = await post(OIDC, { discoverUrl: 'https://evil.example' });
  const secretMasked = await post(OIDC, { discoverUrl: 'https://evil.example', secret: MASK });
  const secretRemoved = await post(OIDC, { discoverUrl: 'https://evil.example', secret: null });

  for (const response of [secretOmitted, secretMasked])
    expect(response).toMatchObject({ status: 400, body: { details: [{ path: '/body/secret' }] } });
  expect(secretRemoved).toMatchObject({ status: 200, body: { secret: null } });
});

test.each<[string, object, string]>([
  ['no discoverUrl', { enabled: true, clientId: 'x' }, '/body/discoverUrl'],
  ['no clientId', { enabled: true, discoverUrl: VALID.discoverUrl }, '/body/clientId'],
  ['plain http', { discoverUrl: 'http://login.example.com' }, '/body/discoverUrl'],
  ['a scheme other than http and https', { discoverUrl: 'file:///etc/passwd' }, '/body/discoverUrl'],
  ['a URL with a password', { discoverUrl: 'https://a:b@login.example.com' }, '/body/discoverUrl'],
  ['an invalid URL', { discoverUrl: 'nonsense' }, '/body/discoverUrl'],
  ['autoCreate without domains', { autoCreate: true, emailDomains: ' , ' }, '/body/emailDomains'],
  ['invalid domains', { emailDomains: 'exa mple.com;x' }, '/body/emailDomains'],
  ['an unknown role', { defaultRootRole: 'Boss' }, '/body/defaultRootRole'],
  ['a project role', { defaultRootRoleId: 4 }, '/body/defaultRootRoleId'],
  ['a shared-key algorithm', { idTokenSigningAlgorithm: 'HS256' }, '/body/idTokenSigningAlgorithm'],
  ['a mask while no secret is stored', { secret: MASK }, '/body/secret'],
])('rejects %s', async (_case, body, path) => {
  const response = await post(OIDC, body);

  expect(response).toMatchObject({ status: 400, body: { details: [{ path }] } });
  expect(await findOidc(harness.db)).toBeUndefined();
});

test('lists every validation error', async () => {
  const { body } = await post(OIDC, { enabled: true, autoCreate: true, defaultRootRoleId: 999 });

  expect(body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    '/body/clientId',
    '/body/defaultRootRoleId',
    '/body/discoverUrl',
    '/body/emailDomains',
  ]);
});

test('accepts http for a provider on this machine', async () => {
  for (const discoverUrl of ['http://127.0.0.1:8080/realms/x', 'http://localhost', 'http://[::1]:1'])
    expect((await post(OIDC, { discoverUrl })).status).toBe(200);
});

test('requires an encryption key to enable single sign-on or store a secret', async () => {
  const app = await harness.secondServer({ secretKey: undefined });

  for (const body of [VALID, { secret: 'x' }])
    expect(await call(app, 'POST', OIDC, { body })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('HALYARD_SECRET_KEY') },
    });
});

test('rejects deleting the role that new accounts get', async () => {
  const body = { name: 'Newcomer', type: 'root-custom', permissions: [] };
  const { id } = (await post('/api/admin/roles', body)).body.roles;
  const update = await post(OIDC, { defaultRootRoleId: id });

  const deletion = await call(harness.app, 'DELETE', `/api/admin/roles/${id}`);

  expect(update.body).toMatchObject({ defaultRootRoleId: id });
  expect(update.body.defaultRootRole).toBeUndefined();
  expect(deletion).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('single sign-on') },
  });
});

test('disables password login only while single sign-on is enabled, and vice versa', async () => {
  const { username } = await makePerson(harness.db);
  const tooEarly = await post(SIMPLE, { disabled: true });
  await post(OIDC, VALID);

  const disabled = await post(SIMPLE, { disabled: true });
  const repeated = await post(SIMPLE, { disabled: true });
  const login = await tryLogin(harness.app, username);
  const bothDisabled = await post(OIDC, { enabled: false });
  const tokenRequest = await get('/api/admin/user');
  const enabled = await post(SIMPLE, { disabled: false });
  const laterLogin = await tryLogin(harness.app, username);

  expect([tooEarly.status, disabled.status, repeated.status, bothDisabled.status, enabled.status]).toEqual([
    403, 200, 200, 403, 200,
  ]);
  expect(login).toMatchObject({ status: 403, body: { message: expect.stringContaining('disabled') } });
  expect([tokenRequest.status, laterLogin.status]).toEqual([200, 200]);
  expect(await readLastEvents(2)).toMatchObject([
    { type: 'setting-updated', data: { disabled: false }, preData: { id: 'auth.simple', disabled: true } },
    { type: 'setting-created', data: { id: 'auth.simple', disabled: true } },
  ]);
});

test('rejects the second of two concurrent requests that disable both login methods', async () => {
  await post(OIDC, VALID);

  const response = await duringTransaction(
    harness.db,
    async tx => {
      await sql`select pg_advisory_xact_lock(hashtext('auth settings'))`.execute(tx);
      await sql`insert into auth_settings (name, content) values ('simple', '{"disabled": true}')`.execute(
        tx,
      );
    },
    () => post(OIDC, { enabled: false }),
  );

  expect(response).toMatchObject({ status: 403 });
});

test('requires UPDATE_AUTH_CONFIGURATION, which Editors lack', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  const body = {
    name: 'Doorkeeper',
    type: 'root-custom',
    permissions: [{ name: 'UPDATE_AUTH_CONFIGURATION' }],
  };
  const { id } = (await post('/api/admin/roles', body)).body.roles;
  const doorkeeper = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'PUT', `/api/admin/user-admin/${doorkeeper.id}`, { body: { rootRole: id } });

  for (const [token, status] of [
    [editor.token, 403],
    [doorkeeper.token, 200],
  ] as const)
    expect((await call(harness.app, 'GET', OIDC, { token })).status).toBe(status);
});

test('encrypts the secret again in a key rotation, and does not start without the right key', async () => {
  await post(OIDC, VALID);
  const [oldKey, nextKey] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  const { db } = harness;

  await expect(checkClientSecret(db, makeKeyring(nextKey, []))).rejects.toThrow(ConfigError);
  await checkClientSecret(db, makeKeyring(nextKey, [oldKey]));
  expect(await resealClientSecret(db, makeKeyring(nextKey, [oldKey]))).toBe(true);
  expect(await resealClientSecret(db, makeKeyring(nextKey, [oldKey]))).toBe(false);

  await checkClientSecret(db, makeKeyring(nextKey, []));
  expect(openSecret(makeKeyring(nextKey, []), (await findOidc(db))?.sealedSecret ?? null)).toBe(SECRET);
});

test('accepts SAML settings only if they disable SAML', async () => {
  const SAML = '/api/admin/auth/saml/settings';
  const newestEventBefore = (await readLastEvents(1))[0]?.id;

  const disabled = await post(SAML, {
    enabled: false,
    entityId: 'https://idp.example.com',
    certificate: 'x',
  });
  const enabled = await post(SAML, { enabled: true });
  const empty = await post(SAML, {});

  expect(disabled).toMatchObject({ status: 200, body: { enabled: false } });
  expect(enabled).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('OpenID Connect'), details: [{ path: '/body/enabled' }] },
  });
  expect(empty).toMatchObject({ status: 400, body: { details: [{ path: '/body/enabled' }] } });
  expect(await get(SAML)).toMatchObject({ status: 200, body: { enabled: false } });
  expect((await readLastEvents(1))[0]?.id).toBe(newestEventBefore);
});

test('returns the enabled login methods and nothing else', async () => {
  const readMethods = async () => {
    const { status, body, headers } = await call(harness.app, 'GET', '/auth/methods', { token: null });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    return body;
  };
  const password = { type: 'password', label: 'Password', path: '/auth/simple/login' };
  const oidc = { type: 'oidc', label: 'Single sign-on', path: '/auth/oidc/login' };

  expect(await readMethods()).toEqual({ methods: [password] });
  await post(OIDC, { ...VALID, enabled: false });
  await post(SIMPLE, { disabled: false });
  expect(await readMethods()).toEqual({ methods: [password] });
  await post(OIDC, { enabled: true });
  expect(await readMethods()).toEqual({ methods: [password, oidc] });
  await post(SIMPLE, { disabled: true });
  expect(await readMethods()).toEqual({ methods: [oidc] });
});
