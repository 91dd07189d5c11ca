import type { Change } from '../../record/change.ts';
import { readNames } from './names.ts';
import { deleteHolderRoles } from './store.ts';

/** Revokes all project roles of a group. The caller holds the lock on the group. */
export async function revokeGroupRoles({ tx, record }: Change, groupId: number): Promise<void> {
  const deletedRoles = await deleteHolderRoles(tx, 'group', [groupId]);
  const groups = [groupId];
  const pickNames = await readNames(tx, { groups, roles: deletedRoles.flatMap(({ roles }) => roles) });
  for (const { project, roles } of deletedRoles) {
    const preData = { roles, groupId, ...pickNames({ groups, roles }) };
    record({ type: 'project-access-group-roles-deleted', project, preData });
  }
}

/** Revokes all roles of users or service accounts. The caller holds the lock on them. */
export async function revokeUserRoles({ tx, record }: Change, userIds: number[]): Promise<void> {
  const deletedRoles = await deleteHolderRoles(tx, 'user', userIds);
  const pickNames = await readNames(tx, {
    users: userIds,
    roles: deletedRoles.flatMap(({ roles }) => roles),
  });
  for (const { id: userId, project, roles } of deletedRoles) {
    const preData = { roles, userId, ...pickNames({ users: [userId], roles }) };
    record({ type: 'project-access-user-roles-deleted', project, preData });
  }
}
