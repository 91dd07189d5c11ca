import type { Change } from '../change.ts';
import { deleteGrantsOf, deleteMemberships } from './store.ts';

/** Part of a change that deletes a group, which is locked: it loses its roles in projects, and each project is told. */
export async function withdrawGroup({ tx, record }: Change, groupId: number): Promise<void> {
  for (const { project, roles } of await deleteGrantsOf(tx, 'group', groupId)) {
    record({ type: 'project-access-group-roles-deleted', project, preData: { roles, groupId } });
  }
}

/** Part of a change that deletes a user or service account, which is locked: it loses all roles and leaves all groups. */
export async function withdrawUser({ tx, record }: Change, userId: number): Promise<void> {
  for (const { project, roles } of await deleteGrantsOf(tx, 'user', userId)) {
    record({ type: 'project-access-user-roles-deleted', project, preData: { roles, userId } });
  }
  for (const { id, name } of await deleteMemberships(tx, userId)) {
    record({ type: 'group-user-removed', preData: { groupId: id, groupName: name, userId } });
  }
}
