import { unknownEnvironment, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listExistingEnvironments } from './store.ts';

/** Finds unknown environments in a request body. */
export async function findEnvironmentViolations(
  db: Reader,
  environments: { name: string; path: string }[],
): Promise<Violation[]> {
  if (environments.length === 0) return [];
  const names = environments.map(({ name }) => name);
  const existingNames = new Set(await listExistingEnvironments(db, names));
  return environments
    .filter(({ name }) => !existingNames.has(name))
    .map(({ name, path }) => ({ message: unknownEnvironment(name), path }));
}
