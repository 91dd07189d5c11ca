import { badData } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { measureFeatures } from './state/store.ts';

/**
 * The limit on what one request may read and copy while it locks flags. A feature can have several megabytes of constraint values,
 * and a clone of 39 MB kept other requests waiting for 2.4 s.
 */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Rejects work on features that are too large together. `names` contains a feature once for each time that it is used. A single use
 * is always allowed, so that every feature can be changed and copied.
 */
export async function rejectLargeWork(
  db: Reader,
  actor: Actor,
  names: string[],
  remedy: string,
): Promise<void> {
  if (names.length < 2) return;
  if ((await measureFeatures(db, actor, names, MAX_BYTES)) <= MAX_BYTES) return;
  throw badData([
    {
      message: `The strategies and variants exceed ${MAX_BYTES / 1024 / 1024} MiB in total, the limit for one request. A feature counts each time that it is used. ${remedy}`,
    },
  ]);
}
