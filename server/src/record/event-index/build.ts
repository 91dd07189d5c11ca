import type { Db, Reader } from '../../platform/db/database.ts';
import { encodePositions, getFirstId } from './bitmap.ts';
import {
  computePostings,
  FIRST_CHUNK,
  insertPostings,
  type Log,
  lockProgress,
  readFinalId,
  type StoredPosting,
  updateProgress,
} from './store.ts';

/**
 * Indexes the filters of the next chunk in one transaction, once no more events can be added to the chunk. Returns whether a chunk
 * was indexed. Only one process indexes at a time, and the others return false immediately.
 */
export async function indexNextChunk(db: Db, log: Log = 'own'): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const chunks = await lockProgress(tx, 'filters', log);
    if (chunks === undefined) return false;
    const chunk = FIRST_CHUNK[log] + chunks;
    // The id is read before the statement that reads the events, so that the snapshot of that statement contains every event up to
    // the id.
    if ((await readFinalId(tx, log)) < getFirstId(chunk + 1) - 1) return false;
    await insertPostings(tx, chunk, await encodePostings(tx, chunk));
    await updateProgress(tx, 'filters', log, chunks + 1);
    return true;
  });
}

/** Computes the postings of a chunk in their stored form. */
export async function encodePostings(db: Reader, chunk: number): Promise<StoredPosting[]> {
  const postings = await computePostings(db, chunk);
  return postings.map(({ list, ...posting }) => ({ ...posting, positions: encodePositions(list) }));
}
