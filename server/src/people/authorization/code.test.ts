import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Browser, logIn } from '../../test/login.ts';
import {
  approveAuthorization,
  buildAuthorizationQuery,
  connectAgent,
  DECISIONS,
  inDays,
  makePkce,
  REDIRECT_URI,
  register,
  requestToken,
  sendForm,
} from '../../test/oauth-client.ts';
import { PUBLIC_URL } from '../../test/public-url.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { MAX_PERSONAL_TOKENS } from '../users/personal-tokens.ts';
import { sweepGrants } from './sweep.ts';

const harness = useHarness();
let username: string;
let userId: number;
let browser: Browser;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop' });
  ({ username, id: userId } = await makePerson(harness.db, 'Admin'));
  browser = await logIn(harness.app, username);
});

const readMe = (token: string) => call(harness.app, 'GET', '/api/admin/user', { token: `Bearer ${token}` });

const readLastEvents = async (type: string) =>
  (
    await sql<{ data: { id: number; client?: string }; preData: { id: number }; createdBy: string }>`
      select data, pre_data as "preData", created_by as "createdBy" from events where type = ${type} order by id desc`.execute(
      harness.db,
    )
  ).rows;

const exchange = (code: string, verifier: string, changes: Record<string, string | string[]> = {}) =>
  requestToken(harness.app, {
    grant_type: 'authorization_code',
    client_id: 'halyard-cli',
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
    ...changes,
  });

/** Returns a code for the CLI. The person's other tokens are removed first, because a user can have at most ten. */
async function newCode(changes: Record<string, string | undefined> = {}) {
  await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
  const pkce = makePkce();
  const callbackParameters = await approveAuthorization(browser, buildAuthorizationQuery(pkce, changes));
  return { code: callbackParameters.get('code') ?? '', verifier: pkce.verifier, callbackParameters };
}

test('when a person approves the CLI, it gets a personal token that is valid until the chosen expiry', async () => {
  const { code, verifier, callbackParameters } = await newCode();

  const { status, body, headers } = await exchange(code, verifier);

  expect(Object.fromEntries(callbackParameters)).toEqual({ code, state: 'a state', iss: PUBLIC_URL });
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^user:hyp_/),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    scope: 'read write',
  });
  expect(body.expires_in).toBeGreaterThan(6.9 * 86_400);
  expect(headers['cache-control']).toBe('no-store');
  expect((await readMe(body.access_token)).body).toMatchObject({
    user: { username },
    token: { kind: 'personal', description: 'my client', scope: null },
  });
});

test('caps expires_in at 68 years, because more seconds would overflow an integer', async () => {
  await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
  const pkce = makePkce();
  const callbackParameters = await approveAuthorization(browser, buildAuthorizationQuery(pkce), {
    expiresAt: '2199-01-01T00:00:00.000Z',
  });

  const { status, body } = await exchange(callbackParameters.get('code') ?? '', pkce.verifier);

  expect([status, body.expires_in]).toEqual([200, 2_147_483_647]);
});

test('granting and revoking a token are recorded, and the revoked token stops working', async () => {
  const { code, verifier } = await newCode();
  const { body } = await exchange(code, verifier);
  const { body: list } = await browser.send('GET', '/api/admin/user/tokens');
  const [grantedToken] = list.pats;

  const revocation = await browser.send('DELETE', `/api/admin/user/tokens/${grantedToken.id}`);

  expect(revocation.status).toBe(200);
  expect((await readMe(body.access_token)).status).toBe(401);
  expect((await readLastEvents('pat-created'))[0]).toMatchObject({
    createdBy: username,
    data: { id: grantedToken.id, client: 'halyard-cli' },
  });
  expect((await readLastEvents('pat-deleted'))[0]).toMatchObject({
    createdBy: username,
    preData: { id: grantedToken.id },
  });
});

test('an agent gets an access token and a refresh token with the limits that the person chose', async () => {
  const scope = { projects: ['shop'], readOnly: true };

  const { accessToken, refreshToken } = await connectAgent(harness.app, username, scope);

  expect(accessToken).toMatch(/^scoped:hyp_/);
  expect(refreshToken).toMatch(/^[\w-]{22}\.hyr_/);
  expect((await readMe(accessToken)).body.token).toMatchObject({ kind: 'agent', scope });
});

test.each([
  ['no projects', { readOnly: true }, 'scope.projects is required for an agent'],
  ['no maximum number of changes', { projects: ['shop'] }, 'scope.maxChanges is required for an agent'],
  [
    'an unknown project',
    { projects: ['nope'], readOnly: true },
    'scope.projects has unknown projects: "nope"',
  ],
])('rejects an agent with %s', async (_, scope, message) => {
  const query = buildAuthorizationQuery(makePkce(), { client_id: await register(harness.app) });

  const { status, body } = await browser.send('POST', DECISIONS, {
    body: { query, allow: true, token: { description: 'x', expiresAt: inDays(1), scope } },
  });

  expect(status).toBe(400);
  expect(body.message).toContain(message);
});

test('denying returns access_denied to the client', async () => {
  const { body } = await browser.send('POST', DECISIONS, {
    body: { query: buildAuthorizationQuery(makePkce()), allow: false },
  });

  const url = new URL(body.redirectTo);
  expect(url.origin + url.pathname).toBe(REDIRECT_URI);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'a state',
    iss: PUBLIC_URL,
  });
});

describe('permission to decide', () => {
  test('a page on a different site cannot send the decision', async () => {
    const { status } = await browser.send('POST', DECISIONS, {
      body: {
        query: buildAuthorizationQuery(makePkce()),
        allow: true,
        token: { description: 'x', expiresAt: inDays(1) },
      },
      headers: { 'sec-fetch-site': 'cross-site' },
    });

    expect(status).toBe(403);
  });

  test.each(['', '/preview'])('a token cannot send POST …/authorizations%s', async path => {
    const { token } = await makeUser(harness.db, 'Admin');

    const { status, body } = await call(harness.app, 'POST', DECISIONS + path, {
      token,
      body: { query: buildAuthorizationQuery(makePkce()), ...(path === '' && { allow: false }) },
    });

    expect([status, body.name]).toEqual([403, 'InvalidOperationError']);
    expect(body.message).toContain('logged in to the console');
  });

  test('a user with ten tokens cannot approve another client', async () => {
    const person = await makePerson(harness.db, 'Viewer');
    const personBrowser = await logIn(harness.app, person.username);
    for (let n = 0; n < MAX_PERSONAL_TOKENS; n++)
      await approveAuthorization(personBrowser, buildAuthorizationQuery(makePkce()), {
        description: `client ${n}`,
      });

    await expect(approveAuthorization(personBrowser, buildAuthorizationQuery(makePkce()))).rejects.toThrow(
      'at most 10 tokens',
    );
  });
});

describe('an invalid client, redirect URI or state never leads to a redirect', () => {
  test.each([
    ['no client', { client_id: undefined }, 'client_id is missing'],
    ['an unknown client', { client_id: 'nobody' }, 'Client "nobody" is unknown'],
    ['a forged registration', { client_id: 'dyn_W10' }, 'is unknown'],
    ['no redirect URI', { redirect_uri: undefined }, 'redirect_uri is missing'],
    ['a different path', { redirect_uri: 'http://127.0.0.1:5/other' }, "is not one of the client's"],
    ['a different host', { redirect_uri: 'https://evil.example/callback' }, "is not one of the client's"],
    ['a script', { redirect_uri: 'javascript://127.0.0.1/callback' }, "is not one of the client's"],
    ['a user in the URL', { redirect_uri: 'http://a@127.0.0.1/callback' }, "is not one of the client's"],
    ['a NUL', { state: 'a\0b' }, 'a character that is not allowed'],
    ['a long state', { state: 'a'.repeat(2_001) }, 'more than 2,000 characters'],
  ])('%s', async (_, changes, message) => {
    const query = buildAuthorizationQuery(makePkce(), changes);

    for (const [path, fields] of [
      ['/preview', {}],
      ['', { allow: false }],
    ] as const) {
      const { status, body } = await browser.send('POST', DECISIONS + path, { body: { query, ...fields } });
      expect(status).toBe(400);
      expect(body.message).toContain(message);
    }
  });

  test('rejects a repeated parameter', async () => {
    const query = `${buildAuthorizationQuery(makePkce())}&client_id=halyard-cli`;

    const { status, body } = await browser.send('POST', `${DECISIONS}/preview`, { body: { query } });

    expect([status, body.message]).toEqual([400, 'The parameter "client_id" is repeated.']);
  });

  test.each([{}, { query: '', userCode: 'X' }])(
    'rejects a body with neither or both of query and userCode: %j',
    async body => {
      expect((await browser.send('POST', `${DECISIONS}/preview`, { body })).status).toBe(400);
    },
  );
});

describe('reports a problem with the request', () => {
  test.each([
    ['invalid_request', { response_type: undefined }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_mode: 'fragment' }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_target', { resource: 'https://elsewhere.example/mcp' }],
    ['request_not_supported', { request: 'eyJ' }],
    ['request_uri_not_supported', { request_uri: 'https://elsewhere.example/r' }],
  ])('%s: %j', async (error, changes) => {
    const query = buildAuthorizationQuery(makePkce(), changes);

    const preview = await browser.send('POST', `${DECISIONS}/preview`, { body: { query } });
    const approval = await browser.send('POST', DECISIONS, {
      body: { query, allow: true, token: { description: 'x', expiresAt: inDays(1) } },
    });
    const denial = await browser.send('POST', DECISIONS, { body: { query, allow: false } });

    expect(preview.body.problem.error).toBe(error);
    expect(approval.status).toBe(403);
    expect(new URL(denial.body.redirectTo).searchParams.get('error')).toBe(error);
  });
});

test('describes the client and shows that it requests only read access', async () => {
  const client = await register(harness.app, ['https://agent.example/cb'], 'Agent\u202e \u0007Smith');
  const query = buildAuthorizationQuery(makePkce(), {
    client_id: client,
    redirect_uri: 'https://agent.example/cb',
    resource: `${PUBLIC_URL}/mcp`,
    scope: 'read offline_access',
  });

  const { body } = await browser.send('POST', `${DECISIONS}/preview`, { body: { query } });

  expect(body).toEqual({
    clientName: 'Agent Smith',
    clientHost: null,
    kind: 'agent',
    readOnly: true,
    redirectHost: 'agent.example',
    ip: null,
    problem: null,
  });
});

test('ignores case and a trailing slash in the URL of a resource', async () => {
  const resource = PUBLIC_URL.replace('http://localhost', 'HTTP://LocalHost');
  const { code, verifier } = await newCode({ resource: `${resource}/` });

  expect((await exchange(code, verifier, { resource })).status).toBe(200);
});

describe('exchanging a code', () => {
  test.each([
    ['invalid_request', { grant_type: '' }],
    ['unsupported_grant_type', { grant_type: 'password' }],
    ['invalid_request', { client_id: '' }],
    ['invalid_request', { code: '' }],
    ['invalid_request', { code_verifier: '' }],
    ['invalid_request', { redirect_uri: '' }],
    ['invalid_request', { code: ['a', 'b'] }],
    ['invalid_request', { code: 'a\0b' }],
    ['invalid_request', { code: 'a'.repeat(2_001) }],
    ['invalid_grant', { code: 'unknown' }],
    ['invalid_target', { resource: 'https://elsewhere.example/' }],
    ['invalid_target', { resource: `${PUBLIC_URL}/mcp` }],
  ])('%s for %j, and the code still works', async (error, changes) => {
    const { code, verifier } = await newCode();

    const rejection = await exchange(code, verifier, changes);

    expect([rejection.status, rejection.body.error]).toEqual([400, error]);
    expect(rejection.body.error_description).toEqual(expect.any(String));
    expect((await exchange(code, verifier)).status).toBe(200);
  });

  test.each([
    ['a different client', { client_id: 'https://elsewhere.example/client.json' }],
    ['a different redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ['a wrong verifier', { code_verifier: makePkce().verifier }],
  ])('%s invalidates the code', async (_, changes) => {
    const { code, verifier } = await newCode();

    const rejection = await exchange(code, verifier, changes);

    expect([rejection.status, rejection.body.error]).toEqual([400, 'invalid_grant']);
    expect((await exchange(code, verifier)).body.error).toBe('invalid_grant');
  });

  test('a code expires after 60 seconds', async () => {
    const { code, verifier } = await newCode();
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from code_expires_at - created_at)::integer as seconds from authorization_grants
      where activated_at is null order by token_id desc limit 1`.execute(harness.db);
    await sql`update authorization_grants set code_expires_at = now() where activated_at is null`.execute(
      harness.db,
    );

    const { body } = await exchange(code, verifier);

    expect(rows[0]?.seconds).toBe(60);
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'The code has expired.' });
  });

  test('a second use of a code revokes the token', async () => {
    const { code, verifier } = await newCode();
    const first = await exchange(code, verifier);

    const second = await exchange(code, verifier);

    expect(second.body.error).toBe('invalid_grant');
    expect((await readMe(first.body.access_token)).status).toBe(401);
    expect((await readLastEvents('pat-deleted'))[0]).toMatchObject({ createdBy: 'system' });
  });

  test('one of two simultaneous uses succeeds, and the other revokes the token', async () => {
    const { code, verifier } = await newCode();
    const requests = await harness.db.transaction().execute(async tx => {
      await sql`select from users where id = ${userId} for update`.execute(tx);
      const exchanges = [exchange(code, verifier), exchange(code, verifier)];
      await waitForLockWaiters(harness.db, 2);
      return exchanges;
    });

    const responses = await Promise.all(requests);

    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const success = responses.find(({ status }) => status === 200);
    expect((await readMe(success?.body.access_token)).status).toBe(401);
  });

  test('rejects a client secret, and a body that is too large or not a form in UTF-8', async () => {
    const basicAuth = await sendForm(
      harness.app,
      '/oauth/token',
      {},
      { headers: { authorization: 'Basic eA==' } },
    );
    const jsonBody = await harness.app.inject({
      method: 'POST',
      url: '/oauth/token',
      payload: { grant_type: 'x' },
    });
    const largeBody = await sendForm(harness.app, '/oauth/token', { code: 'a'.repeat(20_000) });
    const brokenBody = await harness.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: Buffer.from([0x63, 0x3d, 0xff]),
    });

    expect([basicAuth.status, basicAuth.body.error]).toEqual([401, 'invalid_client']);
    expect([jsonBody.statusCode, jsonBody.json().error]).toEqual([415, 'invalid_request']);
    expect([largeBody.status, largeBody.body.error]).toEqual([413, 'invalid_request']);
    expect([brokenBody.statusCode, brokenBody.json().error]).toEqual([400, 'invalid_request']);
  });
});

describe('refreshing', () => {
  const refreshWith = (clientId: string, refreshToken: string, changes: Record<string, string> = {}) =>
    requestToken(harness.app, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
      ...changes,
    });
  const newAgent = async () => {
    await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
    return await connectAgent(harness.app, username, { projects: ['shop'], maxChanges: 5 });
  };

  test('a refresh replaces both secrets of a token and keeps the limits of the token', async () => {
    const agent = await newAgent();
    const callerBefore = await readMe(agent.accessToken);

    const { status, body } = await refreshWith(agent.clientId, agent.refreshToken, { scope: 'read' });

    expect(status).toBe(200);
    expect(body).toMatchObject({ expires_in: 3_600, scope: 'read write' });
    expect((await readMe(agent.accessToken)).status).toBe(401);
    expect((await readMe(body.access_token)).body.token).toEqual(callerBefore.body.token);
  });

  test('an expired access token is rejected, but its grant can still be refreshed', async () => {
    const agent = await newAgent();
    await sql`update personal_access_tokens set secret_expires_at = now() where user_id = ${userId}`.execute(
      harness.db,
    );

    expect((await readMe(agent.accessToken)).status).toBe(401);
    const { body } = await refreshWith(agent.clientId, agent.refreshToken);
    expect((await readMe(body.access_token)).status).toBe(200);
  });

  test('a second use of a refresh token revokes the grant', async () => {
    const agent = await newAgent();
    const first = await refreshWith(agent.clientId, agent.refreshToken);

    const second = await refreshWith(agent.clientId, agent.refreshToken);

    expect(second.body.error).toBe('invalid_grant');
    expect((await readMe(first.body.access_token)).status).toBe(401);
    expect((await refreshWith(agent.clientId, first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('one of two simultaneous refreshes succeeds, and the other revokes the grant', async () => {
    const agent = await newAgent();
    const requests = await harness.db.transaction().execute(async tx => {
      await sql`select from users where id = ${userId} for update`.execute(tx);
      const refreshes = [1, 2].map(() => refreshWith(agent.clientId, agent.refreshToken));
      await waitForLockWaiters(harness.db, 2);
      return refreshes;
    });

    const responses = await Promise.all(requests);

    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const success = responses.find(({ status }) => status === 200);
    expect((await readMe(success?.body.access_token)).status).toBe(401);
  });

  test.each([
    ['invalid_grant', { refresh_token: 'unknown' }],
    ['invalid_grant', { client_id: 'halyard-cli' }],
    ['invalid_scope', { scope: 'read admin' }],
    ['invalid_target', { resource: 'https://elsewhere.example/' }],
  ])('%s for %j, and the refresh token still works', async (error, changes) => {
    const agent = await newAgent();

    const { status, body } = await refreshWith(agent.clientId, agent.refreshToken, changes);

    expect([status, body.error]).toEqual([400, error]);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).status).toBe(200);
  });

  test('a read-only grant cannot gain permissions', async () => {
    await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
    const agent = await connectAgent(harness.app, username, { projects: ['shop'], readOnly: true });

    const { body } = await refreshWith(agent.clientId, agent.refreshToken, { scope: 'write' });

    expect(body).toEqual({ error: 'invalid_scope', error_description: "The grant has the scope 'read'." });
  });

  test('a grant that has ended cannot be refreshed', async () => {
    const agent = await newAgent();
    await sql`update personal_access_tokens set expires_at = now() where user_id = ${userId}`.execute(
      harness.db,
    );

    const { body } = await refreshWith(agent.clientId, agent.refreshToken);

    expect(body).toEqual({ error: 'invalid_grant', error_description: 'The grant has expired.' });
  });

  test.each(['accessToken', 'refreshToken'] as const)('revoking %s ends the grant', async secretName => {
    const agent = await newAgent();

    const { status } = await sendForm(harness.app, '/oauth/revoke', { token: agent[secretName] });

    expect(status).toBe(200);
    expect((await readMe(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
    expect((await readLastEvents('pat-deleted'))[0]).toMatchObject({ createdBy: username });
  });

  test('revoking a token that was not granted to a client succeeds, but has no effect', async () => {
    const { token } = await makeUser(harness.db, 'Viewer');

    const responses = [
      await sendForm(harness.app, '/oauth/revoke', { token }),
      await sendForm(harness.app, '/oauth/revoke', { token: 'unknown' }),
      await sendForm(harness.app, '/oauth/revoke', {}),
    ];

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect((await readMe(token)).status).toBe(200);
  });

  test('deactivating the owner ends the grant', async () => {
    const person = await makePerson(harness.db, 'Viewer');
    const agent = await connectAgent(harness.app, person.username, { projects: ['shop'], readOnly: true });

    const { status } = await call(harness.app, 'POST', `/api/admin/user-admin/${person.id}/deactivate`);

    expect(status).toBe(200);
    expect((await readMe(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
    await call(harness.app, 'POST', `/api/admin/user-admin/${person.id}/reactivate`);
    expect((await readMe(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
  });

  test('revoking a token succeeds if its owner deletes it at the same time', async () => {
    const agent = await newAgent();
    const request = await harness.db.transaction().execute(async tx => {
      await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(tx);
      const revocation = sendForm(harness.app, '/oauth/revoke', { token: agent.accessToken });
      await waitForLockWaiters(harness.db, 1);
      return { revocation };
    });

    expect((await request.revocation).status).toBe(200);
  });
});

test('removes grants that have ended or were never fetched, and records each removal', async () => {
  const { code, verifier } = await newCode();
  await exchange(code, verifier);
  await approveAuthorization(browser, buildAuthorizationQuery(makePkce()), { description: 'never fetched' });
  await approveAuthorization(browser, buildAuthorizationQuery(makePkce()), { description: 'to be fetched' });
  const { rows } = await sql<{ id: number }>`
    select id from personal_access_tokens where user_id = ${userId} order by id`.execute(harness.db);
  const [usedToken, unfetchedToken] = rows.map(({ id }) => id);
  await sql`update personal_access_tokens set expires_at = now() where id = ${usedToken}`.execute(harness.db);
  await sql`update authorization_grants set created_at = now() - interval '11 minutes' where token_id = ${unfetchedToken}`.execute(
    harness.db,
  );

  const removedCount = await sweepGrants(harness.db);

  expect(removedCount).toBe(2);
  const deletedIds = (await readLastEvents('pat-deleted')).slice(0, 2).map(({ preData }) => preData.id);
  expect(deletedIds.toSorted((a, b) => a - b)).toEqual([usedToken, unfetchedToken]);
  expect(await sweepGrants(harness.db)).toBe(0);
});
