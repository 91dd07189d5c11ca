import type { Change } from '../../record/change.ts';
import { deleteGrantsOf, deleteMemberships } from './store.ts';

/** Part of a change that deletes a group, which is locked: it loses its roles in projects, and each project is told. */
export async function withdrawGroup({ tx, record }: Change, groupId: number): Promise<void> {
  for (const { project, roles } of await deleteGrantsOf(tx, 'group', [groupId])) {
    record({ type: 'project-access-group-roles-deleted', project, preData: { roles, groupId } });
  }
}

/** Part of a change that deletes users or service accounts, which are locked: they lose all roles and leave all groups. */
export async function withdrawUsers({ tx, record }: Change, userIds: number[]): Promise<void> {
  for (const { id: userId, project, roles } of await deleteGrantsOf(tx, 'user', userIds)) {
    record({ type: 'project-access-user-roles-deleted', project, preData: { roles, userId } });
  }
  for (const membership of await deleteMemberships(tx, userIds)) {
    record({ type: 'group-user-removed', preData: membership });
  }
}
