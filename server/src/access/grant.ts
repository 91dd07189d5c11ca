import { type Actor, isAccount } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Change } from '../record/change.ts';
import { PROJECT_ROLES, type ProjectRole } from './roles.ts';
import { type HeldPermission, insertUserRole, listPermissions, replaceRootRole } from './store.ts';

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

/** Part of a change whose event names the role: a user or service account has this root role, and no other. */
export async function setRootRole(tx: Tx, userId: number, roleId: number): Promise<void> {
  await replaceRootRole(tx, userId, roleId);
}

/** Everything the actor may do, and where. */
export async function permissionsOf(db: Db, actor: Actor): Promise<HeldPermission[]> {
  return isAccount(actor) ? await listPermissions(db, actor.userId) : [{ permission: 'ADMIN' }];
}

/** Everything a user may do, and where. */
export const permissionsOfUser = async (db: Db, userId: number): Promise<HeldPermission[]> =>
  await listPermissions(db, userId);
