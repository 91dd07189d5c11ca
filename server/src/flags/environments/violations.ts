import type { Violation } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listExistingEnvironments } from './store.ts';

/** Rejects environments in a request body that do not exist. */
export async function environmentViolations(
  db: Reader,
  environments: { name: string; path: string }[],
): Promise<Violation[]> {
  if (environments.length === 0) return [];
  const names = environments.map(({ name }) => name);
  const existing = new Set(await listExistingEnvironments(db, names));
  return environments
    .filter(({ name }) => !existing.has(name))
    .map(({ name, path }) => ({ message: `environment "${name}" does not exist`, path }));
}
