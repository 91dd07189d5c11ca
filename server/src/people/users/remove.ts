import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { keepLastAdmin } from '../grants/last-admin.ts';
import { revokeRolesOfUsers } from '../grants/revoke.ts';
import { leaveAllGroups } from '../groups/members.ts';
import { endSessionsOf } from '../sessions/end.ts';
import { removeViewsOf } from '../views/save.ts';
import type { User } from './admin-schema.ts';
import { userEventData } from './create.ts';
import { filterInactive, lockUsers, markDeleted } from './store.ts';

/** A user without a request for this many days is inactive. */
export const INACTIVE_DAYS = 180;

/** Deletes a user. Their sessions, tokens, roles and memberships end on every server. Their events keep their name. */
export async function removeUser(current: Change, id: number): Promise<void> {
  await keepLastAdmin(current, async () => {
    const users = await lockUsers(current.tx, [id]);
    if (users.length === 0) throw notFound(`User ${id}`);
    await remove(current, users);
  });
}

/** Deletes all of the users, or none if one of them is not inactive. */
export async function removeInactiveUsers(current: Change, ids: number[]): Promise<void> {
  await keepLastAdmin(current, async () => {
    const users = await lockUsers(current.tx, ids);
    const inactive = new Set(await filterInactive(current.tx, ids, INACTIVE_DAYS));
    const active = [...new Set(ids)].filter(id => !inactive.has(id));
    if (active.length > 0) {
      throw badData(
        active.map(id => ({
          message: `user ${id} does not exist or was active in the last ${INACTIVE_DAYS} days`,
          path: '/body/ids',
        })),
      );
    }
    await remove(current, users);
  });
}

async function remove(current: Change, users: User[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await endSessionsOf(current, ids);
  await revokeRolesOfUsers(current, ids);
  await leaveAllGroups(current, ids);
  await removeViewsOf(current.tx, ids);
  await markDeleted(current.tx, ids);
  for (const user of users) current.record({ type: 'user-deleted', preData: userEventData(user) });
}
