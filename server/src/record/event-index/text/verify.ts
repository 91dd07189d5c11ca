import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { readIndexedChunks, startGeneration } from '../store.ts';
import { computeText, insertBoth } from './build.ts';
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
    const expected = await expectedDigest(db, chunk);
    if (expected !== BigInt(digests.get(chunk) ?? 0) || incomplete.has(chunk)) wrong.push(chunk);
    onChunk(chunk + 1, chunks);
  }
  return wrong;
}

async function expectedDigest(db: Db, chunk: number): Promise<bigint> {
  let digest = 0n;
  await computeText(
    db,
    chunk,
    async () => {
      digest = 0n;
    },
    async postings => {
      digest += BigInt((await digestOf(db, postings)) ?? 0);
    },
  );
  return digest;
}

/** Indexes the text of a chunk again. Searches see the old postings or the new ones, never a part of them. */
export async function rebuildText(db: Db, chunk: number): Promise<void> {
  await unlimited(db, async tx => {
    await computeText(
      tx,
      chunk,
      () => deleteTextPostings(tx, chunk),
      postings => insertBoth(tx, chunk, postings),
    );
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
