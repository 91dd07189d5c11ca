import type { Db, Reader } from '../../platform/db/database.ts';
import { readWatermark } from '../events/tail.ts';
import { encodePositions, firstIdOf } from './bitmap.ts';
import { computePostings, insertPostings, lockProgress, type Posting, updateProgress } from './store.ts';

/**
 * Indexes the next chunk if every id of it is decided, in one transaction. Returns whether it did. Only one process indexes at a
 * time; the others return at once.
 */
export async function indexNextChunk(db: Db): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const chunk = await lockProgress(tx, 'filters');
    if (chunk === undefined) return false;
    // Read before the statement that reads the events, whose snapshot then contains every event up to it.
    if ((await readWatermark(tx)) < firstIdOf(chunk + 1) - 1) return false;
    await insertPostings(tx, chunk, await encodedPostings(tx, chunk));
    await updateProgress(tx, 'filters', chunk + 1);
    return true;
  });
}

/** The postings of a chunk as they are stored. */
export async function encodedPostings(db: Reader, chunk: number): Promise<Posting[]> {
  const postings = await computePostings(db, chunk);
  return postings.map(({ list, ...posting }) => ({ ...posting, positions: encodePositions(list) }));
}
