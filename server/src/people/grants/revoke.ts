import type { Change } from '../../record/change.ts';
import { readNames } from './names.ts';
import { deleteRolesOf } from './store.ts';

/** Revokes all project roles of a group. The caller holds the lock on the group. */
export async function revokeRolesOfGroup({ tx, record }: Change, groupId: number): Promise<void> {
  const deleted = await deleteRolesOf(tx, 'group', [groupId]);
  const groups = [groupId];
  const namesOf = await readNames(tx, { groups, roles: deleted.flatMap(({ roles }) => roles) });
  for (const { project, roles } of deleted) {
    const preData = { roles, groupId, ...namesOf({ groups, roles }) };
    record({ type: 'project-access-group-roles-deleted', project, preData });
  }
}

/** Revokes all roles of users or service accounts. The caller holds the lock on them. */
export async function revokeRolesOfUsers({ tx, record }: Change, userIds: number[]): Promise<void> {
  const deleted = await deleteRolesOf(tx, 'user', userIds);
  const namesOf = await readNames(tx, { users: userIds, roles: deleted.flatMap(({ roles }) => roles) });
  for (const { id: userId, project, roles } of deleted) {
    const preData = { roles, userId, ...namesOf({ users: [userId], roles }) };
    record({ type: 'project-access-user-roles-deleted', project, preData });
  }
}
