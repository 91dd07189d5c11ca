import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { inOneEpoch } from '../epoch/one-epoch.ts';
import type { EventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { CHECK_MS, type EpochMemory, findIndexed, type SearchMemory } from './indexed.ts';
import { readPage } from './page.ts';
import { findMatching } from './store.ts';

export type FoundEvents = {
  events: EventRow[];
  total: number;
  /** The page ended early because of its size. */
  isCut: boolean;
  /** The page ended early because of its time: the next one begins before this id. The total is a lower bound if it is set. */
  completeFrom?: number | undefined;
};

/**
 * The page and the total of a search. The index gives the events of its chunks; the tail of the log is read directly. The indexed
 * part never changes, so the result is that of one moment: when the tail was read. Events are read by id at the end.
 */
export async function searchEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  memory?: SearchMemory,
  checkMs = CHECK_MS,
): Promise<FoundEvents> {
  if (!memory) return await findEvents(db, actor, search, checkMs);
  return await inOneEpoch(db, memory.epoch, epoch =>
    findEvents(db, actor, search, checkMs, memory.of(epoch)),
  );
}

async function findEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  checkMs: number,
  memory?: EpochMemory,
): Promise<FoundEvents> {
  const { indexed, first } = await findIndexed(db, actor, search, memory, { checkMs });
  const tail = await findMatching(db, actor, search, first);
  const older = await indexed.newest(
    search,
    Math.max(0, search.offset - tail.total),
    search.limit - tail.ids.length,
  );
  const { completeFrom = 0 } = indexed;
  const ids = [...tail.ids, ...older.filter(id => id >= completeFrom)];
  const events = await readPage(db, ids);
  return {
    events,
    total: indexed.total + tail.total,
    isCut: events.length < ids.length,
    completeFrom: indexed.completeFrom,
  };
}
