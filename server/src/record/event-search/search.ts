import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { firstIdOf } from '../event-index/bitmap.ts';
import { type Clause, clausesOf, ofProjects, visibleTo } from '../event-index/clauses.ts';
import { findInIndex, type IndexedMatches } from '../event-index/find.ts';
import { makeRecentEvents, type RecentPostings, recentProjects } from '../event-index/recent.ts';
import { hasMoreOfFeatures, listProjectsFor, readIndexedChunks } from '../event-index/store.ts';
import { makeRecentTexts } from '../event-index/text/recent.ts';
import { makeVisibleSets } from '../event-index/visible.ts';
import type { EventSearch } from '../events/search-query.ts';
import type { EventRow } from '../events/store.ts';
import { findMatching, listEventsById, listUnsearchable } from './store.ts';

/** Keeps in memory what searches read again and again: recent events, their texts, and visible sets. None of it ever changes. */
export const makeRecent = () => ({
  events: makeRecentEvents(),
  texts: makeRecentTexts(),
  visible: makeVisibleSets(),
});
export type Recent = ReturnType<typeof makeRecent>;

const NOTHING: IndexedMatches = { total: 0, newest: async () => [] };

/**
 * The page and the total of a search. The index gives the events of its chunks; the tail of the log is read directly. The indexed
 * part never changes, so the result is that of one moment: when the tail was read. Events are read by id at the end.
 */
export async function searchEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
  recent?: Recent,
): Promise<{ events: EventRow[]; total: number }> {
  const { indexed, first } = (await isIndexed(db, actor, search))
    ? await findIndexed(db, actor, search, recent)
    : { indexed: NOTHING, first: 0 };
  const tail = await findMatching(db, actor, search, first);
  const older = await indexed.newest(
    search,
    Math.max(0, search.offset - tail.total),
    search.limit - tail.ids.length,
  );
  const ids = [...tail.ids, ...older];
  return { events: ids.length > 0 ? await listEventsById(db, ids) : [], total: indexed.total + tail.total };
}

/** The matches in the index, and the first id behind it. */
async function findIndexed(db: Reader, actor: Actor, search: EventSearch, recent?: Recent) {
  const { query } = search;
  const chunks = await readIndexedChunks(db, query ? ['filters', 'text'] : ['filters']);
  const postings = await recent?.events(db, chunks);
  const next = postings?.chunk === chunks ? postings : undefined;
  if (chunks === 0 && !next) return { indexed: NOTHING, first: 0 };
  const { clauses, visible } = await clausesFor(db, actor, search, next);
  const first = next ? next.upTo + 1 : firstIdOf(chunks);
  const text = query
    ? {
        text: query,
        recent: next && (await recent?.texts(db, next, query)),
        except: await listUnsearchable(db, actor, search, first),
      }
    : undefined;
  return {
    indexed: await findInIndex(db, clauses, chunks, next, {
      features: search.feature,
      text,
      visible: visible && recent && { clause: visible, sets: recent.visible },
    }),
    first,
  };
}

/** To read so few events and check the other filters takes less time than to read the sets of these filters. */
const FEW_EVENTS = 1_000;

/** Ids, changes and features have indexes of their own on the events: enough where they leave few events to check, or none. */
async function isIndexed(
  db: Reader,
  actor: Actor,
  { id, groupId, feature, ...others }: EventSearch,
): Promise<boolean> {
  if (id || groupId) return false;
  if (!feature) return true;
  const { query, project, type, createdBy, environment, from, to } = others;
  const isAlone = [query, project, type, createdBy, environment, from, to].every(
    filter => filter === undefined,
  );
  return (!actor.isAdmin || !isAlone) && (await hasMoreOfFeatures(db, feature, FEW_EVENTS));
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
  return { clauses: [visible, ...clauses], visible };
}
