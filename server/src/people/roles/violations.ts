import type { Violation } from '../../../../plane/src/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { lockExistingRoles } from './store.ts';

const RULES = {
  root: 'does not exist or is not a root role',
  project: 'does not exist or is not a project role',
};

/** Violations of a body for roles that do not exist or have the wrong scope. The others cannot be deleted meanwhile. */
export async function roleViolations(
  tx: Tx,
  scope: keyof typeof RULES,
  roles: { id: number; path: string }[],
): Promise<Violation[]> {
  if (roles.length === 0) return [];
  const found = new Set(await lockExistingRoles(tx, [...new Set(roles.map(({ id }) => id))], scope));
  return roles
    .filter(({ id }) => !found.has(id))
    .map(({ id, path }) => ({ message: `role ${id} ${RULES[scope]}`, path }));
}
