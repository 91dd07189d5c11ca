import type { Violation } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { lockExistingRoles } from './store.ts';

const RULES = {
  root: 'does not exist or is not a root role',
  project: 'does not exist or is not a project role',
};

/**
 * Returns the violations for roles in a body that do not exist or have the wrong scope. Locks the other roles, so
 * that they cannot be deleted until the transaction ends.
 */
export async function findRoleViolations(
  tx: Tx,
  scope: keyof typeof RULES,
  roles: { id: number; path: string }[],
): Promise<Violation[]> {
  if (roles.length === 0) return [];
  const existingIds = new Set(await lockExistingRoles(tx, [...new Set(roles.map(({ id }) => id))], scope));
  return roles
    .filter(({ id }) => !existingIds.has(id))
    .map(({ id, path }) => ({ message: `role ${id} ${RULES[scope]}`, path }));
}
