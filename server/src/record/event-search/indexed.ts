import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { firstIdOf } from '../event-index/bitmap.ts';
import { type Clause, clausesOf, ofProjects, visibleTo } from '../event-index/clauses.ts';
import { findInIndex, type IndexedMatches, NO_MATCHES } from '../event-index/find.ts';
import {
  makeRecentEvents,
  type RecentEvents,
  type RecentPostings,
  recentProjects,
} from '../event-index/recent.ts';
import { keepSets } from '../event-index/sets.ts';
import {
  FIRST_CHUNK,
  type IndexPart,
  type Log,
  listProjectsFor,
  readIndexState,
} from '../event-index/store.ts';
import { makeRecentTexts, type RecentTexts } from '../event-index/text/recent.ts';
import type { EventCursor, EventFilters } from '../events/search-query.ts';
import { seesOwn } from '../events/store.ts';
import { listUnsearchable } from './store.ts';

/** What searches read repeatedly: recent events, their texts, and sets of the index. All of it belongs to one epoch. */
export type EpochMemory = { events: RecentEvents; texts: RecentTexts; sets: ReturnType<typeof keepSets> };

export type SearchMemory = {
  /** The epoch that was searched last. */
  readonly epoch: string | undefined;
  /** The memory of an epoch. Whatever was kept for a different epoch is dropped. */
  of: (epoch: string) => EpochMemory;
  clear: () => void;
};

export function makeSearchMemory(maxSetBytes?: number): SearchMemory {
  let kept: { epoch: string; memory: EpochMemory } | undefined;
  return {
    get epoch() {
      return kept?.epoch;
    },
    of: epoch => {
      if (kept?.epoch !== epoch) {
        const memory = { events: makeRecentEvents(), texts: makeRecentTexts(), sets: keepSets(maxSetBytes) };
        kept = { epoch, memory };
      }
      return kept.memory;
    },
    clear: () => {
      kept = undefined;
    },
  };
}

/** Matches in the chunks from `firstChunk` on. Events from the id `first` on are not in the index and must be read from the log. */
export type Indexed = { indexed: IndexedMatches; first: number; firstChunk: number };

const nothingIndexed = (log: Log): Indexed => ({
  indexed: NO_MATCHES,
  first: firstIdOf(FIRST_CHUNK[log]),
  firstChunk: FIRST_CHUNK[log],
});

/** `atMost` chunks of the index, the newest before the chunk `end`. */
export type Window = { end?: number; atMost: number };

/** How long a search may check events that the index does not rule out. Long enough for half a million. */
export const CHECK_MS = 10_000;

export type SearchOptions = {
  log?: Log;
  window?: Window;
  checkMs?: number;
};

const WHOLE_INDEX: Window = { atMost: Number.MAX_SAFE_INTEGER };

/** The visible events of a log that are in the index and match the filters. */
export async function findIndexed(
  db: Reader,
  actor: Actor,
  filters: EventFilters & EventCursor,
  memory?: EpochMemory,
  { log = 'own', window = WHOLE_INDEX, checkMs = CHECK_MS }: SearchOptions = {},
): Promise<Indexed> {
  const { end = Number.MAX_SAFE_INTEGER, atMost } = window;
  // The events have separate indexes on ids, changes and kinds of actors.
  const { query, id, groupId, createdByKind } = filters;
  if ((id ?? groupId ?? createdByKind) !== undefined) return nothingIndexed(log);
  const parts: IndexPart[] = query ? ['filters', 'text'] : ['filters'];
  const { chunks, generation, key } = await readIndexState(db, parts, log);
  // A small log has no index, and needs none.
  if (chunks === 0) return nothingIndexed(log);
  const afterLast = FIRST_CHUNK[log] + chunks;
  const postings = log === 'own' && end >= afterLast ? await memory?.events(db, afterLast) : undefined;
  const next = postings?.chunk === afterLast ? postings : undefined;
  const { clauses, visible } = await clausesFor(db, actor, filters, next);
  const first = next ? next.upTo + 1 : firstIdOf(afterLast);
  const text = query
    ? {
        text: query,
        key,
        recent: next && (await memory?.texts(db, next, query)),
        except: await listUnsearchable(db, actor, filters, first),
        checkMs,
        before: filters.before,
      }
    : undefined;
  const last = Math.min(end, afterLast);
  const range = { first: Math.max(FIRST_CHUNK[log], last - atMost), end: last };
  const indexed = await findInIndex(db, { clauses, visible, text }, range, next, memory?.sets(generation));
  return { indexed, first, firstChunk: range.first };
}

async function clausesFor(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  recent?: RecentPostings,
): Promise<{ clauses: Clause[]; visible?: Clause }> {
  const clauses = clausesOf(filters);
  if (actor.isAdmin)
    return { clauses: filters.project ? [ofProjects(filters.project), ...clauses] : clauses };
  const { readable, indexed } = await listProjectsFor(db, actor);
  if (filters.project) {
    const projects = filters.project.filter(project => readable.includes(project));
    return { clauses: [ofProjects(projects), ...clauses] };
  }
  const known = [...indexed, ...(recent ? recentProjects(recent) : [])];
  const visible = visibleTo(seesOwn(actor) ? actor.userId : null, readable, known);
  return { clauses, visible };
}

/** Matches, all of which must be found. */
export async function findAllIndexed(...given: Parameters<typeof findIndexed>): Promise<Indexed> {
  const found = await findIndexed(...given);
  if (found.indexed.completeFrom !== undefined) throw tooSlow();
  return found;
}

const tooSlow = () =>
  new ApiError(
    'ServiceUnavailableError',
    `The search took longer than ${CHECK_MS / 1_000} s. Search for a longer string or add a filter.`,
  );
