import { type ApiError, formatCount, invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { computeDebt } from './score.ts';
import { findDebt } from './store.ts';

const MAX_NAMED_FEATURES = 10;

/** Rejects a change that adds features while the project is over its debt budget. The caller must have locked the project. */
export async function rejectOverBudget(tx: Tx, project: string): Promise<void> {
  for (const error of await findBudgetErrors(tx, project)) throw error;
}

/** Returns the error for a project over its debt budget, so that a change can list it with other errors. */
export async function findBudgetErrors(tx: Tx, project: string): Promise<ApiError[]> {
  const debt = await findDebt(tx, project, new Date(), MAX_NAMED_FEATURES);
  if (!debt || computeDebt(debt) <= debt.budget) return [];
  const unnamedFeatures = computeDebt(debt) - debt.toCleanUp.length;
  return [
    invalidOperation(
      `Project "${project}" has ${formatCount(computeDebt(debt), 'stale or potentially stale feature')} and a budget of ${debt.budget}. ` +
        `Clean up first: ${debt.toCleanUp.join(', ')}${unnamedFeatures > 0 ? ` and ${unnamedFeatures} more` : ''}.`,
    ),
  ];
}
