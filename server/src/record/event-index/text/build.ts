import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../../platform/db/database.ts';
import { readWatermark } from '../../events/tail.ts';
import { CHUNK_SIZE, firstIdOf } from '../bitmap.ts';
import { encodedPostings } from '../build.ts';
import { lockProgress, updateProgress } from '../store.ts';
import { makeCollector } from './collect.ts';
import type { TextPosting } from './posting.ts';
import { insertTerms, insertTextPostings, listTexts, type PostingColumns } from './store.ts';

const EVENTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 500_000;

/**
 * Indexes the text of the next chunk if every id of it is decided, in one transaction. Returns whether it did. Only one process
 * does it at a time; the others return at once. It keeps the process busy for seconds, so the server does it in a process of its own.
 */
export const indexNextText = (db: Db): Promise<boolean> =>
  inNextChunk(db, (tx, chunk) => computeText(tx, chunk, postings => insertBoth(tx, chunk, postings)));

/** The same for a chunk whose texts are too large to be split: searches check each of its events. */
export const indexNextUnsplit = (db: Db): Promise<boolean> =>
  inNextChunk(db, async (tx, chunk) => insertBoth(tx, chunk, await unsplitPostings(tx, chunk)));

/** Calls with the postings of a chunk as the index must have them, some at a time. */
export async function computeText(
  db: Reader,
  chunk: number,
  use: (postings: PostingColumns) => Promise<void>,
): Promise<void> {
  const collector = makeCollector();
  for (let from = 0; from < CHUNK_SIZE; from += EVENTS_AT_ONCE) {
    const texts = await listTexts(db, chunk, from, Math.min(from + EVENTS_AT_ONCE, CHUNK_SIZE));
    for (const { position, text } of texts) collector.add(position, text);
  }
  const postings = collector.postings();
  for (let batch = takeBatch(postings); batch.values.length > 0; batch = takeBatch(postings))
    await use(batch);
}

/** The next postings, of about 500 kB. Without any after the last one. */
function takeBatch(postings: Iterator<TextPosting>): PostingColumns {
  const batch: PostingColumns = { dimensions: [], values: [], counts: [], positions: [] };
  for (let size = 0; size < BYTES_AT_ONCE; ) {
    const { value, done } = postings.next();
    if (done) break;
    batch.dimensions.push(value.dimension);
    batch.values.push(value.value);
    batch.counts.push(value.count);
    batch.positions.push(value.positions);
    size += value.positions.length + value.value.length + 20;
  }
  return batch;
}

async function inNextChunk(db: Db, insert: (tx: Tx, chunk: number) => Promise<void>): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const chunk = await lockProgress(tx, 'text');
    if (chunk === undefined) return false;
    if ((await readWatermark(tx)) < firstIdOf(chunk + 1) - 1) return false;
    // The connection is idle while texts are split.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx);
    await insert(tx, chunk);
    await updateProgress(tx, 'text', chunk + 1);
    return true;
  });
}

export async function unsplitPostings(db: Reader, chunk: number): Promise<PostingColumns> {
  const all = (await encodedPostings(db, chunk)).filter(({ dimension }) => dimension === 'all');
  return {
    dimensions: all.map(() => 'long'),
    values: all.map(() => ''),
    counts: all.map(({ count }) => count),
    positions: all.map(({ positions }) => positions),
  };
}

export async function insertBoth(tx: Tx, chunk: number, postings: PostingColumns): Promise<void> {
  await insertTextPostings(tx, chunk, postings);
  await insertTerms(tx, postings);
}
