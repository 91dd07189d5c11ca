import type { Tx } from '../platform/db/database.ts';
import { invalidOperation } from '../platform/errors.ts';
import { countAdmins, lockAdmins } from './store.ts';

/**
 * Does work that may take ADMIN away from users, and refuses it if it takes it from the last one. Whoever else does such
 * work waits meanwhile. The lock comes before those on the users.
 */
export async function keepingAnAdmin<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await lockAdmins(tx);
  const before = await countAdmins(tx);
  const result = await work();
  if (before > 0 && (await countAdmins(tx)) === 0) {
    throw invalidOperation('This would leave no user who is an admin. Make another one an admin first.');
  }
  return result;
}
