import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { listIndexedChunks, startGeneration } from '../store.ts';
import { computeTextSets, insertText } from './build.ts';
import { computeDigest, deleteOtherKeys, deleteTextSets, readKey, readTextDigests } from './store.ts';

/**
 * Compares the text of every indexed chunk with the events. Returns the chunks that differ, or that were indexed without their
 * text because there was not enough memory.
 */
export async function findWrongTexts(
  db: Db,
  onChunk: (chunkNumber: number, total: number) => void,
): Promise<number[]> {
  const key = (await readKey(db)) ?? 0;
  const { chunks, digests } = await runWithoutTimeout(db, async tx => ({
    chunks: await listIndexedChunks(tx, 'text'),
    digests: await readTextDigests(tx, key),
  }));
  const wrongChunks: number[] = [];
  for (const [n, chunk] of chunks.entries()) {
    if (!(await hasDigest(db, key, chunk, BigInt(digests.get(chunk) ?? 0)))) wrongChunks.push(chunk);
    onChunk(n + 1, chunks.length);
  }
  return wrongChunks;
}

async function hasDigest(db: Db, key: number, chunk: number, stored: bigint): Promise<boolean> {
  let digest = 0n;
  for await (const sets of computeTextSets(db, key, chunk))
    digest += BigInt((await computeDigest(db, sets)) ?? 0);
  return digest === stored;
}

/** Reindexes the text of a chunk. Searches see either the old sets or the new ones, never a mixture. */
export async function rebuildText(db: Db, chunk: number): Promise<void> {
  await runWithoutTimeout(db, async tx => {
    const key = (await readKey(tx)) ?? 0;
    // Locks the progress first, as indexing does, because both add words to the dictionary and could otherwise deadlock.
    await startGeneration(tx, 'text');
    await deleteTextSets(tx, key, chunk);
    await insertText(tx, key, chunk);
  });
}

/** Deletes a text index in an old format, which no search reads. */
export async function deleteOldText(db: Db): Promise<void> {
  const key = await readKey(db);
  if (key !== undefined) await runWithoutTimeout(db, tx => deleteOtherKeys(tx, key));
}

/** Runs work on the whole index, which may take minutes, in one transaction without statement timeouts. */
const runWithoutTimeout = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async tx => {
    await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
      tx,
    );
    return await work(tx);
  });
