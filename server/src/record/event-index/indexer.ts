import type { Db } from '../../platform/db/database.ts';
import { getFirstId, SMALL_LOG, toChunk } from './bitmap.ts';
import { indexNextChunk } from './build.ts';
import { runIndexProcess } from './run-process.ts';
import { FIRST_CHUNK, type Log, lockProgress, readFinalId, readIndexedChunks } from './store.ts';
import { indexNextText, indexNextWithoutText } from './text/build.ts';
import { storeLargeTexts } from './text/store-large.ts';

/**
 * Nothing waits for the index, because a search finds recent events without it. Checking every 250 ms cost 32 statements per
 * second.
 */
const PAUSE_MS = 2_000;

/**
 * Indexing a chunk takes about 20 MB of heap, regardless of what the events contain. Typed arrays are outside the heap, and
 * collect.ts limits them to 60 MB.
 */
const MAX_HEAP_MB = 128;

/**
 * The memory that the process needs in addition to the server. Without this check, in a container with 256 MB, Linux killed the
 * process and 4 ms later the server too, because the process's memory was not free yet.
 */
const MIN_FREE_BYTES = 80 * 2 ** 20;

/** A container that is short of memory for a moment may have enough for the next attempt. */
const MAX_ATTEMPTS = 3;

/**
 * Returns the number of complete chunks, and whether a part of the index lacks one of them. A small log needs no index, so it
 * counts as having no complete chunks.
 */
async function readBacklog(db: Db, log: Log): Promise<{ completeChunkCount: number; isBehind: boolean }> {
  const finalId = await readFinalId(db, log);
  const isSmall = finalId - getFirstId(FIRST_CHUNK[log]) < SMALL_LOG;
  const completeChunkCount = isSmall ? 0 : toChunk(finalId + 1) - FIRST_CHUNK[log];
  return {
    completeChunkCount,
    isBehind: (await readIndexedChunks(db, ['filters', 'text'], log)) < completeChunkCount,
  };
}

/**
 * Indexes one chunk. Filters come first, because they take a fraction of the time that text takes. The exception is the last
 * complete chunk, whose text comes first, because a text search uses only chunks whose filters and text are both indexed, and would
 * read 24,000 events until the text is indexed.
 */
export const indexNext = async (db: Db): Promise<boolean> =>
  (await indexNextInLog(db, 'own')) || (await indexNextInLog(db, 'imported'));

async function indexNextInLog(db: Db, log: Log): Promise<boolean> {
  const { completeChunkCount, isBehind } = await readBacklog(db, log);
  if (!isBehind) return false;
  if ((await readIndexedChunks(db, ['filters'], log)) < completeChunkCount - 1)
    return await indexNextChunk(db, log);
  return (await indexNextText(db, log)) || (await indexNextChunk(db, log));
}

/**
 * Indexes complete chunks in the background, and stores the texts of large events without waiting for a complete chunk. A separate
 * process indexes the chunks and ends when none are left, so that the server keeps its memory and its event loop for requests. Only
 * one such process works at a time across all servers. Returns a function that stops the indexer and rolls back a chunk in
 * progress.
 */
export function startIndexer(
  db: Db,
  databaseUrl: string,
  onError: (error: unknown) => void,
  maxHeapMb = MAX_HEAP_MB,
  memoryLimit = process.constrainedMemory,
): () => Promise<void> {
  const stopFunctions = [
    repeat(makeIndexTask(db, databaseUrl, maxHeapMb, memoryLimit), onError),
    repeat(() => storeLargeTexts(db), onError),
  ];
  return async () => {
    await Promise.all(stopFunctions.map(stop => stop()));
  };
}

/**
 * Creates a task that runs the indexing process if there are chunks to index. If indexing a chunk repeatedly runs out of memory,
 * the chunk is indexed without its text, so searches check its events one by one.
 */
function makeIndexTask(db: Db, databaseUrl: string, maxHeapMb: number, memoryLimit: () => number) {
  let lastFailure = { chunk: -1, attempts: 0 };
  let isPostponed = false;

  return async (signal: AbortSignal): Promise<boolean> => {
    const isBehind = async (log: Log) => (await readBacklog(db, log)).isBehind;
    const log = (await isBehind('own')) ? 'own' : 'imported';
    if (!(await isBehind(log)) || (await isIndexing(db, log))) return false;
    const wasPostponed = isPostponed;
    isPostponed = isShortOfMemory(memoryLimit());
    if (isPostponed && !wasPostponed) throw new Error(POSTPONED_MESSAGE);
    if (isPostponed) return false;
    if ((await runIndexProcess(databaseUrl, maxHeapMb, signal)) === 'done') return false;
    const chunk = FIRST_CHUNK[log] + (await readIndexedChunks(db, ['text'], log));
    lastFailure = { chunk, attempts: lastFailure.chunk === chunk ? lastFailure.attempts + 1 : 1 };
    const message = `Indexing chunk ${chunk} of the events ran out of memory (attempt ${lastFailure.attempts} of ${MAX_ATTEMPTS}).`;
    if (lastFailure.attempts < MAX_ATTEMPTS) throw new Error(message);
    await indexNextWithoutText(db, log);
    throw new Error(`${message} Searches check the events of this chunk one by one.`);
  };
}

const POSTPONED_MESSAGE =
  'The container has less than 80 MB left, so indexing events is postponed. Text searches read unindexed events directly. Give the container more memory.';

/** Returns whether too little memory is left for the process. A limit of 0 means that no limit is known. */
const isShortOfMemory = (limit: number): boolean =>
  limit > 0 && limit - process.memoryUsage.rss() < MIN_FREE_BYTES;

/** Returns whether another server's process is indexing. */
const isIndexing = (db: Db, log: Log): Promise<boolean> =>
  db.transaction().execute(async tx => (await lockProgress(tx, 'text', log)) === undefined);

/**
 * Runs the work until nothing is left to do, then checks for new work after each pause. Returns a function that stops the loop and
 * waits for the current run.
 */
function repeat(
  work: (signal: AbortSignal) => Promise<boolean>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const abortController = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let currentRun = Promise.resolve();

  const run = async () => {
    try {
      while (!abortController.signal.aborted && (await work(abortController.signal)));
    } catch (error) {
      if (!abortController.signal.aborted) onError(error);
    }
    if (!abortController.signal.aborted) timer = setTimeout(start, PAUSE_MS);
  };
  const start = () => {
    currentRun = run();
  };
  start();
  return async () => {
    abortController.abort();
    clearTimeout(timer);
    await currentRun;
  };
}
