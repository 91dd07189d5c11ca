import type { Db } from '../../platform/db/database.ts';
import { encodedPostings } from './build.ts';
import {
  deletePostings,
  insertPostings,
  listIndexedChunks,
  listPostings,
  type Posting,
  startGeneration,
} from './store.ts';

/** Compares every indexed chunk with the events. Returns the chunks that differ. */
export async function findWrongChunks(
  db: Db,
  onChunk: (chunk: number, of: number) => void,
): Promise<number[]> {
  const chunks = await listIndexedChunks(db, 'filters');
  const wrong: number[] = [];
  for (const [n, chunk] of chunks.entries()) {
    if (!isSame(await encodedPostings(db, chunk), await listPostings(db, chunk))) wrong.push(chunk);
    onChunk(n + 1, chunks.length);
  }
  return wrong;
}

/** Computes the postings of a chunk again. Searches see either the old postings or the new ones, never a mixture. */
export async function rebuildChunk(db: Db, chunk: number): Promise<void> {
  await db.transaction().execute(async tx => {
    const postings = await encodedPostings(tx, chunk);
    await deletePostings(tx, chunk);
    await insertPostings(tx, chunk, postings);
    await startGeneration(tx, 'filters');
  });
}

function isSame(expected: Posting[], stored: Posting[]): boolean {
  const key = ({ dimension, value }: Posting) => `${dimension} ${value}`;
  const byKey = new Map(stored.map(posting => [key(posting), posting]));
  return (
    expected.length === stored.length &&
    expected.every(posting => {
      const same = byKey.get(key(posting));
      return same?.count === posting.count && same.positions === posting.positions;
    })
  );
}
