import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { holdStrategyType } from './store.ts';

/** What is wrong with the type a strategy names: it must be there. It stays until the transaction ends. */
export async function strategyTypeViolations(tx: Tx, name: string): Promise<Violation[]> {
  if (await holdStrategyType(tx, name)) return [];
  return [{ message: `strategy type ${name} does not exist`, path: '/body/name' }];
}
