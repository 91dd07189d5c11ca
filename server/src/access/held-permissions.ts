import { type Actor, isAccount } from '../platform/actor.ts';
import type { Reader } from '../platform/db/database.ts';
import { ownerHas } from './guard.ts';
import { isRootPermission, type Permission } from './permissions.ts';
import { isCovered, narrowed } from './scope.ts';
import { type HeldPermission, listPermissions } from './store.ts';

/** All permissions of the actor, each with the project and environment it applies to. */
export async function permissionsOf(db: Reader, actor: Actor): Promise<HeldPermission[]> {
  if (!isAccount(actor)) return [{ permission: 'ADMIN' }];
  return narrowed(actor, await listPermissions(db, actor.userId));
}

/** All permissions of a user, each with the project and environment it applies to. */
export const permissionsOfUser = async (db: Reader, userId: number): Promise<HeldPermission[]> =>
  await listPermissions(db, userId);

/**
 * The permissions that the actor has neither on the instance nor in the project and environment. One query. Operations that need
 * a root permission lie outside the project, so the token's scope must cover them there.
 */
export async function missingPermissions(
  db: Reader,
  actor: Actor,
  permissions: readonly Permission[],
  project: string,
  environment: string,
): Promise<Permission[]> {
  const covers = (permission: Permission) =>
    isCovered(actor, permission, isRootPermission(permission) ? {} : { project, environment });
  const candidates = permissions.filter(permission => !covers(permission) || !ownerHas(actor, [permission]));
  if (candidates.length === 0) return [];
  const held = await listPermissions(db, actor.userId);
  return candidates.filter(
    permission =>
      !covers(permission) ||
      !held.some(
        one =>
          one.permission === permission &&
          (one.project ?? project) === project &&
          (one.environment ?? environment) === environment,
      ),
  );
}
