import type { Actor } from '../actor.ts';
import type { Change } from '../change.ts';
import type { Db, Tx } from '../db/database.ts';
import { PROJECT_ROLES, type ProjectRole } from './roles.ts';
import { type HeldPermission, insertUserRole, listPermissions } from './store.ts';

/** Gives a user a role in a project, as part of a change. */
export async function grantProjectRole(
  { tx, record }: Change,
  userId: number,
  role: ProjectRole,
  project: string,
): Promise<void> {
  const roleId = PROJECT_ROLES[role];
  await insertUserRole(tx, userId, roleId, project);
  record({
    type: 'project-access-added',
    project,
    data: { roles: [{ roleId, groupIds: [], userIds: [userId] }] },
  });
}

/** Part of a change that makes a user: the event of that change names the role. */
export async function grantRootRole(tx: Tx, userId: number, roleId: number): Promise<void> {
  await insertUserRole(tx, userId, roleId, null);
}

/** Everything the actor may do, and where. */
export async function permissionsOf(db: Db, actor: Actor): Promise<HeldPermission[]> {
  return actor.kind === 'user' ? await listPermissions(db, actor.userId) : [{ permission: 'ADMIN' }];
}

/** Everything a user may do, and where. */
export const permissionsOfUser = async (db: Db, userId: number): Promise<HeldPermission[]> =>
  await listPermissions(db, userId);
