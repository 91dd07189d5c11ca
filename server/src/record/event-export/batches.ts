import type { RawBuilder } from 'kysely';
import { authenticationRequired } from '../../../../plane/src/platform/errors.ts';
import { validCredentials } from '../../access/still-valid.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { asBytes } from '../../platform/http/output/stream.ts';
import type { ExportSource } from '../../platform/http/protection/long-reads.ts';
import { epochChanged } from '../epoch/one-epoch.ts';
import { readEpoch } from '../epoch/store.ts';
import { firstIdOf } from '../event-index/bitmap.ts';
import { LOGS, type Log } from '../event-index/store.ts';
import { findAllIndexed, type Indexed, type SearchMemory, type Window } from '../event-search/indexed.ts';
import { findLastImported } from '../events/imported.ts';
import { readWatermark } from '../events/tail.ts';
import type { ExportedEvents } from './query.ts';
import {
  BATCH_ROWS,
  type ExportedLine,
  findLowestId,
  type IdRange,
  listExportBatch,
  listExportBatchById,
} from './store.ts';

/** The maximum number of events that a statement looks at. With free text, that takes about 1 s. */
const IDS_PER_RANGE = 64_000;
/** How many chunks of the index are searched at a time for free text: 192,000 events, so that memory and time are bounded. */
const CHUNKS_PER_SEARCH = 8;

/**
 * The lines of an export, newest event first, some at a time. Each batch is a separate statement, which applies the visibility of
 * that moment, so no connection is held while the client reads.
 */
export async function* readBatches(
  anySource: ExportSource,
  actor: Actor,
  events: ExportedEvents,
  line: RawBuilder<string>,
  memory?: SearchMemory,
): AsyncGenerator<Buffer, void> {
  const epoch = await anySource.read(readEpoch);
  const source = ofOneEpoch(anySource, epoch);
  for (const log of LOGS) {
    const range = await exportedRange(source, events, log);
    if (range.low >= range.high) continue;
    const find = async (window: Window) =>
      await source.read(db => findAllIndexed(db, actor, events, memory?.of(epoch), { log, window }));
    if (events.query === undefined) yield* readFromLog(source, actor, events, range, line);
    else yield* readWithText(source, actor, events, range, line, find);
  }
}

/** The events of a range that contain a string: the tail is read event by event, and the index finds the others. */
async function* readWithText(
  source: ExportSource,
  actor: Actor,
  events: ExportedEvents,
  range: IdRange,
  line: RawBuilder<string>,
  find: (window: Window) => Promise<Indexed>,
): AsyncGenerator<Buffer, void> {
  let window = await find({ atMost: CHUNKS_PER_SEARCH });
  yield* readFromLog(source, actor, events, { ...range, low: Math.max(range.low, window.first) }, line);
  for (;;) {
    yield* readFromIndex(
      source,
      actor,
      events,
      { ...range, high: Math.min(range.high, window.first) },
      line,
      window,
    );
    if (firstIdOf(window.firstChunk) <= range.low || source.isGone()) return;
    window = await find({ end: window.firstChunk, atMost: CHUNKS_PER_SEARCH });
  }
}

/** Aborts the export after a failover or a restore, because ids now belong to different events. */
const ofOneEpoch = (source: ExportSource, epoch: string): ExportSource => ({
  ...source,
  read: read =>
    source.read(async db => {
      const result = await read(db);
      if ((await readEpoch(db)) !== epoch) throw epochChanged();
      return result;
    }),
});

/** The events of a range that match, by reading each of them. */
async function* readFromLog(
  source: ExportSource,
  actor: Actor,
  events: ExportedEvents,
  range: IdRange,
  line: RawBuilder<string>,
): AsyncGenerator<Buffer, void> {
  for (const { low, high } of rangesOf(range)) {
    let end = high;
    for (;;) {
      if (source.isGone()) return;
      const batch = await source.read(async db => {
        await rejectRevoked(db, actor);
        return batchOf(await listExportBatch(db, actor, events, { low, high: end }, line));
      });
      if (!batch) break;
      yield batch.bytes;
      end = batch.last;
    }
  }
}

/** The events of a range that the index found. */
async function* readFromIndex(
  source: ExportSource,
  actor: Actor,
  events: ExportedEvents,
  { low, high }: IdRange,
  line: RawBuilder<string>,
  { indexed }: Indexed,
): AsyncGenerator<Buffer, void> {
  let before = high;
  for (;;) {
    if (source.isGone()) return;
    const ids = await indexed.newest({ before, after: low - 1 }, 0, BATCH_ROWS);
    const end = ids.at(-1);
    if (end === undefined) return;
    const batch = await source.read(async db => {
      await rejectRevoked(db, actor);
      return batchOf(await listExportBatchById(db, actor, events, ids, line));
    });
    if (batch) yield batch.bytes;
    // Large events end a batch early.
    before = batch?.last ?? end;
  }
}

/** The lines as bytes, which are outside the heap. As strings, the garbage collector would copy them while they wait for the client. */
function batchOf(lines: ExportedLine[]): { bytes: Buffer; last: number } | undefined {
  const last = lines.at(-1)?.id;
  return last === undefined ? undefined : { bytes: asBytes(lines.map(({ line }) => line)), last };
}

/** Aborts the export if the caller's token or session has ended, or if the caller is no longer a root admin. */
async function rejectRevoked(db: Db, { credential, isAdmin }: Actor): Promise<void> {
  if (credential === undefined) return;
  const [valid] = await validCredentials(db, [credential]);
  if (!valid || (isAdmin && !valid.isAdmin)) throw authenticationRequired('token');
}

/**
 * The ids that can have events of the export. They end at the watermark: a change that commits later cannot add an event below it,
 * so the export has no gaps.
 */
async function exportedRange(
  { read }: ExportSource,
  { before = Number.MAX_SAFE_INTEGER, after = Number.MIN_SAFE_INTEGER }: ExportedEvents,
  log: Log,
): Promise<IdRange> {
  const lowest = await read(db => findLowestId(db, log));
  if (lowest === undefined) return { low: 0, high: 0 };
  const highest = await read(db => (log === 'own' ? readWatermark(db) : findLastImported(db)));
  return { low: Math.max(lowest, after + 1), high: Math.min((highest ?? lowest) + 1, before) };
}

/** A range in pieces, newest first. */
function* rangesOf({ low, high }: IdRange): Generator<IdRange> {
  for (let end = high; end > low; end -= IDS_PER_RANGE)
    yield { low: Math.max(low, end - IDS_PER_RANGE), high: end };
}

/** Gets the next item while the current one is used: PostgreSQL reads a batch while this process sends another. */
export async function* readAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    let next = items.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // An error is thrown when its item is due. Until then, nothing awaits the promise.
      next.catch(() => {});
      yield value as T;
    }
  } finally {
    await items.return();
  }
}
