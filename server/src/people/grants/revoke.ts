import type { Change } from '../../record/change.ts';
import { deleteRolesOf } from './store.ts';

/** Revokes all project roles of a group. The caller holds the lock on the group. */
export async function revokeRolesOfGroup({ tx, record }: Change, groupId: number): Promise<void> {
  for (const { project, roles } of await deleteRolesOf(tx, 'group', [groupId])) {
    record({ type: 'project-access-group-roles-deleted', project, preData: { roles, groupId } });
  }
}

/** Revokes all roles of users or service accounts. The caller holds the lock on them. */
export async function revokeRolesOfUsers({ tx, record }: Change, userIds: number[]): Promise<void> {
  for (const { id: userId, project, roles } of await deleteRolesOf(tx, 'user', userIds)) {
    record({ type: 'project-access-user-roles-deleted', project, preData: { roles, userId } });
  }
}
