import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { readWatermark } from '../../events/tail.ts';
import { CHUNK_SIZE, firstIdOf } from '../bitmap.ts';
import { encodedPostings } from '../build.ts';
import { lockProgress, updateProgress } from '../store.ts';
import type { ToWorker } from './split-worker.ts';
import { insertTerms, insertTextPostings, listTexts, type PostingColumns } from './store.ts';

const EVENTS_AT_ONCE = 500;
const BYTES_AT_ONCE = 500_000;
/** Splitting 24,000 events of 1 kB takes about 50 MB of it. Typed arrays do not count: lexicon.ts, tokens.ts and triples.ts bound them. */
const MAX_MEMORY_MB = 256;

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
    return await inNextChunk(db, insertUnsplit);
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
async function insertUnsplit(tx: Tx, chunk: number): Promise<void> {
  for (const { dimension, count, positions } of await encodedPostings(tx, chunk)) {
    if (dimension !== 'all') continue;
    await insertTextPostings(tx, chunk, {
      dimensions: ['long'],
      values: [''],
      counts: [count],
      positions: [positions],
    });
  }
}

async function insertChunk(tx: Tx, chunk: number, maxMemoryMb: number, signal?: AbortSignal): Promise<void> {
  const splitter = startSplitter(maxMemoryMb, signal);
  try {
    for (let from = 0; from < CHUNK_SIZE; from += EVENTS_AT_ONCE) {
      const texts = await listTexts(tx, chunk, from, from + EVENTS_AT_ONCE);
      if (texts.length > 0) await splitter.ask({ texts });
    }
    for (;;) {
      const postings = (await splitter.ask({ next: BYTES_AT_ONCE })) as PostingColumns;
      if (postings.values.length === 0) return;
      await insertTextPostings(tx, chunk, postings);
      await insertTerms(tx, postings);
    }
  } finally {
    await splitter.stop();
  }
}

/** Starts the thread that splits texts. `ask` rejects when the thread fails or the signal aborts. */
function startSplitter(maxMemoryMb: number, signal?: AbortSignal) {
  const worker = new Worker(new URL('./split-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  worker.on('error', failed.reject);
  worker.on('exit', code =>
    failed.reject(new Error(`The thread that splits texts exited with code ${code}`)),
  );
  signal?.addEventListener('abort', () => failed.reject(signal.reason), { once: true });
  if (signal?.aborted) failed.reject(signal.reason);
  return {
    ask: async (message: ToWorker): Promise<unknown> => {
      const replied = once(worker, 'message');
      replied.catch(() => {});
      worker.postMessage(message);
      return (await Promise.race([replied, failed.promise]))[0];
    },
    stop: () => worker.terminate(),
  };
}
