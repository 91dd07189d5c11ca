import { sql } from 'kysely';
import { ROOT_ROLES } from '../../access/roles.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { checkNewUser, createUser } from './create.ts';
import { hasUsers } from './store.ts';

/**
 * Creates the admin that the operator configured, if the instance has never had a user. Later starts neither change this admin's
 * password nor restore a deleted admin. If several servers start together, one of them creates the admin.
 */
export async function createFirstAdmin(db: Db, username: string, password: string): Promise<void> {
  if (await hasUsers(db)) return;
  const email = username.includes('@') ? username : null;
  const admin = await checkNewUser({ username, email, password, rootRole: ROOT_ROLES.Admin });
  await change(db, SYSTEM, async current =>
    keepLastAdmin(current, async () => {
      if (!(await hasUsers(current.tx))) await createUser(current, admin);
    }),
  );
}

/** Returns whether anybody can use the admin API: a user, or a client with an admin token. */
export async function hasUserOrAdminToken(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from users where kind = 'user' and deleted_at is null)
      or exists (
        select from api_tokens
        where type = 'admin' and revoked_at is null and (expires_at is null or expires_at > now())
      ) as found`.execute(db);
  return rows[0]?.found === true;
}
