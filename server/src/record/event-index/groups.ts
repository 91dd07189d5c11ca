import type { Reader } from '../../platform/db/database.ts';
import {
  addPositions,
  type Bitmap,
  countBits,
  countStored,
  emptyBitmap,
  intersect,
  intersectAll,
} from './bitmap.ts';
import type { Dimension } from './clauses.ts';
import { addSets, type ChunkMatch } from './matches.ts';
import type { RecentPostings } from './recent.ts';
import type { ClauseSets } from './sets.ts';
import { countValues, listValuePositions } from './store.ts';

/** The maximum number of rows per statement. Each row has up to 4 kB. */
const ROWS_PER_BATCH = 2_000;
const BEFORE_ALL_CHUNKS = -2_147_483_648;

/**
 * Returns how many of the matches have each value of a dimension and, under null, how many have no value. If all events of a
 * chunk match, the stored counts are enough. Otherwise the set of the matches is intersected with the set of each value.
 */
export async function countBy(
  db: Reader,
  loadSets: ClauseSets,
  matches: ChunkMatch[],
  dimension: Dimension,
  recent?: RecentPostings,
): Promise<Map<string | null, number>> {
  const counts = new Map<string | null, number>();
  const add = (value: string | null, count: number) => {
    if (count > 0) counts.set(value, (counts.get(value) ?? 0) + count);
  };
  const wholeMatches = matches.filter(match => !match.sets && match.narrowingClauses.length === 0);
  const wholeChunks = wholeMatches.map(match => match.chunk);
  if (wholeMatches.length > 0)
    for (const { value, count } of await countValues(db, dimension, wholeChunks)) add(value, count);
  await addSets(
    db,
    loadSets,
    matches.filter(match => !match.sets && match.narrowingClauses.length > 0),
  );
  const bitmapsByChunk = new Map<number, Bitmap>();
  for (const match of matches) {
    if (!match.sets) continue;
    if (!match.isRecent) bitmapsByChunk.set(match.chunk, intersectAll(match.sets));
    else if (recent) countRecent(recent, dimension, intersectAll(match.sets), add);
  }
  await countNarrowed(db, dimension, bitmapsByChunk, add);
  let countWithoutValue = 0;
  for (const match of matches) countWithoutValue += match.count;
  for (const count of counts.values()) countWithoutValue -= count;
  add(null, countWithoutValue);
  return counts;
}

type Add = (value: string, count: number) => void;

async function countNarrowed(
  db: Reader,
  dimension: Dimension,
  bitmaps: Map<number, Bitmap>,
  add: Add,
): Promise<void> {
  const chunks = [...bitmaps.keys()];
  let cursor = { value: '', chunk: BEFORE_ALL_CHUNKS };
  while (chunks.length > 0) {
    const rows = await listValuePositions(db, dimension, chunks, cursor, ROWS_PER_BATCH);
    for (const { value, chunk, positions } of rows) {
      const bitmap = bitmaps.get(chunk);
      if (bitmap) add(value, countStored(bitmap, positions));
    }
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < ROWS_PER_BATCH) return;
    cursor = lastRow;
  }
}

function countRecent({ byKey }: RecentPostings, dimension: Dimension, matchBitmap: Bitmap, add: Add): void {
  for (const posting of byKey.values()) {
    if (posting.dimension !== dimension) continue;
    const set = emptyBitmap();
    addPositions(set, posting.list);
    intersect(set, matchBitmap);
    add(posting.value, countBits(set));
  }
}
