import type { Db } from '../../platform/db/database.ts';
import { chunkOf, firstIdOf, SMALL_LOG } from './bitmap.ts';
import { indexNextChunk } from './build.ts';
import { runIndexProcess } from './run-process.ts';
import { FIRST_CHUNK, type Log, lockProgress, readDecided, readIndexedChunks } from './store.ts';
import { indexNextText, indexNextUnsplit } from './text/build.ts';
import { keepLargeTexts } from './text/keep-large.ts';

/**
 * Nothing waits for the index, because a search finds recent events without it. Checking every 250 ms cost 32 statements per
 * second.
 */
const PAUSE_MS = 2_000;

/**
 * Indexing a chunk takes about 20 MB of heap, whatever the events contain. Typed arrays are outside the heap, and collect.ts
 * limits them to 60 MB.
 */
const MAX_HEAP_MB = 128;

/**
 * What the process needs in addition to the server. Without this check, in a container with 256 MB, Linux killed the process and
 * 4 ms later the server too, because the process's memory was not free yet.
 */
const NEEDED_BYTES = 80 * 2 ** 20;

/** A container that is short of memory for a moment may have enough for the next attempt. */
const MAX_ATTEMPTS = 3;

/** The complete chunks, and whether a part of the index lacks one. In a small log, none needs the index. */
async function readWork(db: Db, log: Log): Promise<{ complete: number; isBehind: boolean }> {
  const decided = await readDecided(db, log);
  const isSmall = decided - firstIdOf(FIRST_CHUNK[log]) < SMALL_LOG;
  const complete = isSmall ? 0 : chunkOf(decided + 1) - FIRST_CHUNK[log];
  return { complete, isBehind: (await readIndexedChunks(db, ['filters', 'text'], log)) < complete };
}

/**
 * Indexes one chunk. Filters come first, because their chunk takes a fraction of the time that its text takes. The last complete chunk
 * is the exception: a search for text uses the chunks that both have, and would read 24,000 events until the text is indexed.
 */
export const indexNext = async (db: Db): Promise<boolean> =>
  (await indexNextOf(db, 'own')) || (await indexNextOf(db, 'imported'));

async function indexNextOf(db: Db, log: Log): Promise<boolean> {
  const { complete, isBehind } = await readWork(db, log);
  if (!isBehind) return false;
  if ((await readIndexedChunks(db, ['filters'], log)) < complete - 1) return await indexNextChunk(db, log);
  return (await indexNextText(db, log)) || (await indexNextChunk(db, log));
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
  memoryLimit = process.constrainedMemory,
): () => Promise<void> {
  const stops = [
    repeat(makeIndexing(db, databaseUrl, maxHeapMb, memoryLimit), onError),
    repeat(() => keepLargeTexts(db), onError),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

/** Runs a process while chunks are waiting. If a chunk needs more memory than there is, searches check its events instead. */
function makeIndexing(db: Db, databaseUrl: string, maxHeapMb: number, memoryLimit: () => number) {
  let failed = { chunk: -1, attempts: 0 };
  let isPostponed = false;

  return async (signal: AbortSignal): Promise<boolean> => {
    const isBehind = async (log: Log) => (await readWork(db, log)).isBehind;
    const log = (await isBehind('own')) ? 'own' : 'imported';
    if (!(await isBehind(log)) || (await isIndexing(db, log))) return false;
    const wasPostponed = isPostponed;
    isPostponed = isShortOfMemory(memoryLimit());
    if (isPostponed && !wasPostponed) throw new Error(POSTPONED);
    if (isPostponed) return false;
    if ((await runIndexProcess(databaseUrl, maxHeapMb, signal)) === 'done') return false;
    const chunk = FIRST_CHUNK[log] + (await readIndexedChunks(db, ['text'], log));
    failed = { chunk, attempts: failed.chunk === chunk ? failed.attempts + 1 : 1 };
    const outOfMemory = `The process that indexes chunk ${chunk} of the events ran out of memory, attempt ${failed.attempts} of ${MAX_ATTEMPTS}.`;
    if (failed.attempts < MAX_ATTEMPTS) throw new Error(outOfMemory);
    await indexNextUnsplit(db, log);
    throw new Error(`${outOfMemory} Searches check the events of this chunk one by one.`);
  };
}

const POSTPONED =
  'The container has less than 80 MB left, so indexing of events is postponed. Searches for text read the events that are not indexed. Give the container more memory.';

/** 0 means that no limit is known. */
const isShortOfMemory = (limit: number): boolean =>
  limit > 0 && limit - process.memoryUsage.rss() < NEEDED_BYTES;

/** Whether another server's process is indexing. */
const isIndexing = (db: Db, log: Log): Promise<boolean> =>
  db.transaction().execute(async tx => (await lockProgress(tx, 'text', log)) === undefined);

/** Works repeatedly until there is nothing to do. Returns a function that stops it. */
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
