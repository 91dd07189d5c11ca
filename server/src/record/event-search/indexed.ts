import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { getFirstId } from '../event-index/bitmap.ts';
import { type Clause, projectClause, toClauses, visibilityClause } from '../event-index/clauses.ts';
import { findInIndex, type IndexedMatches, NO_MATCHES } from '../event-index/find.ts';
import {
  makeRecentEvents,
  type RecentEvents,
  type RecentPostings,
  recentProjects,
} from '../event-index/recent.ts';
import { makeSetCache } from '../event-index/sets.ts';
import {
  FIRST_CHUNK,
  type IndexPart,
  type Log,
  listProjectsFor,
  readIndexState,
} from '../event-index/store.ts';
import { makeRecentTexts, type RecentTexts } from '../event-index/text/recent.ts';
import type { EventCursor, EventFilters } from '../events/search-query.ts';
import { canSeeOwnEvents } from '../events/store.ts';
import { listUnsearchable } from './store.ts';

/** What searches read repeatedly and therefore keep in memory: recent events, their texts, and index sets, all from one epoch. */
export type EpochMemory = { events: RecentEvents; texts: RecentTexts; sets: ReturnType<typeof makeSetCache> };

export type SearchMemory = {
  /** The epoch that was last searched. */
  readonly epoch: string | undefined;
  /** Returns the memory of the given epoch, and drops everything that was kept for a different epoch. */
  forEpoch: (epoch: string) => EpochMemory;
  clear: () => void;
};

export function makeSearchMemory(maxSetBytes?: number): SearchMemory {
  let current: { epoch: string; memory: EpochMemory } | undefined;
  return {
    get epoch() {
      return current?.epoch;
    },
    forEpoch: epoch => {
      if (current?.epoch !== epoch) {
        const memory = {
          events: makeRecentEvents(),
          texts: makeRecentTexts(),
          sets: makeSetCache(maxSetBytes),
        };
        current = { epoch, memory };
      }
      return current.memory;
    },
    clear: () => {
      current = undefined;
    },
  };
}

/** Matches in the chunks from `firstChunk` on. Events from the id `first` on are not indexed and must be read from the log. */
export type IndexedSearch = { indexed: IndexedMatches; first: number; firstChunk: number };

const emptySearch = (log: Log): IndexedSearch => ({
  indexed: NO_MATCHES,
  first: getFirstId(FIRST_CHUNK[log]),
  firstChunk: FIRST_CHUNK[log],
});

/** Selects the newest indexed chunks before the chunk `end`, at most `maxChunks`. */
export type Window = { end?: number; maxChunks: number };

/** How long a search may check events that the index does not rule out. It is long enough for half a million events. */
export const CHECK_MS = 10_000;

export type SearchOptions = {
  log?: Log;
  window?: Window;
  checkMs?: number;
};

const WHOLE_INDEX: Window = { maxChunks: Number.MAX_SAFE_INTEGER };

/** Returns the visible events of a log that are in the index and match the filters. */
export async function findIndexed(
  db: Reader,
  actor: Actor,
  filters: EventFilters & EventCursor,
  memory?: EpochMemory,
  { log = 'own', window = WHOLE_INDEX, checkMs = CHECK_MS }: SearchOptions = {},
): Promise<IndexedSearch> {
  const { end = Number.MAX_SAFE_INTEGER, maxChunks } = window;
  // PostgreSQL itself indexes ids, group ids and actor kinds, so these filters do not need the event index.
  const { query, id, groupId, createdByKind } = filters;
  if ((id ?? groupId ?? createdByKind) !== undefined) return emptySearch(log);
  const parts: IndexPart[] = query ? ['filters', 'text'] : ['filters'];
  const { chunks, generation, key } = await readIndexState(db, parts, log);
  // A small log has no index, and needs none.
  if (chunks === 0) return emptySearch(log);
  const endChunk = FIRST_CHUNK[log] + chunks;
  const postings = log === 'own' && end >= endChunk ? await memory?.events(db, endChunk) : undefined;
  const recentPostings = postings?.chunk === endChunk ? postings : undefined;
  const { clauses, visibility } = await buildClauses(db, actor, filters, recentPostings);
  const first = recentPostings ? recentPostings.lastId + 1 : getFirstId(endChunk);
  const text = query
    ? {
        text: query,
        key,
        recent: recentPostings && (await memory?.texts(db, recentPostings, query)),
        excludedIds: await listUnsearchable(db, actor, filters, first),
        checkMs,
        before: filters.before,
      }
    : undefined;
  const rangeEnd = Math.min(end, endChunk);
  const range = { first: Math.max(FIRST_CHUNK[log], rangeEnd - maxChunks), end: rangeEnd };
  const indexed = await findInIndex(
    db,
    { clauses, visibility, text },
    range,
    recentPostings,
    memory?.sets(generation),
  );
  return { indexed, first, firstChunk: range.first };
}

async function buildClauses(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  recent?: RecentPostings,
): Promise<{ clauses: Clause[]; visibility?: Clause }> {
  const clauses = toClauses(filters);
  if (actor.isAdmin)
    return { clauses: filters.project ? [projectClause(filters.project), ...clauses] : clauses };
  const { readable, indexed } = await listProjectsFor(db, actor);
  if (filters.project) {
    const projects = filters.project.filter(project => readable.includes(project));
    return { clauses: [projectClause(projects), ...clauses] };
  }
  const knownProjects = [...indexed, ...(recent ? recentProjects(recent) : [])];
  const visibility = visibilityClause(canSeeOwnEvents(actor) ? actor.userId : null, readable, knownProjects);
  return { clauses, visibility };
}

/** Like `findIndexed`, but fails unless the matches are complete. */
export async function findAllIndexed(...args: Parameters<typeof findIndexed>): Promise<IndexedSearch> {
  const search = await findIndexed(...args);
  if (search.indexed.completeFrom !== undefined) throw timeoutError();
  return search;
}

const timeoutError = () =>
  new ApiError(
    'ServiceUnavailableError',
    `The search took longer than ${CHECK_MS / 1_000} s. Search for a longer string or add a filter.`,
  );
