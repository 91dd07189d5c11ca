import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { revokeUserRoles } from '../grants/revoke.ts';
import { removeFromAllGroups } from '../groups/members.ts';
import { endUserSessions } from '../sessions/end.ts';
import { removeUserViews } from '../views/save.ts';
import type { User } from './admin-schema.ts';
import { userEventData } from './create.ts';
import { filterInactive, lockExistingUsers, markDeleted } from './store.ts';

/** A user without a request for this many days is inactive. */
export const INACTIVE_DAYS = 180;

/** Deletes a user. Their sessions, tokens, roles and memberships end on every server. Events still show their name. */
export async function removeUser(current: Change, id: number): Promise<void> {
  await keepLastAdmin(current, async () => {
    const users = await lockExistingUsers(current.tx, [id]);
    if (users.length === 0) throw notFound(`User ${id}`);
    await removeUsers(current, users);
  });
}

/** Deletes all the given users, or none of them if one is missing or was active recently. */
export async function removeInactiveUsers(current: Change, ids: number[]): Promise<void> {
  await keepLastAdmin(current, async () => {
    const users = await lockExistingUsers(current.tx, ids);
    const inactiveIds = new Set(await filterInactive(current.tx, ids, INACTIVE_DAYS));
    const activeIds = [...new Set(ids)].filter(id => !inactiveIds.has(id));
    if (activeIds.length > 0) {
      throw badData(
        activeIds.map(id => ({
          message: `user ${id} does not exist or was active in the last ${INACTIVE_DAYS} days`,
          path: '/body/ids',
        })),
      );
    }
    await removeUsers(current, users);
  });
}

async function removeUsers(current: Change, users: User[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await endUserSessions(current, ids);
  await revokeUserRoles(current, ids);
  await removeFromAllGroups(current, ids);
  await removeUserViews(current.tx, ids);
  await markDeleted(current.tx, ids);
  for (const user of users) current.record({ type: 'user-deleted', preData: userEventData(user) });
}
