import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newToken } from '../../../plane/src/platform/token.ts';
import { makeApiToken, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();

async function counted(): Promise<Record<string, number>> {
  const { body } = await call(harness.app, 'GET', '/internal-backstage/prometheus', { token: null });
  const lines = String(body).matchAll(
    /^halyard_revoked_token_uses_total\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm,
  );
  return Object.fromEntries(
    [...lines].map(([, kind, reason, count]) => [`${kind} ${reason}`, Number(count)]),
  );
}

const use = async (token: string): Promise<number> =>
  (await call(harness.app, 'GET', '/api/admin/user', { token })).status;

async function makeBackendToken(): Promise<{ id: number; secret: string }> {
  const input = { tokenName: 'x', type: 'backend', environment: 'production' } as const;
  return (await makeApiToken(harness.db, input)) as { id: number; secret: string };
}

test('rejects a revoked or expired token with 401, and counts it by kind and reason', async () => {
  const { db, app } = harness;
  const [revoked, expired] = [await makeUser(db, 'Viewer'), await makeUser(db, 'Viewer')];
  const deleted = await makeUser(db, 'Viewer');
  const [api, oldApi] = [await makeBackendToken(), await makeBackendToken()];
  await sql`delete from personal_access_tokens where user_id = ${revoked.id}`.execute(db);
  await sql`update personal_access_tokens set expires_at = now() where user_id = ${expired.id}`.execute(db);
  await call(app, 'DELETE', `/api/admin/user-admin/${deleted.id}`);
  await call(app, 'DELETE', `/api/admin/api-tokens/${api.secret}`);
  await sql`update api_tokens set expires_at = now() where id = ${oldApi.id}`.execute(db);

  const statuses = [];
  for (const token of [revoked.token, revoked.token, expired.token, deleted.token, api.secret, oldApi.secret])
    statuses.push(await use(token));

  expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await counted()).toEqual({
    'personal revoked': 3,
    'personal expired': 1,
    'api revoked': 1,
    'api expired': 1,
  });
});

test('does not count a token that never existed', async () => {
  const before = await counted();

  const statuses = [await use(newToken('personal', 'user:')), await use('*:*.no-such-token')];

  expect(statuses).toEqual([401, 401]);
  expect(await counted()).toEqual(before);
});
