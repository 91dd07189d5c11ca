import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { lockStrategyTypeShared } from './store.ts';

/** The violations of a strategy's type: the type must exist. It cannot be deleted until the transaction ends. */
export async function strategyTypeViolations(tx: Tx, name: string): Promise<Violation[]> {
  if (await lockStrategyTypeShared(tx, name)) return [];
  return [{ message: `strategy type "${name}" does not exist`, path: '/body/name' }];
}
