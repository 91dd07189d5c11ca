import { some } from '../../../../plane/src/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { listTypeNames, lockStrategyTypesShared } from './store.ts';

const MAX_LISTED = 20;

/** The names that are not strategy types, each with a message. The other types cannot be deleted until the transaction ends. */
export async function unknownStrategyTypes(tx: Tx, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const known = new Set(await lockStrategyTypesShared(tx, [...new Set(names)]));
  const unknown = names.filter(name => !known.has(name));
  if (unknown.length === 0) return new Map();
  const existing = some(await listTypeNames(tx), MAX_LISTED);
  return new Map(unknown.map(name => [name, `strategy type "${name}" does not exist. Use ${existing}`]));
}
