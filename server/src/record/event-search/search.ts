import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readInOneEpoch } from '../epoch/one-epoch.ts';
import { LOGS, type Log } from '../event-index/store.ts';
import { hasImportedEvents } from '../events/imported.ts';
import type { EventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { CHECK_MS, type EpochMemory, findIndexed, type SearchMemory } from './indexed.ts';
import { readPage } from './page.ts';
import { findMatching, readNewestId } from './store.ts';

export type FoundEvents = {
  events: EventRow[];
  total: number;
  /** Set if the page ended early because of its size. */
  isTruncated: boolean;
  /** Set if the page ended early because of its time. The next page begins before this id, and the total is a lower bound. */
  completeFrom?: number | undefined;
};

/** How long a text search may take, and how many events it may examine, before it returns what it has found. */
export type SearchLimits = {
  checkMs: number;
  /**
   * The maximum number of unindexed events to check. After a large import, there may be more. PostgreSQL checks 150,000 per second.
   */
  maxUnindexed: number;
};

const LIMITS: SearchLimits = { checkMs: CHECK_MS, maxUnindexed: 100_000 };

/**
 * Returns the page and the total of a search. Indexed chunks are searched in the index, and the tail of the log is read directly.
 * The indexed part never changes, so the result reflects one point in time, when the tail was read. Imported events are older than
 * all others, and are searched after them. Events are read by id at the end.
 */
export async function searchEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  memory?: SearchMemory,
  limits = LIMITS,
): Promise<FoundEvents> {
  if (!memory) return await findEvents(db, actor, search, limits);
  return await readInOneEpoch(db, memory.epoch, epoch =>
    findEvents(db, actor, search, limits, memory.forEpoch(epoch)),
  );
}

async function findEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  limits: SearchLimits,
  memory?: EpochMemory,
): Promise<FoundEvents> {
  const ids: number[] = [];
  let total = 0;
  let completeFrom: number | undefined;
  for (const log of (await hasImportedEvents(db)) ? LOGS : (['own'] as const)) {
    const remainingSearch = {
      ...search,
      offset: Math.max(0, search.offset - total),
      limit: search.limit - ids.length,
    };
    const matches = await findInLog(db, actor, remainingSearch, log, limits, memory);
    ids.push(...matches.ids);
    total += matches.total;
    completeFrom = matches.completeFrom ?? completeFrom;
    // The next page finds the older events.
    if (completeFrom !== undefined && completeFrom > Number.MIN_SAFE_INTEGER) break;
  }
  const events = await readPage(db, ids);
  return { events, total, isTruncated: events.length < ids.length, completeFrom };
}

async function findInLog(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  log: Log,
  limits: SearchLimits,
  memory?: EpochMemory,
): Promise<Pick<FoundEvents, 'total' | 'completeFrom'> & { ids: number[] }> {
  const { checkMs, maxUnindexed } = limits;
  const end = log === 'imported' ? 0 : undefined;
  const { indexed, first } = await findIndexed(db, actor, search, memory, { log, checkMs });
  const tailStart = search.query
    ? Math.max(first, (await readNewestId(db, search.before, end)) - maxUnindexed)
    : first;
  const tail = await findMatching(db, actor, search, tailStart, end);
  if (tailStart > first) return { ...tail, completeFrom: tailStart };
  const olderIds = await indexed.newest(
    search,
    Math.max(0, search.offset - tail.total),
    search.limit - tail.ids.length,
  );
  const { completeFrom = Number.MIN_SAFE_INTEGER } = indexed;
  return {
    ids: [...tail.ids, ...olderIds.filter(id => id >= completeFrom)],
    total: indexed.total + tail.total,
    completeFrom: indexed.completeFrom,
  };
}
