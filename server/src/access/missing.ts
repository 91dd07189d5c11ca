import type { Actor } from '../platform/actor.ts';
import type { Reader } from '../platform/db/database.ts';
import { holds } from './guard.ts';
import type { Permission } from './permissions.ts';
import { listPermissions } from './store.ts';

/** Those of the permissions that the actor has neither everywhere nor in the project and environment; one query. */
export async function missingPermissions(
  db: Reader,
  actor: Actor,
  permissions: readonly Permission[],
  project: string,
  environment: string,
): Promise<Permission[]> {
  const notEverywhere = permissions.filter(permission => !holds(actor, [permission]));
  if (notEverywhere.length === 0) return [];
  const held = await listPermissions(db, actor.userId);
  return notEverywhere.filter(
    permission =>
      !held.some(
        one =>
          one.permission === permission &&
          (one.project ?? project) === project &&
          (one.environment ?? environment) === environment,
      ),
  );
}
