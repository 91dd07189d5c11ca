import { randomBytes } from 'node:crypto';
import { hashToken, isForged, newToken, SECRET_PATTERN } from '@halyard/plane/platform/token.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { createInitialAdminTokens } from './initial-admin-tokens.ts';
import { resealOwnSecrets } from './own-secrets.ts';

const harness = useHarness();

const NEW_TOKEN = {
  tokenName: 'checkout',
  type: 'backend',
  environment: 'production',
  projects: ['default'],
};
const create = (body: object = {}) =>
  call(harness.app, 'POST', '/api/admin/api-tokens', { body: { ...NEW_TOKEN, ...body } });
const list = async (): Promise<Record<string, unknown>[]> =>
  (await call(harness.app, 'GET', '/api/admin/api-tokens')).body.tokens;

test('shows a token once and stores its hash', async () => {
  const created = await create();

  expect(created.status).toBe(201);
  const { id, secret } = created.body;
  expect(secret).toMatch(/^default:production\.hyc_[0-9A-Za-z]{49}$/);
  expect((await list()).find(token => token.id === id)?.secret).toBe(
    `default:production.…${secret.slice(-4)}`,
  );
  const { rows } = await sql<{ row: string; hash: Buffer }>`
    select api_tokens::text as row, hash from api_tokens where id = ${id}`.execute(harness.db);
  expect(rows[0]?.row).not.toContain(secret.slice(20));
  expect(rows[0]?.hash).toEqual(hashToken(secret));
  const events = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:api-token-created&limit=1');
  expect(events.body.events[0]).toMatchObject({
    project: 'default',
    environment: 'production',
    data: { id, tokenName: 'checkout', type: 'backend', projects: ['default'] },
  });
  expect(JSON.stringify(events.body)).not.toContain(secret.slice(-10));
});

test.each([
  [{ projects: ['*'] }, /^\*:production\./, ['*'], null],
  [{ projects: undefined, project: 'default' }, /^default:production\./, ['default'], 'default'],
  [{ projects: undefined }, /^\*:production\./, ['*'], null],
  [{ type: 'frontend' }, /^default:production\.hyf_/, ['default'], 'default'],
  [{ tokenName: undefined, username: 'old name' }, /^default:production\./, ['default'], 'default'],
])('creates a token in the format that SDKs expect for %j', async (fields, pattern, projects, project) => {
  const { status, body } = await create(fields);

  expect(status).toBe(201);
  expect(body.secret).toMatch(pattern);
  expect(body.projects).toEqual(projects);
  const events = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:api-token-created&limit=1');
  expect(events.body.events[0].project).toBe(project);
});

test('creates a token for development without an environment, as Unleash does', async () => {
  const { status, body } = await create({ environment: undefined });

  expect([status, body.environment]).toEqual([201, 'development']);
  expect(body.secret).toMatch(/^default:development\./);
});

test.each(['api-tokens', 'projects/default/api-tokens'])('POST /%s accepts an expiry of null', async path => {
  const { status, body } = await call(harness.app, 'POST', `/api/admin/${path}`, {
    body: { ...NEW_TOKEN, expiresAt: null },
  });

  expect([status, body.expiresAt]).toEqual([201, null]);
});

test.each(['api-tokens', 'projects/default/api-tokens'])(
  'POST /%s rejects an edge token with an expiry, and accepts one with null',
  async path => {
    const post = (expiresAt: string | null) =>
      call(harness.app, 'POST', `/api/admin/${path}`, {
        body: { ...NEW_TOKEN, tokenName: 'edge', type: 'edge', expiresAt },
      });
    const tokensBefore = (await list()).length;

    const rejection = await post('2999-01-01T00:00:00.000Z');

    expect(rejection).toMatchObject({
      status: 400,
      body: {
        details: [
          {
            message:
              'a token of type "edge" does not expire. Omit expiresAt, and revoke the token when the edge is removed',
            path: '/body/expiresAt',
          },
        ],
      },
    });
    expect(await list()).toHaveLength(tokensBefore);
    expect((await post(null)).status).toBe(201);
  },
);

test('finds a token by its name, id or secret, but not by part of the secret', async () => {
  const { id, secret, identifier } = (await create({ tokenName: 'kept apart' })).body;
  const find = async (key: string) =>
    (await call(harness.app, 'GET', `/api/admin/api-tokens/${encodeURIComponent(key)}`)).body.tokens.map(
      (token: { id: number }) => token.id,
    );

  expect(identifier).toBe(String(id));
  for (const key of ['kept apart', identifier, secret]) expect(await find(key)).toEqual([id]);
  for (const key of ['kept', secret.slice(0, -1), '0', '999999']) expect(await find(key)).toEqual([]);
});

test.each([
  [{ type: 'admin' }, '/body/type'],
  [{ environment: 'moon' }, '/body/environment'],
  [{ tokenName: undefined }, '/body/tokenName'],
  [{ projects: ['default', 'moon'] }, '/body/projects'],
  [{ projects: [] }, '/body/projects'],
  [{ expiresAt: 'tomorrow' }, '/body/expiresAt'],
  [{ expiresAt: '2030-01-01T00:00:00+23:59' }, '/body/expiresAt'],
  [{ expiresAt: '2020-01-01T00:00:00.000Z' }, '/body/expiresAt'],
])('rejects %j', async (fields, path) => {
  expect(await create(fields)).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', details: [{ path }] },
  });
});

test('rejects a revoked personal token on a second server immediately', async () => {
  const second = await harness.secondServer();
  const user = await makeUser(harness.db, 'Admin');
  const { pats } = (await call(harness.app, 'GET', '/api/admin/user/tokens', { token: user.token })).body;
  const readStatusOnSecond = async () =>
    (await call(second, 'GET', '/api/admin/user', { token: user.token })).status;
  const statusBefore = await readStatusOnSecond();

  await call(harness.app, 'DELETE', `/api/admin/user/tokens/${pats[0].id}`, { token: user.token });

  expect([statusBefore, await readStatusOnSecond()]).toEqual([200, 401]);
});

test('rejects a revoked admin token on a second server and after a restart', async () => {
  const second = await harness.secondServer();
  const token = '*:*.another-admin-token-0123456789-0123456789';
  await createInitialAdminTokens(harness.db, [token]);
  const readStatusOnSecond = async () => (await call(second, 'GET', '/api/admin/user', { token })).status;
  const statusBefore = await readStatusOnSecond();

  const revoked = await call(harness.app, 'DELETE', `/api/admin/api-tokens/${encodeURIComponent(token)}`);
  const statusAfter = await readStatusOnSecond();
  await createInitialAdminTokens(harness.db, [token]);

  expect(revoked.status).toBe(200);
  expect([statusBefore, statusAfter, await readStatusOnSecond()]).toEqual([200, 401, 401]);
});

test('rejects a token as soon as its revocation commits', async () => {
  const second = await harness.secondServer();
  const token = '*:*.admin-token-under-revocation-0123456789';
  await createInitialAdminTokens(harness.db, [token]);
  const readStatusOnSecond = async () => (await call(second, 'GET', '/api/admin/user', { token })).status;
  const revocation = await harness.db.startTransaction().execute();
  await sql`update api_tokens set revoked_at = now() where hash = ${hashToken(token)}`.execute(revocation);

  const statusBeforeCommit = await readStatusOnSecond();
  await revocation.commit().execute();

  expect([statusBeforeCommit, await readStatusOnSecond()]).toEqual([200, 401]);
});

test('rejects an expired token, and applies a new expiry immediately', async () => {
  const { id, secret } = (await create({ type: 'client' })).body;
  const readStatus = async () =>
    (await call(harness.app, 'GET', '/api/admin/user', { token: secret })).status;
  const setExpiry = (expiresAt: string | null) =>
    call(harness.app, 'PUT', `/api/admin/api-tokens/${id}`, { body: { expiresAt } });

  const statusBefore = await readStatus();
  const expiredToken = await setExpiry('2020-01-01T00:00:00Z');
  const statusAfterExpiry = await readStatus();
  await setExpiry(null);

  expect(expiredToken).toMatchObject({ status: 200, body: { expiresAt: '2020-01-01T00:00:00.000Z' } });
  expect([statusBefore, statusAfterExpiry, await readStatus()]).toEqual([403, 401, 403]);
  const events = await call(harness.app, 'GET', '/api/admin/search/events?type=IS:api-token-updated&limit=1');
  expect(events.body.events[0]).toMatchObject({
    data: { expiresAt: null },
    preData: { expiresAt: '2020-01-01T00:00:00.000Z' },
  });
});

test('records the last use at most once a minute', async () => {
  const [recentToken, oldToken] = [
    '*:*.used-a-moment-ago-0123456789',
    '*:*.used-long-ago-0123456789',
  ] as const;
  await createInitialAdminTokens(harness.db, [recentToken, oldToken]);
  const readSeenAt = async (token: string) => {
    const { rows } = await sql<{ at: string }>`
      select seen_at as at from api_tokens where hash = ${hashToken(token)}`.execute(harness.db);
    return rows[0]?.at;
  };
  const setSeenAt = (token: string, age: string) =>
    sql`update api_tokens set seen_at = now() - ${age}::interval where hash = ${hashToken(token)}`.execute(
      harness.db,
    );
  await setSeenAt(recentToken, '20 seconds');
  await setSeenAt(oldToken, '61 seconds');
  const seenBefore = { recent: await readSeenAt(recentToken), old: await readSeenAt(oldToken) };

  await call(harness.app, 'GET', '/api/admin/user', { token: recentToken });
  await call(harness.app, 'GET', '/api/admin/user', { token: oldToken });

  await expect.poll(() => readSeenAt(oldToken)).not.toEqual(seenBefore.old);
  // The recent token was used first, so its last use would have been written by now.
  expect(await readSeenAt(recentToken)).toEqual(seenBefore.recent);
});

test.each(['DELETE', 'PUT'] as const)('%s of an unknown token returns 404', async method => {
  const body = method === 'PUT' ? { body: { expiresAt: null } } : {};
  for (const key of ['999999', newToken('client', '*:production.')]) {
    const url = `/api/admin/api-tokens/${encodeURIComponent(key)}`;
    expect(await call(harness.app, method, url, body)).toMatchObject({
      status: 404,
      body: { name: 'NotFoundError' },
    });
  }
});

test('lets an Editor read SDK tokens, but not read admin tokens or create tokens', async () => {
  const editor = await makeUser(harness.db, 'Editor');
  await create();

  const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens', { token: editor.token })).body;
  const rejection = await call(harness.app, 'POST', '/api/admin/api-tokens', {
    token: editor.token,
    body: NEW_TOKEN,
  });

  expect(tokens.length).toBeGreaterThan(0);
  expect(tokens.filter((token: { type: string }) => token.type === 'admin')).toEqual([]);
  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejection.body.message).toContain('CREATE_CLIENT_API_TOKEN');
});

test('new tokens are unique and have a valid checksum, and a changed last character is detected', () => {
  const tokens = Array.from({ length: 200 }, () => newToken('personal', 'user:'));

  expect(new Set(tokens).size).toBe(200);
  for (const token of tokens) {
    expect(token).toMatch(SECRET_PATTERN);
    expect(isForged(token)).toBe(false);
    expect(isForged(token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a'))).toBe(true);
  }
  expect(isForged(ADMIN_TOKEN)).toBe(false);
});

describe('a service account that reads the secrets of its tokens', () => {
  const callAsAdmin = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
    await call(harness.app, method, `/api/admin/${path}`, { body });
  const makeAccount = async (name: string, readsTokenSecrets: boolean) => {
    const { id } = (await callAsAdmin('POST', 'service-account', { name, rootRole: 1, readsTokenSecrets }))
      .body;
    const expiresAt = '2048-01-01T00:00:00.000Z';
    const { body } = await callAsAdmin('POST', `service-account/${id}/token`, {
      description: 'one',
      expiresAt,
    });
    return { id, token: body.secret as string };
  };
  const createAs = async (token: string): Promise<{ id: number; secret: string }> =>
    (await call(harness.app, 'POST', '/api/admin/api-tokens', { token, body: NEW_TOKEN })).body;
  const readTokenAs = async (token: string, id: number) => {
    const { tokens } = (await call(harness.app, 'GET', '/api/admin/api-tokens', { token })).body;
    const { secret, secure } = tokens.find((listed: { id: number }) => listed.id === id);
    const [foundToken] = (await call(harness.app, 'GET', `/api/admin/api-tokens/${id}`, { token })).body
      .tokens;
    expect(foundToken).toMatchObject({ secret, secure });
    return { secret, secure };
  };
  const readSealedSecret = async (id: number) => {
    const { rows } = await sql<{ sealed: string | null }>`
      select sealed_secret as sealed from api_tokens where id = ${id}`.execute(harness.db);
    return rows[0]?.sealed;
  };

  test('gets the secrets in the list and by id, and no other caller does', async () => {
    const [reader, other] = [await makeAccount('reader', true), await makeAccount('other reader', true)];
    const { id, secret } = await createAs(reader.token);
    const hint = { secret: `default:production.…${secret.slice(-4)}`, secure: true };

    expect(await readTokenAs(reader.token, id)).toEqual({ secret, secure: false });
    expect(await readTokenAs(other.token, id)).toEqual(hint);
    expect(await readTokenAs(ADMIN_TOKEN, id)).toEqual(hint);
    expect(await readSealedSecret(id)).not.toContain(secret.slice(20));
    const events = await call(harness.app, 'GET', '/api/admin/search/events?limit=10');
    expect(JSON.stringify(events.body)).not.toContain(secret.slice(-10));
  });

  test('updates a token with the ETag of a response that contains the secret', async () => {
    const { token } = await makeAccount('careful reader', true);
    const { id } = await createAs(token);
    const path = `/api/admin/api-tokens/${id}`;
    const { headers } = await call(harness.app, 'GET', path, { token });

    const { status } = await call(harness.app, 'PUT', path, {
      token,
      headers: { 'if-match': String(headers.etag) },
      body: { expiresAt: '2048-01-01T00:00:00.000Z' },
    });

    expect(status).toBe(200);
  });

  test('gets only secrets of tokens that it created after the setting was enabled, and none once it is disabled', async () => {
    const account = await makeAccount('changing', false);
    const earlierToken = await createAs(account.token);
    await callAsAdmin('PUT', `service-account/${account.id}`, { readsTokenSecrets: true });
    const { id, secret } = await createAs(account.token);
    expect((await readTokenAs(account.token, earlierToken.id)).secure).toBe(true);
    expect(await readTokenAs(account.token, id)).toEqual({ secret, secure: false });

    await callAsAdmin('PUT', `service-account/${account.id}`, { readsTokenSecrets: false });
    await callAsAdmin('PUT', `service-account/${account.id}`, { readsTokenSecrets: true });

    expect((await readTokenAs(account.token, id)).secure).toBe(true);
    expect(await readSealedSecret(id)).toBeNull();
  });

  test('loses the secrets when the token or the account is deleted', async () => {
    const account = await makeAccount('leaving', true);
    const [revokedToken, orphanedToken] = [await createAs(account.token), await createAs(account.token)];

    await callAsAdmin('DELETE', `api-tokens/${revokedToken.id}`);
    await callAsAdmin('DELETE', `service-account/${account.id}`);

    expect([await readSealedSecret(revokedToken.id), await readSealedSecret(orphanedToken.id)]).toEqual([
      null,
      null,
    ]);
  });

  test('gets the masked secret while no key can decrypt the secret, and the full secret again after a rotation with the right key', async () => {
    const account = await makeAccount('rotating', true);
    const { id, secret } = await createAs(account.token);
    const [oldKey, nextKey] = [APP_SETTINGS.secretKey, randomBytes(32)];

    expect(await resealOwnSecrets(harness.db, makeKeyring(nextKey, []))).toMatchObject({ resealed: 0 });
    expect((await resealOwnSecrets(harness.db, makeKeyring(nextKey, [oldKey]))).resealed).toBeGreaterThan(0);
    expect((await readTokenAs(account.token, id)).secure).toBe(true);
    await resealOwnSecrets(harness.db, makeKeyring(oldKey, [nextKey]));

    expect(await readTokenAs(account.token, id)).toEqual({ secret, secure: false });
  });

  test('requires a server with an encryption key', async () => {
    const keyless = await harness.secondServer({ secretKey: undefined });

    const { status, body } = await call(keyless, 'POST', '/api/admin/service-account', {
      body: { name: 'keyless', rootRole: 1, readsTokenSecrets: true },
    });

    expect([status, body.message]).toEqual([403, expect.stringContaining('HALYARD_SECRET_KEY')]);
  });
});
