import { type Actor, isAccount } from '../platform/actor.ts';
import type { Reader } from '../platform/db/database.ts';
import { type HeldPermission, listPermissions } from './store.ts';

/** All permissions of the actor, with the project and environment they apply to. */
export async function permissionsOf(db: Reader, actor: Actor): Promise<HeldPermission[]> {
  return isAccount(actor) ? await listPermissions(db, actor.userId) : [{ permission: 'ADMIN' }];
}

/** All permissions of a user, with the project and environment they apply to. */
export const permissionsOfUser = async (db: Reader, userId: number): Promise<HeldPermission[]> =>
  await listPermissions(db, userId);
