import type { Tx } from '../../platform/db/database.ts';
import type { Result } from './attempt.ts';
import { countDurations } from './durations.ts';
import { addToHours, type FinishedAttempt } from './store.ts';

/** Adds the attempts of a batch to the counts of the current hour. */
export async function countAttempts(
  tx: Tx,
  results: Result[],
  finishedAttempts: FinishedAttempt[],
): Promise<void> {
  const failures = new Map(finishedAttempts.map(attempt => [attempt.delivery, attempt.failures]));
  const writtenResults = results.filter(({ delivery }) => failures.has(delivery));
  const byIntegration = Map.groupBy(writtenResults, ({ integration }) => integration);
  const counts = [...byIntegration].map(([integration, attempts]) => {
    const successes = attempts.filter(({ state }) => state === 'success' || state === 'successWithErrors');
    return {
      integration,
      delivered: successes.length,
      deliveredFirst: successes.filter(({ delivery }) => failures.get(delivery) === 0).length,
      failed: attempts.filter(({ state }) => state === 'failed').length,
      retried: attempts.filter(({ state }) => state === 'retrying').length,
      durations: countDurations(attempts.map(({ durationMs }) => durationMs)),
    };
  });
  if (counts.length > 0) await addToHours(tx, counts);
}
