import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { inOneEpoch } from '../epoch/one-epoch.ts';
import type { EventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { type EpochMemory, findIndexed, type SearchMemory } from './indexed.ts';
import { readPage } from './page.ts';
import { findMatching } from './store.ts';

export type FoundEvents = { events: EventRow[]; total: number; isCut: boolean };

/**
 * The page and the total of a search. The index gives the events of its chunks; the tail of the log is read directly. The indexed
 * part never changes, so the result is that of one moment: when the tail was read. Events are read by id at the end.
 * `isCut` tells that the page ended early because of its size.
 */
export async function searchEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  memory?: SearchMemory,
): Promise<FoundEvents> {
  if (!memory) return await findEvents(db, actor, search);
  return await inOneEpoch(db, memory.epoch, epoch => findEvents(db, actor, search, memory.of(epoch)));
}

async function findEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  memory?: EpochMemory,
): Promise<FoundEvents> {
  const { indexed, first } = await findIndexed(db, actor, search, memory);
  const tail = await findMatching(db, actor, search, first);
  const older = await indexed.newest(
    search,
    Math.max(0, search.offset - tail.total),
    search.limit - tail.ids.length,
  );
  const ids = [...tail.ids, ...older];
  const events = await readPage(db, ids);
  return { events, total: indexed.total + tail.total, isCut: events.length < ids.length };
}
