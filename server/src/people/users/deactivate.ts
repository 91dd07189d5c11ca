import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { endUserSessions } from '../sessions/end.ts';
import type { User } from './admin-schema.ts';
import { userEventData } from './create.ts';
import { findUser, lockExistingUsers, markDeactivated, markReactivated } from './store.ts';

/**
 * Ends the sessions and deletes the tokens and password link of a user, who then cannot log in until somebody reactivates them.
 * The user keeps their roles and memberships. A deactivated user does not count as an admin, so the last active admin cannot be
 * deactivated.
 */
export async function deactivateUser(current: Change, id: number): Promise<User> {
  return await keepLastAdmin(current, async () => {
    const { tx, record } = current;
    const [user] = await lockExistingUsers(tx, [id]);
    if (!user) throw notFound(`User ${id}`);
    if (user.deactivatedAt !== null) return user;
    const sessions = await endUserSessions(current, [id]);
    const tokens = await markDeactivated(tx, id);
    record({ type: 'user-deactivated', data: { ...userEventData(user), sessions, tokens } });
    return (await findUser(tx, id)) ?? user;
  });
}

/** Lets a deactivated user log in again, with the roles and groups that they have. Deleted tokens are not restored. */
export async function reactivateUser({ tx, record }: Change, id: number): Promise<User> {
  const [user] = await lockExistingUsers(tx, [id]);
  if (!user) throw notFound(`User ${id}`);
  if (user.deactivatedAt === null) return user;
  await markReactivated(tx, id);
  record({ type: 'user-reactivated', data: userEventData(user) });
  return { ...user, deactivatedAt: null };
}
