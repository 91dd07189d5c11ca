import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readEpoch } from './store.ts';

const ATTEMPTS = 2;

/**
 * Runs reads that combine memory and rows, and returns their result if it all comes from one epoch. Otherwise it runs them once
 * more. `known` is the epoch that the memory probably belongs to.
 */
export async function inOneEpoch<T>(
  db: Reader,
  known: string | undefined,
  read: (epoch: string) => Promise<T>,
): Promise<T> {
  let epoch = known ?? (await readEpoch(db));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = await read(epoch);
    const after = await readEpoch(db);
    if (after === epoch) return result;
    epoch = after;
  }
  throw epochChanged();
}

export const epochChanged = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'The database was restarted or restored during the request. Retry.',
  );
