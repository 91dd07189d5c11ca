import type { Tx } from '../../platform/db/database.ts';
import { lockStrategyTypesShared } from './store.ts';

/** The names of no strategy type. The other types cannot be deleted until the transaction ends. */
export async function listUnknownStrategyTypes(tx: Tx, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const known = new Set(await lockStrategyTypesShared(tx, [...new Set(names)]));
  return names.filter(name => !known.has(name));
}
