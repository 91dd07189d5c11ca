import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { readIndexedChunks, startGeneration } from '../store.ts';
import { computeText, insertBoth, unsplitSets } from './build.ts';
import {
  deleteOtherKeys,
  deleteTextSets,
  digestOf,
  listChunksWithoutTerms,
  readKey,
  readTextDigests,
} from './store.ts';

/** Compares the text of every indexed chunk with the events. Returns the chunks that differ. */
export async function findWrongTexts(
  db: Db,
  onChunk: (chunk: number, of: number) => void,
): Promise<number[]> {
  const key = (await readKey(db)) ?? 0;
  const { chunks, digests, incomplete } = await unlimited(db, async tx => ({
    chunks: await readIndexedChunks(tx, ['text']),
    digests: await readTextDigests(tx, key),
    incomplete: new Set(await listChunksWithoutTerms(tx, key)),
  }));
  const wrong: number[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const isRight = await isDigestOf(db, key, chunk, BigInt(digests.get(chunk) ?? 0));
    if (!isRight || incomplete.has(chunk)) wrong.push(chunk);
    onChunk(chunk + 1, chunks);
  }
  return wrong;
}

/** A chunk is stored as a whole if the server had too little memory to split its texts. */
async function isDigestOf(db: Db, key: number, chunk: number, stored: bigint): Promise<boolean> {
  if (stored === BigInt((await digestOf(db, await unsplitSets(db, chunk))) ?? 0)) return true;
  let digest = 0n;
  await computeText(db, key, chunk, async sets => {
    digest += BigInt((await digestOf(db, sets)) ?? 0);
  });
  return digest === stored;
}

/** Indexes the text of a chunk again. Searches see the old sets or the new ones, never a part of them. */
export async function rebuildText(db: Db, chunk: number): Promise<void> {
  await unlimited(db, async tx => {
    const key = (await readKey(tx)) ?? 0;
    await deleteTextSets(tx, key, chunk);
    await computeText(tx, key, chunk, sets => insertBoth(tx, key, chunk, sets));
    await startGeneration(tx, 'text');
  });
}

/** Deletes the text index of a former format. No search reads it any more. */
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
