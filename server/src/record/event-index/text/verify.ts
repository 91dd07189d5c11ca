import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { readIndexedChunks, startGeneration } from '../store.ts';
import { computeText, insertBoth, unsplitPostings } from './build.ts';
import { deleteTextPostings, digestOf, listChunksWithoutTerms, readTextDigests } from './store.ts';

/** Compares the text of every indexed chunk with the events. Returns the chunks that differ. */
export async function findWrongTexts(
  db: Db,
  onChunk: (chunk: number, of: number) => void,
): Promise<number[]> {
  const { chunks, digests, incomplete } = await unlimited(db, async tx => ({
    chunks: await readIndexedChunks(tx, ['text']),
    digests: await readTextDigests(tx),
    incomplete: new Set(await listChunksWithoutTerms(tx)),
  }));
  const wrong: number[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const isRight = await isDigestOf(db, chunk, BigInt(digests.get(chunk) ?? 0));
    if (!isRight || incomplete.has(chunk)) wrong.push(chunk);
    onChunk(chunk + 1, chunks);
  }
  return wrong;
}

/** A chunk is stored as a whole if the server had too little memory to split its texts. */
async function isDigestOf(db: Db, chunk: number, stored: bigint): Promise<boolean> {
  if (stored === BigInt((await digestOf(db, await unsplitPostings(db, chunk))) ?? 0)) return true;
  let digest = 0n;
  await computeText(db, chunk, async postings => {
    digest += BigInt((await digestOf(db, postings)) ?? 0);
  });
  return digest === stored;
}

/** Indexes the text of a chunk again. Searches see the old postings or the new ones, never a part of them. */
export async function rebuildText(db: Db, chunk: number): Promise<void> {
  await unlimited(db, async tx => {
    await deleteTextPostings(tx, chunk);
    await computeText(tx, chunk, postings => insertBoth(tx, chunk, postings));
    await startGeneration(tx, 'text');
  });
}

/** Runs statements over the whole index, which may take minutes, in one transaction. */
const unlimited = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async tx => {
    await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
      tx,
    );
    return await work(tx);
  });
