import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { holdRoles } from './store.ts';

const RULES = {
  root: 'is not a role that is held on the instance',
  project: 'is not a role that is held in a project',
};

/** What is wrong with roles that a body names: each must be there, and of the kind. They stay until the transaction ends. */
export async function roleViolations(
  tx: Tx,
  held: keyof typeof RULES,
  named: { id: number; path: string }[],
): Promise<Violation[]> {
  if (named.length === 0) return [];
  const found = new Set(await holdRoles(tx, [...new Set(named.map(({ id }) => id))], held));
  return named
    .filter(({ id }) => !found.has(id))
    .map(({ id, path }) => ({ message: `role ${id} ${RULES[held]}`, path }));
}
