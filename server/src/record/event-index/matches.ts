import type { Reader } from '../../platform/db/database.ts';
import { type Bitmap, countCommon } from './bitmap.ts';
import { ALL, type Clause } from './clauses.ts';
import type { ClauseSets } from './sets.ts';
import { type ChunkRange, readCounts } from './store.ts';

/**
 * A chunk with matching events. `narrowingClauses` are the clauses that exclude some of the chunk's events. The other clauses match
 * all of them.
 */
export type ChunkMatch = {
  chunk: number;
  narrowingClauses: Clause[];
  /** The number of matching events, or an upper bound until the sets are known. */
  count: number;
  /** The sets whose intersection is the matching events, if they were read. They are shared, so do not change them. */
  sets?: Bitmap[];
  isRecent?: true;
};

/**
 * Returns the chunks in which every clause has events, highest first. A count is exact if at most one clause narrows the chunk, for
 * example on a day in the middle of the requested range, or in a search with one filter. Otherwise there may be fewer matches.
 */
export async function findMatches(db: Reader, clauses: Clause[], range: ChunkRange): Promise<ChunkMatch[]> {
  const [totals = [], ...counts] = await countByChunk(db, [ALL, ...clauses], range);
  const matches: ChunkMatch[] = [];
  for (let chunk = range.end - 1; chunk >= range.first; chunk--) {
    const chunkTotal = totals[chunk - range.first] ?? 0;
    const sizes = counts.map(
      (clauseCounts, n) => (clauses[n]?.all ? chunkTotal : 0) + (clauseCounts[chunk - range.first] ?? 0),
    );
    const count = Math.min(chunkTotal, ...sizes);
    if (count > 0)
      matches.push({
        chunk,
        count,
        narrowingClauses: clauses.filter((_, n) => (sizes[n] ?? 0) < chunkTotal),
      });
  }
  return matches;
}

/** Returns each clause's count in every chunk of the range. */
async function countByChunk(db: Reader, clauses: Clause[], range: ChunkRange): Promise<number[][]> {
  const countsByClause = clauses.map(() => new Array<number>(range.end - range.first).fill(0));
  for (const { clause, chunks, counts } of await readCounts(db, clauses, range)) {
    const clauseCounts = countsByClause[clause] ?? [];
    for (const [n, chunk] of chunks.entries()) clauseCounts[chunk - range.first] = counts[n] ?? 0;
  }
  return countsByClause;
}

/** Adds the sets of the narrowing clauses to each match, and counts their intersection. */
export async function addSets(db: Reader, loadSets: ClauseSets, matches: ChunkMatch[]): Promise<void> {
  const getClauses = ({ narrowingClauses }: ChunkMatch) =>
    narrowingClauses.length > 0 ? narrowingClauses : [ALL];
  for (const match of matches) match.sets = [];
  for (const clause of new Set(matches.flatMap(getClauses))) {
    const narrowedMatches = matches.filter(match => getClauses(match).includes(clause));
    const sets = await loadSets(
      db,
      clause,
      narrowedMatches.map(match => match.chunk),
    );
    for (const [n, set] of sets.entries()) narrowedMatches[n]?.sets?.push(set);
  }
  for (const match of matches) match.count = countCommon(match.sets ?? []);
}
