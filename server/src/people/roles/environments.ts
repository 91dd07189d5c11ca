import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { deletePermissionsIn, listRolesIn, lockRolesWithEnvironment } from './store.ts';

/** Locks the roles with permissions in the environment. */
export async function lockRolesIn(
  tx: Tx,
  environment: string,
  waiting: 'wait' | 'nowait' = 'wait',
): Promise<void> {
  await lockRolesWithEnvironment(tx, environment, waiting);
}

/** Removes the permissions in an environment from all roles. Runs before the environment is deleted, while the roles are locked. */
export async function removeEnvironmentFromRoles({ tx, record }: Change, environment: string): Promise<void> {
  const roles = await listRolesIn(tx, environment);
  await deletePermissionsIn(tx, environment);
  for (const role of roles) {
    const permissions = role.permissions.filter(permission => permission.environment !== environment);
    record({ type: 'role-updated', data: { ...role, permissions }, preData: role });
  }
}
