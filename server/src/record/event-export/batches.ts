import { authenticationRequired } from '@halyard/plane/platform/errors.ts';
import type { RawBuilder } from 'kysely';
import { findValidCredentials } from '../../access/still-valid.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { toBytes } from '../../platform/http/output/stream.ts';
import type { ExportSource } from '../../platform/http/protection/long-reads.ts';
import { epochChangeError } from '../epoch/one-epoch.ts';
import { readEpoch } from '../epoch/store.ts';
import { getFirstId } from '../event-index/bitmap.ts';
import { LOGS, type Log } from '../event-index/store.ts';
import {
  findAllIndexed,
  type IndexedSearch,
  type SearchMemory,
  type Window,
} from '../event-search/indexed.ts';
import { findLastImported } from '../events/imported.ts';
import { readWatermark } from '../events/tail.ts';
import type { ExportFilters } from './query.ts';
import {
  BATCH_ROWS,
  type ExportedLine,
  findLowestId,
  type IdRange,
  listExportBatch,
  listExportBatchById,
} from './store.ts';

/** The maximum number of ids that a statement covers. With free text, that takes about 1 s. */
const IDS_PER_RANGE = 64_000;
/** How many chunks a free-text search covers at a time. They have at most 192,000 events, which bounds memory and time. */
const CHUNKS_PER_SEARCH = 8;

/**
 * Yields the lines of an export, newest event first, a few at a time. Each batch is a separate statement that checks visibility
 * when it runs, so no connection is held while the client reads.
 */
export async function* readBatches(
  uncheckedSource: ExportSource,
  actor: Actor,
  filters: ExportFilters,
  line: RawBuilder<string>,
  memory?: SearchMemory,
): AsyncGenerator<Buffer, void> {
  const epoch = await uncheckedSource.read(readEpoch);
  const source = checkEpoch(uncheckedSource, epoch);
  for (const log of LOGS) {
    const range = await findExportRange(source, filters, log);
    if (range.low >= range.high) continue;
    const find = async (window: Window) =>
      await source.read(db => findAllIndexed(db, actor, filters, memory?.forEpoch(epoch), { log, window }));
    if (filters.query === undefined) yield* readFromLog(source, actor, filters, range, line);
    else yield* readWithText(source, actor, filters, range, line, find);
  }
}

/** Yields the events of a range that contain a string. The tail is read event by event, and the index finds the other events. */
async function* readWithText(
  source: ExportSource,
  actor: Actor,
  filters: ExportFilters,
  range: IdRange,
  line: RawBuilder<string>,
  find: (window: Window) => Promise<IndexedSearch>,
): AsyncGenerator<Buffer, void> {
  let window = await find({ maxChunks: CHUNKS_PER_SEARCH });
  yield* readFromLog(source, actor, filters, { ...range, low: Math.max(range.low, window.first) }, line);
  for (;;) {
    yield* readFromIndex(
      source,
      actor,
      filters,
      { ...range, high: Math.min(range.high, window.first) },
      line,
      window,
    );
    if (getFirstId(window.firstChunk) <= range.low || source.isGone()) return;
    window = await find({ end: window.firstChunk, maxChunks: CHUNKS_PER_SEARCH });
  }
}

/** Aborts the export after a failover or a restore, because the ids may now belong to different events. */
const checkEpoch = (source: ExportSource, epoch: string): ExportSource => ({
  ...source,
  read: read =>
    source.read(async db => {
      const result = await read(db);
      if ((await readEpoch(db)) !== epoch) throw epochChangeError();
      return result;
    }),
});

/** Yields the matching events of a range, found by reading each event. */
async function* readFromLog(
  source: ExportSource,
  actor: Actor,
  filters: ExportFilters,
  range: IdRange,
  line: RawBuilder<string>,
): AsyncGenerator<Buffer, void> {
  for (const { low, high } of splitRange(range)) {
    let end = high;
    for (;;) {
      if (source.isGone()) return;
      const batch = await source.read(async db => {
        await rejectRevoked(db, actor);
        return encodeBatch(await listExportBatch(db, actor, filters, { low, high: end }, line));
      });
      if (!batch) break;
      yield batch.bytes;
      end = batch.last;
    }
  }
}

/** Yields the events of a range that the index found. */
async function* readFromIndex(
  source: ExportSource,
  actor: Actor,
  filters: ExportFilters,
  { low, high }: IdRange,
  line: RawBuilder<string>,
  { indexed }: IndexedSearch,
): AsyncGenerator<Buffer, void> {
  let upperBound = high;
  for (;;) {
    if (source.isGone()) return;
    const ids = await indexed.newest({ before: upperBound, after: low - 1 }, 0, BATCH_ROWS);
    const lowestId = ids.at(-1);
    if (lowestId === undefined) return;
    const batch = await source.read(async db => {
      await rejectRevoked(db, actor);
      return encodeBatch(await listExportBatchById(db, actor, filters, ids, line));
    });
    if (batch) yield batch.bytes;
    // Large events end a batch early.
    upperBound = batch?.last ?? lowestId;
  }
}

/**
 * Returns the lines as bytes, which are outside the heap. If they were strings, the garbage collector would copy them while they
 * wait for the client.
 */
function encodeBatch(lines: ExportedLine[]): { bytes: Buffer; last: number } | undefined {
  const last = lines.at(-1)?.id;
  return last === undefined ? undefined : { bytes: toBytes(lines.map(({ line }) => line)), last };
}

/** Aborts the export if the caller's token or session has ended, or if the caller is no longer a root admin. */
async function rejectRevoked(db: Db, { credential, isAdmin }: Actor): Promise<void> {
  if (credential === undefined) return;
  const [validCredential] = await findValidCredentials(db, [credential]);
  if (!validCredential || (isAdmin && !validCredential.isAdmin)) throw authenticationRequired('token');
}

/**
 * Returns the range of ids that can have events of the export. The range ends at the watermark, so the export has no gaps: a change
 * that commits later cannot add an event below the watermark.
 */
async function findExportRange(
  { read }: ExportSource,
  { before = Number.MAX_SAFE_INTEGER, after = Number.MIN_SAFE_INTEGER }: ExportFilters,
  log: Log,
): Promise<IdRange> {
  const lowest = await read(db => findLowestId(db, log));
  if (lowest === undefined) return { low: 0, high: 0 };
  const highest = await read(db => (log === 'own' ? readWatermark(db) : findLastImported(db)));
  return { low: Math.max(lowest, after + 1), high: Math.min((highest ?? lowest) + 1, before) };
}

/** Splits a range into pieces, newest first. */
function* splitRange({ low, high }: IdRange): Generator<IdRange> {
  for (let end = high; end > low; end -= IDS_PER_RANGE)
    yield { low: Math.max(low, end - IDS_PER_RANGE), high: end };
}

/** Gets the next item while the current one is used, so that PostgreSQL reads a batch while this process sends another. */
export async function* readAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    let next = items.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // An error is thrown when the item is used. Until then, nothing awaits the promise, so this marks its rejection as handled.
      next.catch(() => {});
      yield value as T;
    }
  } finally {
    await items.return();
  }
}
