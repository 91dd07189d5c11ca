import type { Reader } from '../../platform/db/database.ts';
import { type Bitmap, countCommon } from './bitmap.ts';
import { ALL, type Clause } from './clauses.ts';
import type { ClauseSets } from './sets.ts';
import { type ChunkRange, readCounts } from './store.ts';

/**
 * A chunk with events that match. `narrowing` has the clauses that exclude some of its events; the other clauses contain all of
 * them.
 */
export type Match = {
  chunk: number;
  narrowing: Clause[];
  /** The number of matches. */
  count: number;
  /** The sets whose intersection matches, where they were needed. They are shared, so do not change them. */
  sets?: Bitmap[];
  isRecent?: true;
};

/**
 * The chunks in which every clause has events, the highest first. Their counts are exact where at most one clause narrows a chunk: a
 * day in the middle of the requested days, or a search with one filter. Elsewhere there may be fewer matches.
 */
export async function findMatches(db: Reader, clauses: Clause[], range: ChunkRange): Promise<Match[]> {
  const [all = [], ...counts] = await countByChunk(db, [ALL, ...clauses], range);
  const matches: Match[] = [];
  for (let chunk = range.end - 1; chunk >= range.first; chunk--) {
    const inChunk = all[chunk - range.first] ?? 0;
    const sizes = counts.map(
      (ofClause, n) => (clauses[n]?.all ? inChunk : 0) + (ofClause[chunk - range.first] ?? 0),
    );
    const count = Math.min(inChunk, ...sizes);
    if (count > 0)
      matches.push({ chunk, count, narrowing: clauses.filter((_, n) => (sizes[n] ?? 0) < inChunk) });
  }
  return matches;
}

/** The counts of each clause, from the first chunk of the range on. */
async function countByChunk(db: Reader, clauses: Clause[], range: ChunkRange): Promise<number[][]> {
  const byChunk = clauses.map(() => new Array<number>(range.end - range.first).fill(0));
  for (const { clause, chunks, counts } of await readCounts(db, clauses, range)) {
    const ofClause = byChunk[clause] ?? [];
    for (const [n, chunk] of chunks.entries()) ofClause[chunk - range.first] = counts[n] ?? 0;
  }
  return byChunk;
}

/** Adds to the matches the sets of the clauses that narrow them, and counts their intersections. */
export async function addSets(db: Reader, setsOf: ClauseSets, matches: Match[]): Promise<void> {
  const clausesOf = ({ narrowing }: Match) => (narrowing.length > 0 ? narrowing : [ALL]);
  for (const match of matches) match.sets = [];
  for (const clause of new Set(matches.flatMap(clausesOf))) {
    const narrowed = matches.filter(match => clausesOf(match).includes(clause));
    const sets = await setsOf(
      db,
      clause,
      narrowed.map(match => match.chunk),
    );
    for (const [n, set] of sets.entries()) narrowed[n]?.sets?.push(set);
  }
  for (const match of matches) match.count = countCommon(match.sets ?? []);
}
