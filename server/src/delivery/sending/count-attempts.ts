import type { Tx } from '../../platform/db/database.ts';
import type { Result } from './attempt.ts';
import { countDurations } from './durations.ts';
import { addToHours, type Finished } from './store.ts';

/** Adds the attempts of a batch to the counts of the current hour. */
export async function countAttempts(tx: Tx, results: Result[], finished: Finished[]): Promise<void> {
  const failures = new Map(finished.map(one => [one.delivery, one.failures]));
  const written = results.filter(({ delivery }) => failures.has(delivery));
  const byIntegration = Map.groupBy(written, ({ integration }) => integration);
  const counts = [...byIntegration].map(([integration, all]) => {
    const delivered = all.filter(({ state }) => state === 'success' || state === 'successWithErrors');
    return {
      integration,
      delivered: delivered.length,
      deliveredFirst: delivered.filter(({ delivery }) => failures.get(delivery) === 0).length,
      failed: all.filter(({ state }) => state === 'failed').length,
      retried: all.filter(({ state }) => state === 'retrying').length,
      durations: countDurations(all.map(({ durationMs }) => durationMs)),
    };
  });
  if (counts.length > 0) await addToHours(tx, counts);
}
