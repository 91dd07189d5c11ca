import type { Db } from '../../platform/db/database.ts';
import { readWatermark } from '../events/tail.ts';
import { CHUNK_SIZE, SMALL_LOG } from './bitmap.ts';
import { indexNextChunk } from './build.ts';
import { runIndexProcess } from './run-process.ts';
import { lockProgress, readIndexedChunks } from './store.ts';
import { indexNextText, indexNextUnsplit } from './text/build.ts';
import { keepLargeTexts } from './text/keep-large.ts';

/** Nothing waits for the index: a search finds recent events without it. Every 250 ms took 32 statements per second. */
const PAUSE_MS = 2_000;

/** Indexing a chunk takes about 20 MB of it, whatever its texts are. Typed arrays do not count: collect.ts bounds them to 80 MB. */
const MAX_HEAP_MB = 128;

/** Complete chunks, and whether a part of the index lacks one. A small log has none that needs the index. */
async function readWork(db: Db): Promise<{ complete: number; isBehind: boolean }> {
  const watermark = await readWatermark(db);
  const complete = watermark < SMALL_LOG ? 0 : Math.floor((watermark + 1) / CHUNK_SIZE);
  return { complete, isBehind: (await readIndexedChunks(db, ['filters', 'text'])) < complete };
}

/**
 * Indexes one chunk. Filters come first, because their chunk takes a fraction of the time that its text takes. The last complete chunk
 * is the exception: a search for text uses the chunks that both have, and would read 24,000 events until the text is indexed.
 */
export async function indexNext(db: Db): Promise<boolean> {
  const { complete, isBehind } = await readWork(db);
  if (!isBehind) return false;
  if ((await readIndexedChunks(db)) < complete - 1) return await indexNextChunk(db);
  return (await indexNextText(db)) || (await indexNextChunk(db));
}

/**
 * Indexes complete chunks in the background, and stores the texts of large events as soon as they are complete. The chunks are indexed by a
 * process that ends when it has nothing more to do, so that the server keeps its memory and its event loop for requests. On all
 * servers together one such process works at a time. Returns a function that stops it. A chunk in progress is rolled back.
 */
export function startIndexer(
  db: Db,
  databaseUrl: string,
  onError: (error: unknown) => void,
  maxHeapMb = MAX_HEAP_MB,
): () => Promise<void> {
  const stops = [
    repeat(signal => indexInProcess(db, databaseUrl, maxHeapMb, signal), onError),
    repeat(() => keepLargeTexts(db), onError),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

async function indexInProcess(
  db: Db,
  databaseUrl: string,
  maxHeapMb: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { isBehind } = await readWork(db);
  if (!isBehind || (await isIndexing(db))) return false;
  const end = await runIndexProcess(databaseUrl, maxHeapMb, signal);
  return end === 'out of memory' && (await indexNextUnsplit(db));
}

/** Whether a process of another server indexes. */
const isIndexing = (db: Db): Promise<boolean> =>
  db.transaction().execute(async tx => (await lockProgress(tx, 'text')) === undefined);

/** Works until there is nothing to do, again and again. Returns a function that stops it. */
function repeat(
  work: (signal: AbortSignal) => Promise<boolean>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    try {
      while (!stopping.signal.aborted && (await work(stopping.signal)));
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, PAUSE_MS);
  };
  const start = () => {
    running = run();
  };
  start();
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    await running;
  };
}
