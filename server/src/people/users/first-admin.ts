import { keepingAnAdmin } from '../../access/last-admin.ts';
import { ROOT_ROLES } from '../../access/roles.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { hashPassword } from '../passwords/hash.ts';
import { addUser, checkNewUser } from './create.ts';
import { hasUsers } from './store.ts';

/**
 * The admin that the operator named, made when there was never a user. Later starts change nothing: not the password of
 * this admin, and not whoever was deleted. Of several servers that start at once, one makes it.
 */
export async function createFirstAdmin(db: Db, username: string, password: string): Promise<void> {
  if (await hasUsers(db)) return;
  const fields = checkNewUser({ username, email: username.includes('@') ? username : null }, password);
  const passwordHash = await hashPassword(password);
  await change(db, SYSTEM, async ({ tx, actor, record }) =>
    keepingAnAdmin(tx, async () => {
      if (!(await hasUsers(tx))) await addUser({ tx, actor, record }, fields, ROOT_ROLES.Admin, passwordHash);
    }),
  );
}
