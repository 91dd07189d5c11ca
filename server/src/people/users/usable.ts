import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { holdUsers } from './store.ts';

/** Ids in a body, each with the place where it stands. */
export type NamedId = { id: number; path: string };

/** What is wrong with users that a body names: each must be there. They stay until the transaction ends. */
export async function userViolations(tx: Tx, named: NamedId[]): Promise<Violation[]> {
  if (named.length === 0) return [];
  const found = new Set(await holdUsers(tx, [...new Set(named.map(({ id }) => id))]));
  return named
    .filter(({ id }) => !found.has(id))
    .map(({ id, path }) => ({ message: `user ${id} does not exist`, path }));
}
