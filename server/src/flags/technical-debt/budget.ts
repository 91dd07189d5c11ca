import { type ApiError, counted, invalidOperation } from '../../../../plane/src/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { debtOf } from './score.ts';
import { findDebt } from './store.ts';

const MAX_NAMED = 10;

/** Part of a change that adds features to a locked project: rejects them while the project is over its debt budget. */
export async function rejectOverBudget(tx: Tx, project: string, at = new Date()): Promise<void> {
  for (const error of await budgetErrors(tx, project, at)) throw error;
}

/** The error for a project over its debt budget, for a change that lists it with other errors. */
export async function budgetErrors(tx: Tx, project: string, at = new Date()): Promise<ApiError[]> {
  const debt = await findDebt(tx, project, at, MAX_NAMED);
  if (!debt || debtOf(debt) <= debt.budget) return [];
  const more = debtOf(debt) - debt.toCleanUp.length;
  return [
    invalidOperation(
      `Project "${project}" has ${counted(debtOf(debt), 'stale or potentially stale feature')} and a budget of ${debt.budget}. ` +
        `Clean up first: ${debt.toCleanUp.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    ),
  ];
}
