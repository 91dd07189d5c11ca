import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MASK } from '../../platform/secrets/mask.ts';
import { makePerson, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import {
  CLIENT,
  type IdentityProvider,
  listen,
  startIdentityProvider,
  stop,
} from '../../test/identity-provider.ts';
import { call } from '../../test/request.ts';
import { configureSso } from '../../test/single-sign-on.ts';

const harness = useHarness();
const TEST = '/api/admin/auth/oidc/test';
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  await sql`delete from auth_settings`.execute(harness.db);
});

const testSettings = (body: object) => call(harness.app, 'POST', TEST, { body });
const makeValidSettings = () => ({ discoverUrl: provider.issuer, ...CLIENT });
const getResults = ({ body }: { body: { checks: { name: string; result: string }[] } }) =>
  Object.fromEntries(body.checks.map(({ name, result }) => [name, result]));

test("tests the provider's discovery document, its keys and the client without saving anything", async () => {
  const response = await testSettings({
    ...makeValidSettings(),
    idTokenSigningAlgorithm: 'RS256',
    addGroupsScope: true,
    enableSingleSignOut: true,
  });

  expect(response).toMatchObject({ status: 200, body: { passed: true, issuer: provider.issuer } });
  expect(getResults(response)).toEqual({
    discovery: 'passed',
    algorithm: 'passed',
    keys: 'passed',
    client: 'passed',
    claims: 'passed',
    scope: 'passed',
    logout: 'passed',
  });
  expect((await sql`select from auth_settings`.execute(harness.db)).rows).toHaveLength(0);
});

test.each<[string, () => object, string]>([
  ['a wrong secret', () => ({ secret: 'wrong' }), 'client'],
  ['an unknown client', () => ({ clientId: 'unknown' }), 'client'],
  ['an algorithm that the provider does not use', () => ({ idTokenSigningAlgorithm: 'ES512' }), 'algorithm'],
  ['a path without a document', () => ({ discoverUrl: `${provider.issuer}/elsewhere` }), 'discovery'],
  ['a port where nothing listens', () => ({ discoverUrl: 'http://127.0.0.1:9' }), 'discovery'],
])('fails with %s', async (_, fields, check) => {
  const response = await testSettings({ ...makeValidSettings(), ...fields() });

  expect(response).toMatchObject({ status: 200, body: { passed: false } });
  expect(getResults(response)[check]).toBe('failed');
  expect(JSON.stringify(response.body)).not.toContain(CLIENT.secret);
});

test.each<[string, (issuer: string) => object, object]>([
  ['a different issuer', () => ({ issuer: 'https://elsewhere.example' }), { issuer: 'failed' }],
  ['no keys', () => ({}), { keys: 'failed' }],
  [
    'keys at an http URL elsewhere',
    () => ({ jwks_uri: 'http://elsewhere.example/keys' }),
    { keys: 'failed' },
  ],
])('fails with a document that has %s', async (_, metadata, expected) => {
  let issuer = '';
  const { url, server } = await listen((request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(
        JSON.stringify(
          request.url === '/.well-known/openid-configuration'
            ? { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`, ...metadata(issuer) }
            : {},
        ),
      ),
  );
  issuer = url;
  try {
    const response = await testSettings({ ...makeValidSettings(), discoverUrl: issuer });

    expect(response).toMatchObject({ status: 200, body: { passed: false } });
    expect(getResults(response)).toMatchObject(expected);
  } finally {
    await stop(server);
  }
});

test.each<[string, unknown, object, string, RegExp]>([
  [
    'advertises all claims that a login reads',
    ['sub', 'email', 'email_verified', 'name', 'realm_access'],
    { enableGroupSyncing: true, groupJsonPath: 'realm_access.roles' },
    'passed',
    /^A login reads email, email_verified, name, realm_access.roles, and the provider advertises them/,
  ],
  [
    'advertises no groups',
    ['sub', 'email', 'email_verified', 'name'],
    { enableGroupSyncing: true },
    'warning',
    /does not advertise groups, so the first login shows whether it sends this claim/,
  ],
  [
    'advertises no groups while group syncing is disabled',
    ['email', 'email_verified', 'name'],
    {},
    'passed',
    /^A login reads email, email_verified, name,/,
  ],
  ['advertises no claims', undefined, {}, 'warning', /does not advertise its claims/],
  ['advertises something that is not a list', 'email', {}, 'warning', /does not advertise its claims/],
])('says which claims a login reads: the provider %s', async (_, claims, settings, result, message) => {
  let issuer = '';
  const { url, server } = await listen((_request, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        keys: [{}],
        claims_supported: claims,
      }),
    ),
  );
  issuer = url;
  try {
    const { body } = await testSettings({ ...makeValidSettings(), ...settings, discoverUrl: issuer });

    expect(body.checks.find(({ name }: { name: string }) => name === 'claims')).toEqual({
      name: 'claims',
      result,
      message: expect.stringMatching(message),
    });
  } finally {
    await stop(server);
  }
});

test('tolerates a discovery document with values of unexpected types', async () => {
  let issuer = '';
  const { url, server } = await listen((_, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer,
        token_endpoint: 7,
        jwks_uri: [],
        id_token_signing_alg_values_supported: 7,
        scopes_supported: { groups: true },
        end_session_endpoint: 7,
        token_endpoint_auth_methods_supported: 7,
      }),
    ),
  );
  issuer = url;
  try {
    const settings = { addGroupsScope: true, enableSingleSignOut: true, idTokenSigningAlgorithm: 'RS256' };

    const response = await testSettings({ ...makeValidSettings(), ...settings, discoverUrl: issuer });

    expect(response).toMatchObject({ status: 200, body: { passed: false } });
    expect(getResults(response)).toMatchObject({ keys: 'failed', client: 'warning', algorithm: 'warning' });
  } finally {
    await stop(server);
  }
});

test('sends the stored secret only to the URL it was entered for', async () => {
  const requests: string[] = [];
  const { url, server } = await listen((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  try {
    await configureSso(harness.app, provider.issuer);

    const omittedSecret = await testSettings({});
    const maskedSecret = await testSettings({ secret: MASK, clientId: CLIENT.clientId });
    const otherUrl = await testSettings({ discoverUrl: url });

    for (const response of [omittedSecret, maskedSecret])
      expect(getResults(response)).toMatchObject({ client: 'passed' });
    expect(otherUrl).toMatchObject({ status: 400, body: { details: [{ path: '/body/secret' }] } });
    expect(requests).toEqual([]);
  } finally {
    await stop(server);
  }
});

test.each<[string, object, string]>([
  ['no URL', { clientId: 'halyard' }, '/body/discoverUrl'],
  ['a URL with http', { ...CLIENT, discoverUrl: 'http://login.example.com' }, '/body/discoverUrl'],
  ['no client ID', { discoverUrl: 'https://login.example.com' }, '/body/clientId'],
  [
    'a mask without a stored secret',
    { clientId: 'x', discoverUrl: 'https://login.example.com', secret: MASK },
    '/body/secret',
  ],
])('rejects %s with the path of the field', async (_, body, path) => {
  const { status, body: error } = await testSettings(body);

  expect(status).toBe(400);
  expect(error.details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test('lists how admins can log in with the configured client or a given client', async () => {
  await sql`update users set deleted_at = now()`.execute(harness.db);
  const ada = await makePerson(harness.db, 'Admin');
  const kavya = await makeUser(harness.db, 'Admin');
  await makeUser(harness.db, 'Editor');
  const deactivatedAdmin = await makePerson(harness.db, 'Admin');
  await call(harness.app, 'POST', `/api/admin/user-admin/${deactivatedAdmin.id}/deactivate`);
  await configureSso(harness.app, provider.issuer);
  await sql`
    insert into sso_identities (issuer, client_id, subject, user_id)
    values (${provider.issuer}, ${CLIENT.clientId}, 'kavya', ${kavya.id})`.execute(harness.db);
  const listAdmins = async (query = '') =>
    (await call(harness.app, 'GET', `/api/admin/auth/admins${query}`)).body;

  expect(await listAdmins()).toMatchObject({
    total: 2,
    password: 1,
    singleSignOn: 1,
    admins: [
      { id: ada.id, password: true, singleSignOn: false },
      { id: kavya.id, password: false, singleSignOn: true },
    ],
  });
  expect(await listAdmins(`?issuer=${encodeURIComponent(provider.issuer)}`)).toMatchObject({
    singleSignOn: 1,
  });
  expect(await listAdmins('?issuer=https://elsewhere.example')).toMatchObject({ singleSignOn: 0 });
  expect(await listAdmins('?clientId=other')).toMatchObject({ singleSignOn: 0 });
});

test('requires the permission to change the settings', async () => {
  const { token } = await makeUser(harness.db, 'Editor');

  expect((await call(harness.app, 'POST', TEST, { token, body: makeValidSettings() })).status).toBe(403);
  expect((await call(harness.app, 'GET', '/api/admin/auth/admins', { token })).status).toBe(403);
});
