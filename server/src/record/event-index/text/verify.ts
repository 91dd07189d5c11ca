import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { listIndexedChunks, startGeneration } from '../store.ts';
import { insertText, textSets } from './build.ts';
import { deleteOtherKeys, deleteTextSets, digestOf, readKey, readTextDigests } from './store.ts';

/**
 * Compares the text of every indexed chunk with the events. Returns the chunks that differ, or that were indexed without their
 * text because there was not enough memory.
 */
export async function findWrongTexts(
  db: Db,
  onChunk: (chunk: number, of: number) => void,
): Promise<number[]> {
  const key = (await readKey(db)) ?? 0;
  const { chunks, digests } = await unlimited(db, async tx => ({
    chunks: await listIndexedChunks(tx, 'text'),
    digests: await readTextDigests(tx, key),
  }));
  const wrong: number[] = [];
  for (const [n, chunk] of chunks.entries()) {
    if (!(await isDigestOf(db, key, chunk, BigInt(digests.get(chunk) ?? 0)))) wrong.push(chunk);
    onChunk(n + 1, chunks.length);
  }
  return wrong;
}

async function isDigestOf(db: Db, key: number, chunk: number, stored: bigint): Promise<boolean> {
  let digest = 0n;
  for await (const sets of textSets(db, key, chunk)) digest += BigInt((await digestOf(db, sets)) ?? 0);
  return digest === stored;
}

/** Indexes the text of a chunk again. Searches see either the old sets or the new ones, never a mixture. */
export async function rebuildText(db: Db, chunk: number): Promise<void> {
  await unlimited(db, async tx => {
    const key = (await readKey(tx)) ?? 0;
    // Locks the progress first, as indexing does: both add words to the dictionary, and could otherwise deadlock.
    await startGeneration(tx, 'text');
    await deleteTextSets(tx, key, chunk);
    await insertText(tx, key, chunk);
  });
}

/** Deletes a text index in an old format, which no search reads. */
export async function deleteOldText(db: Db): Promise<void> {
  const key = await readKey(db);
  if (key !== undefined) await unlimited(db, tx => deleteOtherKeys(tx, key));
}

/** Runs statements over the whole index, which may take minutes, in one transaction. */
const unlimited = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async tx => {
    await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
      tx,
    );
    return await work(tx);
  });
