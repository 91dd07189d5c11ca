import type { Tx } from '../db/database.ts';
import { invalidOperation } from '../errors.ts';
import { ROOT_ROLES } from './roles.ts';
import { countAdmins, lockAdmins } from './store.ts';

/**
 * Does what takes a root role from someone, and refuses it if that was the last user who may do everything. An instance
 * that has none, because its operator works with an admin token, is left as it is.
 */
export async function keepAnAdmin(tx: Tx, taken: number | null, work: () => Promise<void>): Promise<void> {
  if (taken !== ROOT_ROLES.Admin) return await work();
  const before = await lockAdmins(tx);
  await work();
  if (before > 0 && (await countAdmins(tx)) === 0) {
    throw invalidOperation('This would leave no user with the role Admin. Give it to another user first.');
  }
}
