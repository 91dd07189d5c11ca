import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { firstIdOf } from '../event-index/bitmap.ts';
import { type Clause, clausesOf, ofProjects, visibleTo } from '../event-index/clauses.ts';
import { findInIndex, type IndexedMatches } from '../event-index/find.ts';
import { makeRecentEvents, type RecentPostings, recentProjects } from '../event-index/recent.ts';
import { keepSets } from '../event-index/sets.ts';
import { listProjectsFor, readIndexedChunks } from '../event-index/store.ts';
import { makeRecentTexts } from '../event-index/text/recent.ts';
import type { EventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { readPage } from './page.ts';
import { findMatching, listUnsearchable } from './store.ts';

/** Keeps in memory what searches read again and again: recent events, their texts, and sets of the index. None of it ever changes. */
export const makeSearchMemory = () => ({
  events: makeRecentEvents(),
  texts: makeRecentTexts(),
  sets: keepSets(),
});
export type SearchMemory = ReturnType<typeof makeSearchMemory>;

const NOTHING: IndexedMatches = { total: 0, newest: async () => [] };

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
): Promise<{ events: EventRow[]; total: number; isCut: boolean }> {
  // Ids and changes have indexes of their own on the events.
  const isIndexed = search.id === undefined && search.groupId === undefined;
  const { indexed, first } = isIndexed
    ? await findIndexed(db, actor, search, memory)
    : { indexed: NOTHING, first: 0 };
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

/** The matches in the index, and the first id behind it. */
async function findIndexed(db: Reader, actor: Actor, search: EventSearch, memory?: SearchMemory) {
  const { query } = search;
  const chunks = await readIndexedChunks(db, query ? ['filters', 'text'] : ['filters']);
  const postings = await memory?.events(db, chunks);
  const next = postings?.chunk === chunks ? postings : undefined;
  if (chunks === 0 && !next) return { indexed: NOTHING, first: 0 };
  const { clauses, visible } = await clausesFor(db, actor, search, next);
  const first = next ? next.upTo + 1 : firstIdOf(chunks);
  const text = query
    ? {
        text: query,
        recent: next && (await memory?.texts(db, next, query)),
        except: await listUnsearchable(db, actor, search, first),
      }
    : undefined;
  return {
    indexed: await findInIndex(db, { clauses, visible, text }, chunks, next, memory?.sets),
    first,
  };
}

async function clausesFor(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  recent?: RecentPostings,
): Promise<{ clauses: Clause[]; visible?: Clause }> {
  const clauses = clausesOf(search);
  if (actor.isAdmin) return { clauses: search.project ? [ofProjects(search.project), ...clauses] : clauses };
  const { readable, indexed } = await listProjectsFor(db, actor);
  if (search.project) {
    const projects = search.project.filter(project => readable.includes(project));
    return { clauses: [ofProjects(projects), ...clauses] };
  }
  const known = [...indexed, ...(recent ? recentProjects(recent) : [])];
  const visible = visibleTo(actor.userId, readable, known);
  return { clauses, visible };
}
