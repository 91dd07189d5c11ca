import { invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { countAdmins, lockAdmins } from './store.ts';

/**
 * Runs work that can revoke ADMIN from users, and rejects the change if no admin remains. Such changes run one at a time, and take
 * their lock before the locks on users.
 */
export async function keepLastAdmin<T>({ tx }: Change, work: () => Promise<T>): Promise<T> {
  await lockAdmins(tx);
  const adminsBefore = await countAdmins(tx);
  const result = await work();
  if (adminsBefore > 0 && (await countAdmins(tx)) === 0)
    throw invalidOperation('No user with the Admin role would remain. Grant the role to another user first.');
  return result;
}
