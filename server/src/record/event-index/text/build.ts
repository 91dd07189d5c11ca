import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../../platform/db/database.ts';
import { firstIdOf } from '../bitmap.ts';
import { encodedPostings } from '../build.ts';
import {
  beginTextIndex,
  FIRST_CHUNK,
  type Log,
  lockProgress,
  readDecided,
  updateProgress,
} from '../store.ts';
import { makeCollector, type TextSet } from './collect.ts';
import { insertTextSets, listTexts, readKey } from './store.ts';

const BYTES_PER_BATCH = 500_000;

/**
 * Indexes the text of the next chunk in one transaction, once no event with an id of the chunk can still appear. Returns whether
 * it did. While one process indexes, others return immediately. It takes seconds of CPU time, so the server runs it in a separate
 * process.
 */
export const indexNextText = (db: Db, log: Log = 'own'): Promise<boolean> => inNextChunk(db, log, insertText);

/**
 * Marks the next chunk as indexed without its text, because there was not enough memory. Searches then check each of its events.
 */
export const indexNextUnsplit = (db: Db, log: Log = 'own'): Promise<boolean> =>
  inNextChunk(db, log, async (tx, key, chunk) => {
    const [all] = (await encodedPostings(tx, chunk)).filter(({ dimension }) => dimension === 'all');
    if (all) await insertTextSets(tx, key, chunk, [{ ...all, kind: 'whole', value: '' }]);
  });

export async function insertText(tx: Tx, key: number, chunk: number): Promise<void> {
  for await (const sets of textSets(tx, key, chunk)) await insertTextSets(tx, key, chunk, sets);
}

/** Computes the sets of a chunk from its events, a batch at a time. */
export async function* textSets(db: Reader, key: number, chunk: number): AsyncGenerator<TextSet[]> {
  const collector = makeCollector(key);
  try {
    for (const { add, sets } of collector.passes) {
      for (let from = 0, isEnd = false; !isEnd; ) {
        const texts = await listTexts(db, chunk, from);
        for (const { position, text } of texts) add(position, text);
        isEnd = texts.length === 0;
        from = (texts.at(-1)?.position ?? 0) + 1;
      }
      yield* inBatches(sets());
    }
  } finally {
    collector.free();
  }
}

/** Groups sets into batches of about 500 kB. */
function* inBatches(sets: Iterable<TextSet>): Generator<TextSet[]> {
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

async function inNextChunk(
  db: Db,
  log: Log,
  insert: (tx: Tx, key: number, chunk: number) => Promise<void>,
): Promise<boolean> {
  // In a separate transaction, so that a second process does not wait until the first one has finished its chunk.
  await beginTextIndex(db);
  return await db.transaction().execute(async tx => {
    const chunks = await lockProgress(tx, 'text', log);
    const key = await readKey(tx);
    if (chunks === undefined || key === undefined) return false;
    const chunk = FIRST_CHUNK[log] + chunks;
    if ((await readDecided(tx, log)) < firstIdOf(chunk + 1) - 1) return false;
    // The connection is idle while strings are split.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx);
    await insert(tx, key, chunk);
    await updateProgress(tx, 'text', log, chunks + 1);
    return true;
  });
}
