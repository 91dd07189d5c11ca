import type { Db } from '../../platform/db/database.ts';
import { encodePostings } from './build.ts';
import {
  deletePostings,
  insertPostings,
  listIndexedChunks,
  listPostings,
  type StoredPosting,
  startGeneration,
} from './store.ts';

/** Compares every indexed chunk with the events. Returns the chunks that differ. */
export async function findWrongChunks(
  db: Db,
  onChunk: (chunkNumber: number, total: number) => void,
): Promise<number[]> {
  const chunks = await listIndexedChunks(db, 'filters');
  const wrongChunks: number[] = [];
  for (const [n, chunk] of chunks.entries()) {
    if (!isSame(await encodePostings(db, chunk), await listPostings(db, chunk))) wrongChunks.push(chunk);
    onChunk(n + 1, chunks.length);
  }
  return wrongChunks;
}

/** Recomputes the postings of a chunk. Searches see either the old postings or the new ones, never a mixture. */
export async function rebuildChunk(db: Db, chunk: number): Promise<void> {
  await db.transaction().execute(async tx => {
    const postings = await encodePostings(tx, chunk);
    await deletePostings(tx, chunk);
    await insertPostings(tx, chunk, postings);
    await startGeneration(tx, 'filters');
  });
}

function isSame(expected: StoredPosting[], stored: StoredPosting[]): boolean {
  const toKey = ({ dimension, value }: StoredPosting) => `${dimension} ${value}`;
  const byKey = new Map(stored.map(posting => [toKey(posting), posting]));
  return (
    expected.length === stored.length &&
    expected.every(posting => {
      const storedPosting = byKey.get(toKey(posting));
      return storedPosting?.count === posting.count && storedPosting.positions === posting.positions;
    })
  );
}
