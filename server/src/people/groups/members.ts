import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { readNames } from '../grants/names.ts';
import { findRoleViolations } from '../roles/violations.ts';
import type { GroupInput } from './schema.ts';
import { deleteUserMemberships, lockExistingUsers } from './store.ts';

/** Returns the ids of the members, without duplicates and in ascending order. */
export const getMemberIds = (users: NonNullable<GroupInput['users']>): number[] =>
  [...new Set(users.map(({ user }) => user.id))].toSorted((a, b) => a - b);

/** Rejects a body with members or a root role that do not exist, and lists every missing user and role. */
export async function requireExistingReferences(
  tx: Tx,
  { users = [], rootRole }: Partial<GroupInput>,
): Promise<void> {
  const roles = rootRole === undefined || rootRole === null ? [] : [{ id: rootRole, path: '/body/rootRole' }];
  const details = [
    ...(await findUserViolations(tx, users)),
    ...(await findRoleViolations(tx, 'root', roles)),
  ];
  if (details.length > 0) throw badData(details);
}

async function findUserViolations(tx: Tx, users: NonNullable<GroupInput['users']>): Promise<Violation[]> {
  if (users.length === 0) return [];
  const existingIds = new Set(await lockExistingUsers(tx, getMemberIds(users)));
  return users.flatMap(({ user: { id } }, index) =>
    existingIds.has(id)
      ? []
      : [{ message: `user ${id} does not exist`, path: `/body/users/${index}/user/id` }],
  );
}

/** Removes users or service accounts from all groups. The caller holds the lock on them. */
export async function removeFromAllGroups({ tx, record }: Change, userIds: number[]): Promise<void> {
  const pickNames = await readNames(tx, { users: userIds });
  for (const membership of await deleteUserMemberships(tx, userIds)) {
    record({
      type: 'group-user-removed',
      preData: { ...membership, ...pickNames({ users: [membership.userId] }) },
    });
  }
}
