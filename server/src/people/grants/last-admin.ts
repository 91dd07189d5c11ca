import { invalidOperation } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { countAdmins, lockAdmins } from './store.ts';

/**
 * Runs work that can revoke ADMIN from users, and rejects it if no admin remains. Such changes run one at a time. Their lock
 * comes before the locks on users.
 */
export async function keepLastAdmin<T>({ tx }: Change, work: () => Promise<T>): Promise<T> {
  await lockAdmins(tx);
  const before = await countAdmins(tx);
  const result = await work();
  if (before > 0 && (await countAdmins(tx)) === 0) {
    throw invalidOperation('No user with the role Admin would remain. Grant the role to another user first.');
  }
  return result;
}
