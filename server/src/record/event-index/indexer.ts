import type { Db } from '../../platform/db/database.ts';
import { readWatermark } from '../events/tail.ts';
import { CHUNK_SIZE } from './bitmap.ts';
import { indexNextChunk } from './build.ts';
import { readIndexedChunks } from './store.ts';
import { indexNextText } from './text/build.ts';
import { keepLargeTexts } from './text/keep-large.ts';

/** Nothing waits for the index: a search finds recent events without it. Every 250 ms took 32 statements per second. */
const PAUSE_MS = 2_000;

/**
 * Indexes one chunk. Filters come first, because their chunk takes a fraction of the time that its text takes. The last complete chunk
 * is the exception: a search for text uses the chunks that both have, and would read 24,000 events until the text is indexed.
 */
export async function indexNext(db: Db, signal?: AbortSignal): Promise<boolean> {
  const complete = Math.floor(((await readWatermark(db)) + 1) / CHUNK_SIZE);
  if ((await readIndexedChunks(db, ['filters', 'text'])) >= complete) return false;
  if ((await readIndexedChunks(db)) < complete - 1) return await indexNextChunk(db);
  return (await indexNextText(db, signal)) || (await indexNextChunk(db));
}

/**
 * Indexes complete chunks in the background, one after the other, and stores the texts of large events as soon as they are complete.
 * On all servers together one chunk is indexed at a time. Returns a function that stops it. A chunk in progress is rolled back.
 */
export function startIndexer(db: Db, onError: (error: unknown) => void): () => Promise<void> {
  const stops = [repeat(signal => indexNext(db, signal), onError), repeat(() => keepLargeTexts(db), onError)];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

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
