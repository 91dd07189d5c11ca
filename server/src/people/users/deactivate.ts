import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { endSessionsOf } from '../sessions/end.ts';
import type { User } from './admin-schema.ts';
import { userEventData } from './create.ts';
import { findUser, lockUsers, markDeactivated, markReactivated } from './store.ts';

/**
 * Ends the sessions and deletes the tokens and password link of a user, who then cannot log in until somebody reactivates them. Roles and
 * memberships stay. A deactivated user does not count as an admin, so the last active admin cannot be deactivated.
 */
export async function deactivateUser(current: Change, id: number): Promise<User> {
  return await keepLastAdmin(current, async () => {
    const { tx, record } = current;
    const [before] = await lockUsers(tx, [id]);
    if (!before) throw notFound(`User ${id}`);
    if (before.deactivatedAt !== null) return before;
    const sessions = await endSessionsOf(current, [id]);
    const tokens = await markDeactivated(tx, id);
    record({ type: 'user-deactivated', data: { ...userEventData(before), sessions, tokens } });
    return (await findUser(tx, id)) ?? before;
  });
}

/** Lets a deactivated user log in again, with the roles and groups that they have. Tokens do not come back. */
export async function reactivateUser({ tx, record }: Change, id: number): Promise<User> {
  const [before] = await lockUsers(tx, [id]);
  if (!before) throw notFound(`User ${id}`);
  if (before.deactivatedAt === null) return before;
  await markReactivated(tx, id);
  record({ type: 'user-reactivated', data: userEventData(before) });
  return { ...before, deactivatedAt: null };
}
