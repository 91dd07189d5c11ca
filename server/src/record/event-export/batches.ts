import type { RawBuilder } from 'kysely';
import { validCredentials } from '../../access/still-valid.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { authenticationRequired } from '../../platform/errors.ts';
import type { ExportSource } from '../../platform/http/long-reads.ts';
import { readWatermark } from '../events/tail.ts';
import type { ExportedEvents } from './query.ts';
import { type ExportedLine, findLowestId, type IdRange, listExportBatch } from './store.ts';

/** A statement looks at no more events. With a text that no index finds, it takes about 1 s. */
const IDS_PER_RANGE = 64_000;

/**
 * The events of an export, newest first, some at a time. Each batch is a statement of its own, which applies the visibility
 * of that moment, so no connection is held while the client reads.
 */
export async function* readBatches(
  source: ExportSource,
  actor: Actor,
  events: ExportedEvents,
  line: RawBuilder<string>,
): AsyncGenerator<ExportedLine[], void> {
  for await (const { low, high } of idRanges(source, events)) {
    let end = high;
    for (;;) {
      if (source.isGone()) return;
      const lines = await source.read(async db => {
        await rejectRevoked(db, actor);
        return await listExportBatch(db, actor, events, { low, high: end }, line);
      });
      const last = lines.at(-1);
      if (!last) break;
      yield lines;
      end = last.id;
    }
  }
}

/** Breaks off the export of a caller who lost the token or session, or who is no longer a root admin. */
async function rejectRevoked(db: Db, { credential, isAdmin }: Actor): Promise<void> {
  if (credential === undefined) return;
  const [valid] = await validCredentials(db, [credential]);
  if (!valid || (isAdmin && !valid.isAdmin)) throw authenticationRequired();
}

/**
 * The ranges of ids that can contain events of the export, newest first. The first one ends at the watermark: a change that commits
 * later cannot add an event below it, so the export has no gaps.
 */
async function* idRanges(
  { read }: ExportSource,
  { before, after }: ExportedEvents,
): AsyncGenerator<IdRange, void> {
  const watermark = await read(db => readWatermark(db));
  const lowest = await read(db => findLowestId(db));
  if (lowest === undefined) return;
  const first = Math.max(lowest, (after ?? 0) + 1);
  let high = Math.min(watermark, (before ?? Number.MAX_SAFE_INTEGER) - 1) + 1;
  while (high > first) {
    const low = Math.max(first, high - IDS_PER_RANGE);
    yield { low, high };
    high = low;
  }
}

/** Gets the next item while the current one is used: PostgreSQL reads a batch while this process sends another. */
export async function* readAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    let next = items.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // A failure is thrown when its turn comes. Until then nobody awaits it.
      next.catch(() => {});
      yield value as T;
    }
  } finally {
    await items.return();
  }
}
