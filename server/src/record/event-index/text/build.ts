import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../../platform/db/database.ts';
import { locate } from '../../../platform/files.ts';
import { readWatermark } from '../../events/tail.ts';
import { CHUNK_SIZE, firstIdOf } from '../bitmap.ts';
import { encodedPostings } from '../build.ts';
import { lockProgress, updateProgress } from '../store.ts';
import type { ToWorker } from './split-worker.ts';
import {
  insertTerms,
  insertTextPostings,
  listTexts,
  type PostingColumns,
  type TextOfEvent,
} from './store.ts';

const EVENTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 500_000;
/** Splitting 24,000 events of 1 kB takes about 50 MB of it. Typed arrays do not count: lexicon.ts, tokens.ts and triples.ts bound them. */
const MAX_MEMORY_MB = 256;
/** Without a limit, the thread's spaces for young objects take up to 48 MB. */
const MAX_YOUNG_MB = 8;

/**
 * Indexes the text of the next chunk if every id of it is decided, in one transaction. Returns whether it did. Only one process
 * does it at a time; the others return at once. It takes seconds: an abort of the signal rolls the transaction back.
 */
export async function indexNextText(
  db: Db,
  signal?: AbortSignal,
  maxMemoryMb = MAX_MEMORY_MB,
): Promise<boolean> {
  try {
    return await inNextChunk(db, (tx, chunk) => insertChunk(tx, chunk, maxMemoryMb, signal));
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    return await inNextChunk(db, async (tx, chunk) =>
      insertBoth(tx, chunk, await unsplitPostings(tx, chunk)),
    );
  }
}

/** Calls with the postings of a chunk as the index must have them, some at a time. `restart` is called before the first ones. */
export async function computeText(
  db: Reader,
  chunk: number,
  restart: () => Promise<void>,
  use: (postings: PostingColumns) => Promise<void>,
): Promise<void> {
  try {
    await restart();
    await eachBatch(db, chunk, use, MAX_MEMORY_MB);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await restart();
    await use(await unsplitPostings(db, chunk));
  }
}

async function inNextChunk(db: Db, insert: (tx: Tx, chunk: number) => Promise<void>): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const chunk = await lockProgress(tx, 'text');
    if (chunk === undefined) return false;
    if ((await readWatermark(tx)) < firstIdOf(chunk + 1) - 1) return false;
    // The connection is idle while the thread splits texts.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx);
    await insert(tx, chunk);
    await updateProgress(tx, 'text', chunk + 1);
    return true;
  });
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** A chunk whose texts are too large to be split: searches check each of its events. */
async function unsplitPostings(db: Reader, chunk: number): Promise<PostingColumns> {
  const all = (await encodedPostings(db, chunk)).filter(({ dimension }) => dimension === 'all');
  return {
    dimensions: all.map(() => 'long'),
    values: all.map(() => ''),
    counts: all.map(({ count }) => count),
    positions: all.map(({ positions }) => positions),
  };
}

const insertChunk = (tx: Tx, chunk: number, maxMemoryMb: number, signal?: AbortSignal) =>
  eachBatch(tx, chunk, postings => insertBoth(tx, chunk, postings), maxMemoryMb, signal);

/** The thread splits texts while PostgreSQL reads the next ones, and encodes postings while PostgreSQL inserts others. */
async function eachBatch(
  db: Reader,
  chunk: number,
  use: (postings: PostingColumns) => Promise<void>,
  maxMemoryMb: number,
  signal?: AbortSignal,
): Promise<void> {
  const splitter = startSplitter(maxMemoryMb, signal);
  const listFrom = (from: number) => listTexts(db, chunk, from, Math.min(from + EVENTS_AT_ONCE, CHUNK_SIZE));
  try {
    let texts = await listFrom(0);
    for (let next = EVENTS_AT_ONCE; next < CHUNK_SIZE + EVENTS_AT_ONCE; next += EVENTS_AT_ONCE) {
      [texts] = await Promise.all([next < CHUNK_SIZE ? listFrom(next) : [], splitter.add(texts)]);
    }
    let postings = await splitter.next(BYTES_AT_ONCE);
    while (postings.values.length > 0) {
      [postings] = await Promise.all([splitter.next(BYTES_AT_ONCE), use(postings)]);
    }
  } finally {
    await splitter.stop();
  }
}

export async function insertBoth(tx: Tx, chunk: number, postings: PostingColumns): Promise<void> {
  await insertTextPostings(tx, chunk, postings);
  await insertTerms(tx, postings);
}

/** Starts the thread that splits texts. `add` and `next` reject when the thread fails or the signal aborts. */
function startSplitter(maxMemoryMb: number, signal?: AbortSignal) {
  const worker = new Worker(locate('splitWorker'), {
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  worker.on('error', failed.reject);
  worker.on('exit', code =>
    failed.reject(new Error(`The thread that splits texts exited with code ${code}`)),
  );
  signal?.addEventListener('abort', () => failed.reject(signal.reason), { once: true });
  if (signal?.aborted) failed.reject(signal.reason);
  const ask = async (message: ToWorker): Promise<unknown> => {
    const replied = once(worker, 'message');
    replied.catch(() => {});
    worker.postMessage(message);
    return (await Promise.race([replied, failed.promise]))[0];
  };
  return {
    add: async (texts: TextOfEvent[]): Promise<void> => {
      if (texts.length > 0) await ask({ texts });
    },
    /** The next postings, of about that many bytes. Without any after the last one. */
    next: async (bytes: number) => (await ask({ next: bytes })) as PostingColumns,
    stop: () => worker.terminate(),
  };
}
