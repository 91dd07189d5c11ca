import type { Reader } from '../../platform/db/database.ts';
import type { EventCursor } from '../events/search-query.ts';
import { countBits } from './bitmap.ts';
import type { Clause, Dimension } from './clauses.ts';
import { countBy } from './groups.ts';
import { addSets, type ChunkMatch, findMatches } from './matches.ts';
import { newestIds } from './page.ts';
import { type RecentPostings, recentBitmap } from './recent.ts';
import { type ClauseSets, makeSetCache } from './sets.ts';
import type { ChunkRange } from './store.ts';
import { type IndexedText, narrowByText, type TextResult } from './text/matches.ts';

export type IndexedMatches = {
  total: number;
  /** Set if time for checking events ran out. Matches below this id are then incomplete, and the total is a lower bound. */
  completeFrom?: number | undefined;
  /** Returns the ids of the matches within the cursor, newest first, skipping the first `skip`. */
  newest: (cursor: EventCursor, skip: number, limit: number) => Promise<number[]>;
  /** Returns how many matches have each value of a dimension. The key null counts matches without a value. */
  countBy: (dimension: Dimension) => Promise<Map<string | null, number>>;
};

export const NO_MATCHES: IndexedMatches = {
  total: 0,
  newest: async () => [],
  countBy: async () => new Map(),
};

/**
 * Conditions that events must meet. `visibility` is a separate clause, because it has too many values to read all their counts for
 * each search.
 */
export type Conditions = {
  clauses: Clause[];
  visibility?: Clause | undefined;
  text?: IndexedText | undefined;
};

/**
 * Finds the events of a range of chunks that meet the conditions. `recent` adds the chunk after the range. Sets are needed only for
 * chunks that more than one clause narrows, and for the chunks of the page.
 */
export async function findInIndex(
  db: Reader,
  { clauses, visibility, text }: Conditions,
  range: ChunkRange,
  recent?: RecentPostings,
  loadSets: ClauseSets = makeSetCache()(0),
): Promise<IndexedMatches> {
  const storedMatches = await findMatches(db, clauses, range);
  if (visibility) for (const match of storedMatches) match.narrowingClauses.push(visibility);
  const allMatches = recent
    ? [recentMatch(recent, visibility ? [...clauses, visibility] : clauses), ...storedMatches]
    : storedMatches;
  const { matches, completeFrom }: TextResult = text
    ? await narrowByText(db, loadSets, allMatches, text)
    : { matches: allMatches };
  await addSets(
    db,
    loadSets,
    matches.filter(match => !match.sets && (visibility || match.narrowingClauses.length > 1)),
  );
  const nonEmptyMatches = matches.filter(match => match.count > 0);
  return {
    total: nonEmptyMatches.reduce((total, match) => total + match.count, 0),
    completeFrom,
    newest: (cursor, skip, limit) => newestIds(db, loadSets, nonEmptyMatches, cursor, skip, limit),
    countBy: dimension => countBy(db, loadSets, nonEmptyMatches, dimension, recent),
  };
}

function recentMatch(recent: RecentPostings, clauses: Clause[]): ChunkMatch {
  const bitmap = recentBitmap(recent, clauses);
  return {
    chunk: recent.chunk,
    isRecent: true,
    narrowingClauses: [],
    count: countBits(bitmap),
    sets: [bitmap],
  };
}
