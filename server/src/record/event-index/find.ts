import type { Reader } from '../../platform/db/database.ts';
import type { EventCursor } from '../events/search-query.ts';
import {
  addPosition,
  addPositions,
  type Bitmap,
  CHUNK_SIZE,
  countBits,
  emptyBitmap,
  firstIdOf,
  highestPositions,
  intersect,
  subtract,
} from './bitmap.ts';
import type { Clause } from './clauses.ts';
import { type RecentPostings, recentPositions } from './recent.ts';
import { ALL, intersectionOf, readBitmaps } from './sets.ts';
import { listFeaturePositions, readCounts } from './store.ts';
import { checkText, findText, type TextMatches } from './text/find.ts';
import type { VisibleSet, VisibleSets } from './visible.ts';

/** A chunk with events that match. `narrowing` has the clauses that exclude events of it; the others contain all its events. */
type Match = {
  chunk: number;
  /** The number of events in the chunk. */
  all: number;
  narrowing: Clause[];
  count: number;
  bitmap?: Bitmap;
  isRecent?: true;
};

export type IndexedMatches = {
  total: number;
  /** The ids of the matches within the cursor, newest first, without the first `skip` ones. */
  newest: (cursor: EventCursor, skip: number, take: number) => Promise<number[]>;
};

/** A text, and where the recent events contain it. The events of `except` do not match, whatever they contain. */
export type IndexedText = { text: string; recent?: TextMatches | undefined; except?: number[] };

/** Conditions that come with sets of their own. `visible` is one of the clauses, with its sets in memory. */
type Further = {
  features?: string[] | undefined;
  text?: IndexedText | undefined;
  visible?: { clause: Clause; sets: VisibleSets } | undefined;
};

/**
 * Finds the events of the first `chunks` chunks that are in every clause. Counts are enough where at most one clause narrows a chunk:
 * a day in the middle of the days asked for, or a search with one filter. The sets are read only for the other chunks, and for
 * those of the page. `recent` adds the chunk after them.
 */
export async function findInIndex(
  db: Reader,
  clauses: Clause[],
  chunks: number,
  recent?: RecentPostings,
  { features, text, visible }: Further = {},
): Promise<IndexedMatches> {
  const stored = visible ? clauses.filter(clause => clause !== visible.clause) : clauses;
  const byCounts = matchesByCounts([ALL, ...stored], await readCounts(db, [ALL, ...stored], chunks));
  const seen = visible
    ? await withVisible(db, byCounts, await visible.sets(db, visible.clause, chunks))
    : byCounts;
  const inAll = recent ? [recentMatch(recent, [ALL, ...clauses]), ...seen] : seen;
  const ofFeatures = features ? await withFeatures(db, inAll, features) : inAll;
  const matches = text ? await withText(db, ofFeatures, text) : ofFeatures;
  await addBitmaps(
    db,
    matches.filter(match => match.narrowing.length > 1 && !match.bitmap),
  );
  for (const match of matches) if (match.bitmap) match.count = countBits(match.bitmap);
  const found = matches.filter(match => match.count > 0);
  return {
    total: found.reduce((total, match) => total + match.count, 0),
    newest: (cursor, skip, take) => newestOf(db, found, cursor, skip, take),
  };
}

/** The matches with events that the caller can see. A chunk of which the caller sees everything stays as it is. */
async function withVisible(db: Reader, matches: Match[], sets: Map<number, VisibleSet>): Promise<Match[]> {
  const setOf = ({ chunk }: Match) => sets.get(chunk) ?? { count: 0, bitmap: emptyBitmap() };
  const seen = matches.filter(match => setOf(match).count > 0);
  const narrowed = seen.filter(match => setOf(match).count < match.all);
  await addBitmaps(
    db,
    narrowed.filter(match => match.narrowing.length > 0),
  );
  for (const match of narrowed) {
    const { bitmap } = setOf(match);
    if (match.bitmap) intersect(match.bitmap, bitmap);
    else match.bitmap = bitmap;
  }
  return seen;
}

/** The matches that have events of the features, with their sets. Features are so many that the index on the events serves them. */
async function withFeatures(db: Reader, matches: Match[], features: string[]): Promise<Match[]> {
  const end = firstIdOf((matches[0]?.chunk ?? -1) + 1);
  const lists = await listFeaturePositions(db, features, end);
  const byChunk = new Map(lists.map(({ chunk, list }) => [chunk, list]));
  const both = matches.filter(match => byChunk.has(match.chunk));
  await addBitmaps(
    db,
    both.filter(match => match.narrowing.length > 0 && !match.bitmap),
  );
  for (const match of both) {
    const ofFeatures = emptyBitmap();
    addPositions(ofFeatures, byChunk.get(match.chunk) ?? Buffer.alloc(0));
    if (match.bitmap) intersect(ofFeatures, match.bitmap);
    match.bitmap = ofFeatures;
  }
  return both;
}

/** The matches whose events contain the text too, with their sets. */
async function withText(
  db: Reader,
  matches: Match[],
  { text, recent, except = [] }: IndexedText,
): Promise<Match[]> {
  const stored = matches.filter(match => !match.isRecent).map(match => match.chunk);
  const found = await findText(db, text, stored);
  const textOf = (match: Match) => (match.isRecent ? recent : found.get(match.chunk));
  const both = matches.flatMap(match => {
    const inText = textOf(match);
    return inText ? [{ match, inText }] : [];
  });
  await addBitmaps(
    db,
    both.map(({ match }) => match).filter(match => match.narrowing.length > 0 && !match.bitmap),
  );
  const unchecked: number[] = [];
  const exceptions = byChunks(except);
  for (const { match, inText } of both) {
    const excepted = exceptions.get(match.chunk);
    for (const set of [inText.sure, inText.maybe]) {
      if (match.bitmap) intersect(set, match.bitmap);
      if (excepted) subtract(set, excepted);
    }
    match.bitmap = inText.sure;
    const first = firstIdOf(match.chunk);
    for (const position of highestPositions(inText.maybe, CHUNK_SIZE, 0, CHUNK_SIZE))
      unchecked.push(first + position);
  }
  const byChunk = new Map(both.map(({ match }) => [match.chunk, match]));
  for (const id of await checkText(db, unchecked, text)) {
    const bitmap = byChunk.get(Math.floor(id / CHUNK_SIZE))?.bitmap;
    if (bitmap) addPosition(bitmap, id % CHUNK_SIZE);
  }
  return both.map(({ match }) => match);
}

function byChunks(ids: number[]): Map<number, Bitmap> {
  const bitmaps = new Map<number, Bitmap>();
  for (const id of ids) {
    const chunk = Math.floor(id / CHUNK_SIZE);
    const bitmap = bitmaps.get(chunk) ?? emptyBitmap();
    addPosition(bitmap, id % CHUNK_SIZE);
    bitmaps.set(chunk, bitmap);
  }
  return bitmaps;
}

/** The chunks in which every clause has events, the highest first. */
function matchesByCounts(
  clauses: Clause[],
  counts: { clause: number; chunk: number; count: number }[],
): Match[] {
  const byChunk = new Map<number, number[]>();
  for (const { clause, chunk, count } of counts) {
    const sizes = byChunk.get(chunk) ?? clauses.map(() => 0);
    sizes[clause] = count;
    byChunk.set(chunk, sizes);
  }
  return [...byChunk]
    .map(([chunk, stored]) => {
      const all = stored[0] ?? 0;
      const sizes = stored.map((size, n) => (clauses[n]?.all ? all + size : size));
      return {
        chunk,
        all,
        count: Math.min(...sizes),
        narrowing: clauses.filter((_, n) => (sizes[n] ?? 0) < all),
      };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.chunk - a.chunk);
}

const recentMatch = (recent: RecentPostings, clauses: Clause[]): Match => ({
  chunk: recent.chunk,
  isRecent: true,
  all: 0,
  narrowing: [],
  count: 0,
  bitmap: intersectionOf(clauses, recentPositions(recent, clauses)),
});

async function newestOf(
  db: Reader,
  matches: Match[],
  { before = Number.MAX_SAFE_INTEGER, after = 0 }: EventCursor,
  skip: number,
  take: number,
): Promise<number[]> {
  const page: { match: Match; skip: number }[] = [];
  let [toSkip, missing] = [skip, take];
  for (const match of matches) {
    if (missing <= 0 || firstIdOf(match.chunk + 1) <= after) break;
    if (firstIdOf(match.chunk) >= before) continue;
    // How many matches of the chunk are below `before` is known only from its set. A cursor is never combined with an offset.
    const count = firstIdOf(match.chunk + 1) <= before ? match.count : 0;
    if (count > 0 && toSkip >= count) {
      toSkip -= count;
      continue;
    }
    page.push({ match, skip: toSkip });
    missing -= Math.max(0, count - toSkip);
    toSkip = 0;
  }
  await addBitmaps(
    db,
    page.map(({ match }) => match).filter(match => !match.bitmap),
  );
  return page
    .flatMap(({ match, skip }) => {
      const first = firstIdOf(match.chunk);
      return highestPositions(match.bitmap ?? emptyBitmap(), before - first, skip, take).map(
        position => first + position,
      );
    })
    .filter(id => id > after)
    .slice(0, take);
}

/** Reads the sets of the chunks, with one statement for all chunks that the same clauses narrow. */
async function addBitmaps(db: Reader, matches: Match[]): Promise<void> {
  for (const [clauses, group] of groupBySets(matches)) {
    const bitmaps = await readBitmaps(
      db,
      clauses,
      group.map(match => match.chunk),
    );
    for (const [n, [, bitmap]] of bitmaps.entries()) {
      const match = group[n];
      if (match) match.bitmap = bitmap;
    }
  }
}

function groupBySets(matches: Match[]): [Clause[], Match[]][] {
  const groups: [Clause[], Match[]][] = [];
  for (const match of matches) {
    const group = groups.find(([, [first]]) => first && hasSame(first.narrowing, match.narrowing));
    if (group) group[1].push(match);
    else groups.push([setsOf(match.narrowing), [match]]);
  }
  return groups;
}

const hasSame = (a: Clause[], b: Clause[]): boolean =>
  a.length === b.length && a.every((clause, n) => clause === b[n]);

/** The clauses whose sets are needed. Ids without an event are in no set, so one set that is not a complement must take part. */
const setsOf = (narrowing: Clause[]): Clause[] =>
  narrowing.some(clause => !clause.all) ? narrowing : [ALL, ...narrowing];
