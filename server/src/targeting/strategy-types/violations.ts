import { quoteSome } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { listTypeNames, lockStrategyTypesShared } from './store.ts';

const MAX_LISTED_TYPES = 20;

/**
 * Returns the names that are not strategy types, each with a message. The other types cannot be deleted until the transaction ends.
 */
export async function findUnknownStrategyTypes(tx: Tx, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const knownNames = new Set(await lockStrategyTypesShared(tx, [...new Set(names)]));
  const unknownNames = names.filter(name => !knownNames.has(name));
  if (unknownNames.length === 0) return new Map();
  const existingTypes = quoteSome(await listTypeNames(tx), MAX_LISTED_TYPES);
  return new Map(
    unknownNames.map(name => [name, `strategy type "${name}" does not exist. Use ${existingTypes}`]),
  );
}
