import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { tryLogin } from '../../test/login.ts';
import { createFirstAdmin, hasUserOrAdminToken } from './first-admin.ts';

const harness = useHarness();

test('does not create a first admin with a weak password', async () => {
  await expect(createFirstAdmin(harness.db, 'root-of-all', 'password')).rejects.toMatchObject({
    name: 'BadDataError',
  });
});

test('creates a single first admin if several servers start together, and changes nothing on later starts', async () => {
  await Promise.all([1, 2, 3].map(() => createFirstAdmin(harness.db, 'first', PASSWORD)));
  await createFirstAdmin(harness.db, 'second', PASSWORD);
  await createFirstAdmin(harness.db, 'first', 'another staple battery horse');

  const { rows } =
    await sql`select username, role_id from users join user_roles on user_id = users.id`.execute(harness.db);
  expect(rows).toEqual([{ username: 'first', role_id: 1 }]);
  expect((await tryLogin(harness.app, 'first')).status).toBe(200);
});

test('does not recreate a deleted first admin', async () => {
  await sql`update users set deleted_at = now()`.execute(harness.db);

  await createFirstAdmin(harness.db, 'first', PASSWORD);

  expect((await tryLogin(harness.app, 'first')).status).toBe(401);
});

test('hasUserOrAdminToken finds a user or a valid admin token, but no deleted user and no expired or revoked token', async () => {
  const findsAnybody = () => hasUserOrAdminToken(harness.db);

  await sql`update users set deleted_at = now() where kind = 'user'`.execute(harness.db);
  const withToken = await findsAnybody();
  await sql`update api_tokens set expires_at = now() where type = 'admin'`.execute(harness.db);
  const withExpiredToken = await findsAnybody();
  await sql`update api_tokens set expires_at = null, revoked_at = now() where type = 'admin'`.execute(
    harness.db,
  );
  const withRevokedToken = await findsAnybody();
  await sql`update users set deleted_at = null where kind = 'user'`.execute(harness.db);

  expect([withToken, withExpiredToken, withRevokedToken, await findsAnybody()]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
