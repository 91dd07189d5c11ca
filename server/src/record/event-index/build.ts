import type { Db, Reader } from '../../platform/db/database.ts';
import { encodePositions, firstIdOf } from './bitmap.ts';
import {
  computePostings,
  FIRST_CHUNK,
  insertPostings,
  type Log,
  lockProgress,
  type Posting,
  readDecided,
  updateProgress,
} from './store.ts';

/**
 * Indexes the next chunk, in one transaction, once no more ids of it can appear. Returns whether it did. Only one process indexes
 * at a time; the others return immediately.
 */
export async function indexNextChunk(db: Db, log: Log = 'own'): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const chunks = await lockProgress(tx, 'filters', log);
    if (chunks === undefined) return false;
    const chunk = FIRST_CHUNK[log] + chunks;
    // Read before the statement that reads the events, so that its snapshot contains every event up to here.
    if ((await readDecided(tx, log)) < firstIdOf(chunk + 1) - 1) return false;
    await insertPostings(tx, chunk, await encodedPostings(tx, chunk));
    await updateProgress(tx, 'filters', log, chunks + 1);
    return true;
  });
}

/** The postings of a chunk as they are stored. */
export async function encodedPostings(db: Reader, chunk: number): Promise<Posting[]> {
  const postings = await computePostings(db, chunk);
  return postings.map(({ list, ...posting }) => ({ ...posting, positions: encodePositions(list) }));
}
