import { PROJECT_ROLES, type ProjectRole } from '../../access/roles.ts';
import type { Change } from '../../record/change.ts';
import { readNames } from './names.ts';
import { insertUserRole, replaceRootRole } from './store.ts';

/** Grants a user or service account a role in a project. */
export async function grantProjectRole(
  { tx, actor, record }: Change,
  userId: number,
  role: ProjectRole,
  project: string,
): Promise<void> {
  const roleId = PROJECT_ROLES[role];
  await insertUserRole(tx, userId, roleId, project, actor.name);
  const holders = { users: [userId], roles: [roleId] };
  const pickNames = await readNames(tx, holders);
  record({
    type: 'project-access-added',
    project,
    data: {
      roles: [{ roleId, groupIds: [], userIds: [userId] }],
      ...pickNames(holders),
    },
  });
}

/** Replaces the root role of a user or service account. The caller records the event that names the role. */
export async function setRootRole({ tx, actor }: Change, userId: number, roleId: number): Promise<void> {
  await replaceRootRole(tx, userId, roleId, actor.name);
}
