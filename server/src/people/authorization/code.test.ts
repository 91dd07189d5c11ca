import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  allow,
  connectAgent,
  DECISIONS,
  inDays,
  makePkce,
  queryOf,
  REDIRECT_URI,
  register,
  requestToken,
  sendForm,
} from '../../test/authorized-program.ts';
import { makePerson, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Browser, logIn } from '../../test/login.ts';
import { PUBLIC_URL } from '../../test/public-url.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
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

const me = (token: string) => call(harness.app, 'GET', '/api/admin/user', { token: `Bearer ${token}` });

const lastEvents = async (type: string) =>
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

/** A code for the command line. The person's other tokens are removed first, because there can be ten. */
async function newCode(changes: Record<string, string | undefined> = {}) {
  await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
  const pkce = makePkce();
  const back = await allow(browser, queryOf(pkce, changes));
  return { code: back.get('code') ?? '', verifier: pkce.verifier, back };
}

test('a person allows the command line, which gets a personal token until the chosen day', async () => {
  const { code, verifier, back } = await newCode();

  const { status, body, headers } = await exchange(code, verifier);

  expect(Object.fromEntries(back)).toEqual({ code, state: 'a state', iss: PUBLIC_URL });
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^user:hyp_/),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    scope: 'read write',
  });
  expect(body.expires_in).toBeGreaterThan(6.9 * 86_400);
  expect(headers['cache-control']).toBe('no-store');
  expect((await me(body.access_token)).body).toMatchObject({
    user: { username },
    token: { kind: 'personal', description: 'my program', scope: null },
  });
});

test('a token that ends in more than 68 years, which is more seconds than an integer can count', async () => {
  await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(harness.db);
  const pkce = makePkce();
  const back = await allow(browser, queryOf(pkce), { expiresAt: '2199-01-01T00:00:00.000Z' });

  const { status, body } = await exchange(back.get('code') ?? '', pkce.verifier);

  expect([status, body.expires_in]).toEqual([200, 2_147_483_647]);
});

test('granting and revoking in the profile are events, and the revoked token stops', async () => {
  const { code, verifier } = await newCode();
  const { body } = await exchange(code, verifier);
  const { body: list } = await browser.ask('GET', '/api/admin/user/tokens');
  const [granted] = list.pats;

  const revoked = await browser.ask('DELETE', `/api/admin/user/tokens/${granted.id}`);

  expect(revoked.status).toBe(200);
  expect((await me(body.access_token)).status).toBe(401);
  expect((await lastEvents('pat-created'))[0]).toMatchObject({
    createdBy: username,
    data: { id: granted.id, client: 'halyard-cli' },
  });
  expect((await lastEvents('pat-deleted'))[0]).toMatchObject({
    createdBy: username,
    preData: { id: granted.id },
  });
});

test('an agent gets an agent token for an hour, with the limits that the person chose', async () => {
  const scope = { projects: ['shop'], readOnly: true };

  const { accessToken, refreshToken } = await connectAgent(harness.app, username, scope);

  expect(accessToken).toMatch(/^scoped:hyp_/);
  expect(refreshToken).toMatch(/^[\w-]{22}\.hyr_/);
  expect((await me(accessToken)).body.token).toMatchObject({ kind: 'agent', scope });
});

test.each([
  ['no projects', { readOnly: true }, 'scope.projects is required for an agent'],
  ['no limit of changes', { projects: ['shop'] }, 'scope.maxChanges is required for an agent'],
  [
    'an unknown project',
    { projects: ['nope'], readOnly: true },
    'scope.projects has unknown projects: "nope"',
  ],
])('rejects an agent with %s', async (_, scope, message) => {
  const query = queryOf(makePkce(), { client_id: await register(harness.app) });

  const { status, body } = await browser.ask('POST', DECISIONS, {
    body: { query, allow: true, token: { description: 'x', expiresAt: inDays(1), scope } },
  });

  expect(status).toBe(400);
  expect(body.message).toContain(message);
});

test('denying returns access_denied to the program', async () => {
  const { body } = await browser.ask('POST', DECISIONS, {
    body: { query: queryOf(makePkce()), allow: false },
  });

  const url = new URL(body.redirectTo);
  expect(url.origin + url.pathname).toBe(REDIRECT_URI);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'a state',
    iss: PUBLIC_URL,
  });
});

describe('who may decide', () => {
  test('a page of a different site may not', async () => {
    const { status } = await browser.ask('POST', DECISIONS, {
      body: { query: queryOf(makePkce()), allow: true, token: { description: 'x', expiresAt: inDays(1) } },
      headers: { 'sec-fetch-site': 'cross-site' },
    });

    expect(status).toBe(403);
  });

  test.each(['', '/preview'])('a token may not: POST …/authorizations%s', async path => {
    const { token } = await makeUser(harness.db, 'Admin');

    const { status, body } = await call(harness.app, 'POST', DECISIONS + path, {
      token,
      body: { query: queryOf(makePkce()), ...(path === '' && { allow: false }) },
    });

    expect([status, body.name]).toEqual([403, 'InvalidOperationError']);
    expect(body.message).toContain('logged in to the console');
  });

  test('the eleventh token is rejected', async () => {
    const person = await makePerson(harness.db, 'Viewer');
    const theirs = await logIn(harness.app, person.username);
    for (let n = 0; n < MAX_PERSONAL_TOKENS; n++)
      await allow(theirs, queryOf(makePkce()), { description: `program ${n}` });

    await expect(allow(theirs, queryOf(makePkce()))).rejects.toThrow('at most 10 tokens');
  });
});

describe('a request with a wrong client or redirect URI never returns a URL', () => {
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
    const query = queryOf(makePkce(), changes);

    for (const [path, more] of [
      ['/preview', {}],
      ['', { allow: false }],
    ] as const) {
      const { status, body } = await browser.ask('POST', DECISIONS + path, { body: { query, ...more } });
      expect(status).toBe(400);
      expect(body.message).toContain(message);
    }
  });

  test('a repeated parameter', async () => {
    const query = `${queryOf(makePkce())}&client_id=halyard-cli`;

    const { status, body } = await browser.ask('POST', `${DECISIONS}/preview`, { body: { query } });

    expect([status, body.message]).toEqual([400, 'The parameter "client_id" is repeated.']);
  });

  test.each([{}, { query: '', userCode: 'X' }])('neither or both kinds of requests: %j', async body => {
    expect((await browser.ask('POST', `${DECISIONS}/preview`, { body })).status).toBe(400);
  });
});

describe('a request with a problem', () => {
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
    const query = queryOf(makePkce(), changes);

    const preview = await browser.ask('POST', `${DECISIONS}/preview`, { body: { query } });
    const allowed = await browser.ask('POST', DECISIONS, {
      body: { query, allow: true, token: { description: 'x', expiresAt: inDays(1) } },
    });
    const denied = await browser.ask('POST', DECISIONS, { body: { query, allow: false } });

    expect(preview.body.problem.error).toBe(error);
    expect(allowed.status).toBe(403);
    expect(new URL(denied.body.redirectTo).searchParams.get('error')).toBe(error);
  });
});

test('says what the program is, and that it only wants to read', async () => {
  const client = await register(harness.app, ['https://agent.example/cb'], 'Agent\u202e \u0007Smith');
  const query = queryOf(makePkce(), {
    client_id: client,
    redirect_uri: 'https://agent.example/cb',
    resource: `${PUBLIC_URL}/mcp`,
    scope: 'read offline_access',
  });

  const { body } = await browser.ask('POST', `${DECISIONS}/preview`, { body: { query } });

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

    const rejected = await exchange(code, verifier, changes);

    expect([rejected.status, rejected.body.error]).toEqual([400, error]);
    expect(rejected.body.error_description).toEqual(expect.any(String));
    expect((await exchange(code, verifier)).status).toBe(200);
  });

  test.each([
    ['a different client', { client_id: 'https://elsewhere.example/client.json' }],
    ['a different redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ['a wrong verifier', { code_verifier: makePkce().verifier }],
  ])('%s uses the code up', async (_, changes) => {
    const { code, verifier } = await newCode();

    const rejected = await exchange(code, verifier, changes);

    expect([rejected.status, rejected.body.error]).toEqual([400, 'invalid_grant']);
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
    expect((await me(first.body.access_token)).status).toBe(401);
    expect((await lastEvents('pat-deleted'))[0]).toMatchObject({ createdBy: 'system' });
  });

  test('of two uses at a time one succeeds, and the other revokes its token', async () => {
    const { code, verifier } = await newCode();
    const requests = await harness.db.transaction().execute(async tx => {
      await sql`select from users where id = ${userId} for update`.execute(tx);
      const both = [exchange(code, verifier), exchange(code, verifier)];
      await untilWaiting(harness.db, 2);
      return both;
    });

    const responses = await Promise.all(requests);

    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const issued = responses.find(({ status }) => status === 200);
    expect((await me(issued?.body.access_token)).status).toBe(401);
  });

  test('a client secret and a body that is not a form are rejected', async () => {
    const basic = await sendForm(
      harness.app,
      '/oauth/token',
      {},
      { headers: { authorization: 'Basic eA==' } },
    );
    const json = await harness.app.inject({
      method: 'POST',
      url: '/oauth/token',
      payload: { grant_type: 'x' },
    });
    const large = await sendForm(harness.app, '/oauth/token', { code: 'a'.repeat(20_000) });
    const broken = await harness.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: Buffer.from([0x63, 0x3d, 0xff]),
    });

    expect([basic.status, basic.body.error]).toEqual([401, 'invalid_client']);
    expect([json.statusCode, json.json().error]).toEqual([415, 'invalid_request']);
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request']);
    expect([broken.statusCode, broken.json().error]).toEqual([400, 'invalid_request']);
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

  test('replaces both secrets of the same token, and the token keeps its limits', async () => {
    const agent = await newAgent();
    const before = await me(agent.accessToken);

    const { status, body } = await refreshWith(agent.clientId, agent.refreshToken, { scope: 'read' });

    expect(status).toBe(200);
    expect(body).toMatchObject({ expires_in: 3_600, scope: 'read write' });
    expect((await me(agent.accessToken)).status).toBe(401);
    expect((await me(body.access_token)).body.token).toEqual(before.body.token);
  });

  test('the secret stops after an hour although the token goes on', async () => {
    const agent = await newAgent();
    await sql`update personal_access_tokens set secret_expires_at = now() where user_id = ${userId}`.execute(
      harness.db,
    );

    expect((await me(agent.accessToken)).status).toBe(401);
    const { body } = await refreshWith(agent.clientId, agent.refreshToken);
    expect((await me(body.access_token)).status).toBe(200);
  });

  test('a second use of a refresh token revokes the grant', async () => {
    const agent = await newAgent();
    const first = await refreshWith(agent.clientId, agent.refreshToken);

    const second = await refreshWith(agent.clientId, agent.refreshToken);

    expect(second.body.error).toBe('invalid_grant');
    expect((await me(first.body.access_token)).status).toBe(401);
    expect((await refreshWith(agent.clientId, first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('of two refreshes at a time one succeeds, and the other revokes the grant', async () => {
    const agent = await newAgent();
    const requests = await harness.db.transaction().execute(async tx => {
      await sql`select from users where id = ${userId} for update`.execute(tx);
      const both = [1, 2].map(() => refreshWith(agent.clientId, agent.refreshToken));
      await untilWaiting(harness.db, 2);
      return both;
    });

    const responses = await Promise.all(requests);

    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const issued = responses.find(({ status }) => status === 200);
    expect((await me(issued?.body.access_token)).status).toBe(401);
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

  test('a read-only grant cannot become more', async () => {
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

  test.each(['accessToken', 'refreshToken'] as const)('the %s revokes the whole grant', async which => {
    const agent = await newAgent();

    const { status } = await sendForm(harness.app, '/oauth/revoke', { token: agent[which] });

    expect(status).toBe(200);
    expect((await me(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
    expect((await lastEvents('pat-deleted'))[0]).toMatchObject({ createdBy: username });
  });

  test('revoking an unknown token succeeds, and a token that nobody granted to a program stays', async () => {
    const { token } = await makeUser(harness.db, 'Viewer');

    const responses = [
      await sendForm(harness.app, '/oauth/revoke', { token }),
      await sendForm(harness.app, '/oauth/revoke', { token: 'unknown' }),
      await sendForm(harness.app, '/oauth/revoke', {}),
    ];

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect((await me(token)).status).toBe(200);
  });

  test('deactivating the owner ends the grant', async () => {
    const person = await makePerson(harness.db, 'Viewer');
    const agent = await connectAgent(harness.app, person.username, { projects: ['shop'], readOnly: true });

    const { status } = await call(harness.app, 'POST', `/api/admin/user-admin/${person.id}/deactivate`);

    expect(status).toBe(200);
    expect((await me(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
    await call(harness.app, 'POST', `/api/admin/user-admin/${person.id}/reactivate`);
    expect((await me(agent.accessToken)).status).toBe(401);
    expect((await refreshWith(agent.clientId, agent.refreshToken)).body.error).toBe('invalid_grant');
  });

  test('a token that its owner deletes at the same time counts as revoked', async () => {
    const agent = await newAgent();
    const request = await harness.db.transaction().execute(async tx => {
      await sql`delete from personal_access_tokens where user_id = ${userId}`.execute(tx);
      const revoked = sendForm(harness.app, '/oauth/revoke', { token: agent.accessToken });
      await untilWaiting(harness.db, 1);
      return { revoked };
    });

    expect((await request.revoked).status).toBe(200);
  });
});

test('grants that have ended or were never fetched are removed, with events', async () => {
  const { code, verifier } = await newCode();
  await exchange(code, verifier);
  await allow(browser, queryOf(makePkce()), { description: 'never fetched' });
  await allow(browser, queryOf(makePkce()), { description: 'to be fetched' });
  const { rows } = await sql<{ id: number }>`
    select id from personal_access_tokens where user_id = ${userId} order by id`.execute(harness.db);
  const [used, unfetched] = rows.map(({ id }) => id);
  await sql`update personal_access_tokens set expires_at = now() where id = ${used}`.execute(harness.db);
  await sql`update authorization_grants set created_at = now() - interval '11 minutes' where token_id = ${unfetched}`.execute(
    harness.db,
  );

  const removed = await sweepGrants(harness.db);

  expect(removed).toBe(2);
  const deleted = (await lastEvents('pat-deleted')).slice(0, 2).map(({ preData }) => preData.id);
  expect(deleted.toSorted((a, b) => a - b)).toEqual([used, unfetched]);
  expect(await sweepGrants(harness.db)).toBe(0);
});
