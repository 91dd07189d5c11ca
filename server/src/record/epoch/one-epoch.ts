import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readEpoch } from './store.ts';

const MAX_ATTEMPTS = 2;

/**
 * Runs reads that combine cached data with rows, and returns their result if all of it belongs to one epoch. Otherwise runs them
 * once more. `knownEpoch` is the epoch that the cache probably belongs to.
 */
export async function readInOneEpoch<T>(
  db: Reader,
  knownEpoch: string | undefined,
  read: (epoch: string) => Promise<T>,
): Promise<T> {
  let epoch = knownEpoch ?? (await readEpoch(db));
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await read(epoch);
    const epochAfter = await readEpoch(db);
    if (epochAfter === epoch) return result;
    epoch = epochAfter;
  }
  throw epochChangeError();
}

export const epochChangeError = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'The database was restarted or restored during the request. Retry.',
  );
