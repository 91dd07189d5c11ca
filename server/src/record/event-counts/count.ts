import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readInOneEpoch } from '../epoch/one-epoch.ts';
import type { Log } from '../event-index/store.ts';
import {
  type EpochMemory,
  findAllIndexed,
  type IndexedSearch,
  type SearchMemory,
} from '../event-search/indexed.ts';
import { hasImportedEvents } from '../events/imported.ts';
import type { EventFilters } from '../events/search-query.ts';
import type { GroupProperty } from './schema.ts';
import { countGroups, type EventGroup, type IndexedCounts } from './store.ts';

/** Up to this many events, reading them by id takes less time than reading the set of every value. */
const MAX_READ_BY_ID = 2_000;

/**
 * Counts the visible matching events by group. The index provides the counts of indexed chunks, and the statement that counts the
 * tail of the log adds them in, so the result reflects one point in time.
 */
export async function countEvents(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  by: GroupProperty,
  memory?: SearchMemory,
): Promise<EventGroup[]> {
  if (!memory) return await countMatches(db, actor, filters, by);
  return await readInOneEpoch(db, memory.epoch, epoch =>
    countMatches(db, actor, filters, by, memory.forEpoch(epoch)),
  );
}

async function countMatches(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  by: GroupProperty,
  memory?: EpochMemory,
): Promise<EventGroup[]> {
  const counts: IndexedCounts = { ids: [], values: [], counts: [] };
  const { first } = await addCounts(db, actor, filters, by, 'own', counts, memory);
  if (!(await hasImportedEvents(db))) return await countGroups(db, actor, filters, by, first, counts);
  const importedSearch = await addCounts(db, actor, filters, by, 'imported', counts, memory);
  return await countGroups(db, actor, filters, by, first, counts, importedSearch.first);
}

async function addCounts(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  by: GroupProperty,
  log: Log,
  counts: IndexedCounts,
  memory?: EpochMemory,
): Promise<IndexedSearch> {
  const search = await findAllIndexed(db, actor, filters, memory, { log });
  const { indexed } = search;
  if (indexed.total <= MAX_READ_BY_ID) counts.ids.push(...(await indexed.newest({}, 0, MAX_READ_BY_ID)));
  else {
    for (const [value, count] of await indexed.countBy(by)) {
      // The index stores an empty project for events without a project.
      counts.values.push(value === '' && by === 'project' ? null : value);
      counts.counts.push(count);
    }
  }
  return search;
}
