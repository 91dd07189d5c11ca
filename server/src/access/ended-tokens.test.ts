import { newToken } from '@halyard/plane/platform/token.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApiToken, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();

async function readCounts(): Promise<Record<string, number>> {
  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });
  const lines = String(body).matchAll(
    /^halyard_revoked_token_uses_total\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm,
  );
  return Object.fromEntries(
    [...lines].map(([, kind, reason, count]) => [`${kind} ${reason}`, Number(count)]),
  );
}

const sendRequest = async (token: string): Promise<number> =>
  (await call(harness.app, 'GET', '/api/admin/user', { token })).status;

async function makeBackendToken(): Promise<{ id: number; secret: string }> {
  const input = { tokenName: 'x', type: 'backend', environment: 'production' } as const;
  return (await makeApiToken(harness.db, input)) as { id: number; secret: string };
}

test('rejects a revoked or expired token with 401, and counts it by kind and reason', async () => {
  const { db, app } = harness;
  const [revokedUser, expiredUser] = [await makeUser(db, 'Viewer'), await makeUser(db, 'Viewer')];
  const deletedUser = await makeUser(db, 'Viewer');
  const [revokedApi, expiredApi] = [await makeBackendToken(), await makeBackendToken()];
  await sql`delete from personal_access_tokens where user_id = ${revokedUser.id}`.execute(db);
  await sql`update personal_access_tokens set expires_at = now() where user_id = ${expiredUser.id}`.execute(
    db,
  );
  await call(app, 'DELETE', `/api/admin/user-admin/${deletedUser.id}`);
  await call(app, 'DELETE', `/api/admin/api-tokens/${revokedApi.secret}`);
  await sql`update api_tokens set expires_at = now() where id = ${expiredApi.id}`.execute(db);

  const statuses = [];
  for (const token of [
    revokedUser.token,
    revokedUser.token,
    expiredUser.token,
    deletedUser.token,
    revokedApi.secret,
    expiredApi.secret,
  ])
    statuses.push(await sendRequest(token));

  expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await readCounts()).toEqual({
    'personal revoked': 3,
    'personal expired': 1,
    'api revoked': 1,
    'api expired': 1,
  });
});

test('does not count a token that never existed', async () => {
  const countsBefore = await readCounts();

  const statuses = [await sendRequest(newToken('personal', 'user:')), await sendRequest('*:*.no-such-token')];

  expect(statuses).toEqual([401, 401]);
  expect(await readCounts()).toEqual(countsBefore);
});
