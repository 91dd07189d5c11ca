import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../../platform/db/database.ts';
import { readWatermark } from '../../events/tail.ts';
import { firstIdOf } from '../bitmap.ts';
import { encodedPostings } from '../build.ts';
import { beginTextIndex, lockProgress, updateProgress } from '../store.ts';
import { makeCollector, type TextSet } from './collect.ts';
import { insertTerms, insertTextSets, listTexts, readKey } from './store.ts';

const BYTES_AT_ONCE = 500_000;

/**
 * Indexes the text of the next chunk if every id of it is decided, in one transaction. Returns whether it did. Only one process
 * does it at a time; the others return at once. It keeps the process busy for seconds, so the server does it in a process of its own.
 */
export const indexNextText = (db: Db): Promise<boolean> =>
  inNextChunk(db, (tx, key, chunk) => computeText(tx, key, chunk, sets => insertBoth(tx, key, chunk, sets)));

/** The same for a chunk whose texts could not be split for lack of memory: searches check each of its events. */
export const indexNextUnsplit = (db: Db): Promise<boolean> =>
  inNextChunk(db, async (tx, key, chunk) => insertBoth(tx, key, chunk, await unsplitSets(tx, chunk)));

/** Calls with the sets of a chunk as the index must have them, some at a time. */
export async function computeText(
  db: Reader,
  key: number,
  chunk: number,
  use: (sets: TextSet[]) => Promise<void>,
): Promise<void> {
  const collector = makeCollector(key);
  try {
    for (const { add, sets } of collector.passes) {
      await eachText(db, chunk, add);
      await inBatches(sets(), use);
    }
  } finally {
    collector.free();
  }
}

async function eachText(
  db: Reader,
  chunk: number,
  call: (position: number, text: string) => void,
): Promise<void> {
  for (let from = 0; ; ) {
    const texts = await listTexts(db, chunk, from);
    for (const { position, text } of texts) call(position, text);
    const last = texts.at(-1);
    if (!last) return;
    from = last.position + 1;
  }
}

/** Calls with about 500 kB at a time. */
async function inBatches(sets: Iterable<TextSet>, use: (sets: TextSet[]) => Promise<void>): Promise<void> {
  let batch: TextSet[] = [];
  let size = 0;
  for (const set of sets) {
    batch.push(set);
    size += set.positions.length + set.value.length + 20;
    if (size < BYTES_AT_ONCE) continue;
    await use(batch);
    batch = [];
    size = 0;
  }
  if (size > 0) await use(batch);
}

async function inNextChunk(
  db: Db,
  insert: (tx: Tx, key: number, chunk: number) => Promise<void>,
): Promise<boolean> {
  // In a transaction of its own, so that a second process does not wait for the chunk of the first one.
  await beginTextIndex(db);
  return await db.transaction().execute(async tx => {
    const chunk = await lockProgress(tx, 'text');
    const key = await readKey(tx);
    if (chunk === undefined || key === undefined) return false;
    if ((await readWatermark(tx)) < firstIdOf(chunk + 1) - 1) return false;
    // The connection is idle while texts are split.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx);
    await insert(tx, key, chunk);
    await updateProgress(tx, 'text', chunk + 1);
    return true;
  });
}

export async function unsplitSets(db: Reader, chunk: number): Promise<TextSet[]> {
  const all = (await encodedPostings(db, chunk)).filter(({ dimension }) => dimension === 'all');
  return all.map(({ count, positions }) => ({ kind: 'whole', value: '', count, positions }));
}

export async function insertBoth(tx: Tx, key: number, chunk: number, sets: TextSet[]): Promise<void> {
  await insertTextSets(tx, key, chunk, sets);
  await insertTerms(tx, sets);
}
