import type { Reader } from '../../platform/db/database.ts';
import type { EventCursor } from '../events/search-query.ts';
import { countBits } from './bitmap.ts';
import type { Clause, Dimension } from './clauses.ts';
import { countBy } from './groups.ts';
import { addSets, findMatches, type Match } from './matches.ts';
import { newestOf } from './page.ts';
import { type RecentPostings, recentBitmap } from './recent.ts';
import { type ClauseSets, keepSets } from './sets.ts';
import type { ChunkRange } from './store.ts';
import { type IndexedText, type TextResult, withText } from './text/matches.ts';

export type IndexedMatches = {
  total: number;
  /** Set if the time for checking events was up: matches with lower ids are incomplete, and the total is a lower bound. */
  completeFrom?: number | undefined;
  /** The ids of the matches within the cursor, newest first, without the first `skip` ones. */
  newest: (cursor: EventCursor, skip: number, take: number) => Promise<number[]>;
  /** How many matches have each value of a dimension. null: matches without one. */
  countBy: (dimension: Dimension) => Promise<Map<string | null, number>>;
};

export const NO_MATCHES: IndexedMatches = {
  total: 0,
  newest: async () => [],
  countBy: async () => new Map(),
};

/** Conditions that events must meet. `visible` is one more clause, with too many values to read their counts for each search. */
export type Conditions = { clauses: Clause[]; visible?: Clause | undefined; text?: IndexedText | undefined };

/**
 * Finds the events of a range of chunks that meet the conditions. `recent` adds the chunk after them. Sets are needed only for
 * chunks that more than one clause narrows, and for those of the page.
 */
export async function findInIndex(
  db: Reader,
  { clauses, visible, text }: Conditions,
  range: ChunkRange,
  recent?: RecentPostings,
  setsOf: ClauseSets = keepSets()(0),
): Promise<IndexedMatches> {
  const stored = await findMatches(db, clauses, range);
  if (visible) for (const match of stored) match.narrowing.push(visible);
  const all = recent ? [recentMatch(recent, visible ? [...clauses, visible] : clauses), ...stored] : stored;
  const { matches, completeFrom }: TextResult = text
    ? await withText(db, setsOf, all, text)
    : { matches: all };
  await addSets(
    db,
    setsOf,
    matches.filter(match => !match.sets && (visible || match.narrowing.length > 1)),
  );
  const found = matches.filter(match => match.count > 0);
  return {
    total: found.reduce((total, match) => total + match.count, 0),
    completeFrom,
    newest: (cursor, skip, take) => newestOf(db, setsOf, found, cursor, skip, take),
    countBy: dimension => countBy(db, setsOf, found, dimension, recent),
  };
}

function recentMatch(recent: RecentPostings, clauses: Clause[]): Match {
  const bitmap = recentBitmap(recent, clauses);
  return { chunk: recent.chunk, isRecent: true, narrowing: [], count: countBits(bitmap), sets: [bitmap] };
}
