import type { Reader } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { listExisting } from './store.ts';

/** What is wrong with environments that a body names: each must exist. */
export async function environmentViolations(
  db: Reader,
  named: { name: string; path: string }[],
): Promise<Violation[]> {
  if (named.length === 0) return [];
  const existing = new Set(
    await listExisting(
      db,
      named.map(({ name }) => name),
    ),
  );
  return named
    .filter(({ name }) => !existing.has(name))
    .map(({ name, path }) => ({ message: `environment ${name} does not exist`, path }));
}
