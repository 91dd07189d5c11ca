import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../../platform/db/database.ts';
import { getFirstId } from '../bitmap.ts';
import { encodePostings } from '../build.ts';
import {
  beginTextIndex,
  FIRST_CHUNK,
  type Log,
  lockProgress,
  readFinalId,
  updateProgress,
} from '../store.ts';
import { makeCollector, type TextSet } from './collect.ts';
import { insertTextSets, listTexts, readKey } from './store.ts';

const BYTES_PER_BATCH = 500_000;

/**
 * Indexes the text of the next chunk in one transaction, once no more events can be added to the chunk. Returns whether a chunk was
 * indexed. While one process indexes, others return false immediately. Indexing takes seconds of CPU time, so the server runs it in
 * a separate process.
 */
export const indexNextText = (db: Db, log: Log = 'own'): Promise<boolean> =>
  processNextChunk(db, log, insertText);

/**
 * Marks the next chunk as indexed without its text, because there was not enough memory. Searches then check each event in the
 * chunk.
 */
export const indexNextWithoutText = (db: Db, log: Log = 'own'): Promise<boolean> =>
  processNextChunk(db, log, async (tx, key, chunk) => {
    const [allEvents] = (await encodePostings(tx, chunk)).filter(({ dimension }) => dimension === 'all');
    if (allEvents) await insertTextSets(tx, key, chunk, [{ ...allEvents, kind: 'whole', value: '' }]);
  });

export async function insertText(tx: Tx, key: number, chunk: number): Promise<void> {
  for await (const sets of computeTextSets(tx, key, chunk)) await insertTextSets(tx, key, chunk, sets);
}

/** Computes the sets of a chunk from its events, a batch at a time. */
export async function* computeTextSets(db: Reader, key: number, chunk: number): AsyncGenerator<TextSet[]> {
  const collector = makeCollector(key);
  try {
    for (const { add, sets } of collector.passes) {
      for (let firstPosition = 0, isEnd = false; !isEnd; ) {
        const texts = await listTexts(db, chunk, firstPosition);
        for (const { position, text } of texts) add(position, text);
        isEnd = texts.length === 0;
        firstPosition = (texts.at(-1)?.position ?? 0) + 1;
      }
      yield* batchSets(sets());
    }
  } finally {
    collector.free();
  }
}

/** Groups sets into batches of about 500 kB. */
function* batchSets(sets: Iterable<TextSet>): Generator<TextSet[]> {
  let batch: TextSet[] = [];
  let size = 0;
  for (const set of sets) {
    batch.push(set);
    size += set.positions.length + set.value.length + 20;
    if (size < BYTES_PER_BATCH) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (size > 0) yield batch;
}

async function processNextChunk(
  db: Db,
  log: Log,
  insert: (tx: Tx, key: number, chunk: number) => Promise<void>,
): Promise<boolean> {
  // The index is started in a separate transaction, so that a second process does not wait until the first one has finished its
  // chunk.
  await beginTextIndex(db);
  return await db.transaction().execute(async tx => {
    const chunks = await lockProgress(tx, 'text', log);
    const key = await readKey(tx);
    if (chunks === undefined || key === undefined) return false;
    const chunk = FIRST_CHUNK[log] + chunks;
    if ((await readFinalId(tx, log)) < getFirstId(chunk + 1) - 1) return false;
    // The connection is idle while strings are split.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx);
    await insert(tx, key, chunk);
    await updateProgress(tx, 'text', log, chunks + 1);
    return true;
  });
}
