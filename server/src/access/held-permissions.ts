import { type Actor, isAccount } from '../platform/actor.ts';
import type { Reader } from '../platform/db/database.ts';
import { ownerHasPermission } from './guard.ts';
import { isRootPermission, type Permission } from './permissions.ts';
import { isCovered, narrowPermissions } from './scope.ts';
import { type HeldPermission, listPermissions } from './store.ts';

/** Returns all permissions of the actor, each with the project and environment it applies to. */
export async function listActorPermissions(db: Reader, actor: Actor): Promise<HeldPermission[]> {
  if (!isAccount(actor)) return [{ permission: 'ADMIN' }];
  return narrowPermissions(actor, await listPermissions(db, actor.userId));
}

/** Returns all permissions of a user, each with the project and environment it applies to. */
export const listUserPermissions = async (db: Reader, userId: number): Promise<HeldPermission[]> =>
  await listPermissions(db, userId);

/**
 * Returns the permissions that the actor has neither on the instance nor in the project and environment, in one query. A root
 * permission applies outside the project, so the token's scope must cover it on the instance.
 */
export async function findMissingPermissions(
  db: Reader,
  actor: Actor,
  permissions: readonly Permission[],
  project: string,
  environment: string,
): Promise<Permission[]> {
  const covers = (permission: Permission) =>
    isCovered(actor, permission, isRootPermission(permission) ? {} : { project, environment });
  const candidates = permissions.filter(
    permission => !covers(permission) || !ownerHasPermission(actor, [permission]),
  );
  if (candidates.length === 0) return [];
  const heldPermissions = await listPermissions(db, actor.userId);
  return candidates.filter(
    permission =>
      !covers(permission) ||
      !heldPermissions.some(
        heldPermission =>
          heldPermission.permission === permission &&
          (heldPermission.project ?? project) === project &&
          (heldPermission.environment ?? environment) === environment,
      ),
  );
}
