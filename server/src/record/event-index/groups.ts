import type { Reader } from '../../platform/db/database.ts';
import {
  addPositions,
  type Bitmap,
  countBits,
  countStored,
  emptyBitmap,
  intersect,
  intersectionOf,
} from './bitmap.ts';
import type { Dimension } from './clauses.ts';
import { addSets, type Match } from './matches.ts';
import type { RecentPostings } from './recent.ts';
import type { ClauseSets } from './sets.ts';
import { countValues, listValuePositions } from './store.ts';

/** Rows of one statement. Each has up to 4 kB. */
const ROWS_PER_BATCH = 2_000;
const BEFORE_ALL_CHUNKS = -2_147_483_648;

/**
 * How many of the matches have each value of a dimension, and under null how many have none. Where all events of a chunk match, the
 * stored counts are enough. Elsewhere the set of the matches is intersected with the set of each value.
 */
export async function countBy(
  db: Reader,
  setsOf: ClauseSets,
  matches: Match[],
  dimension: Dimension,
  recent?: RecentPostings,
): Promise<Map<string | null, number>> {
  const counts = new Map<string | null, number>();
  const add = (value: string | null, count: number) => {
    if (count > 0) counts.set(value, (counts.get(value) ?? 0) + count);
  };
  const whole = matches.filter(match => !match.sets && match.narrowing.length === 0);
  const wholeChunks = whole.map(match => match.chunk);
  if (whole.length > 0)
    for (const { value, count } of await countValues(db, dimension, wholeChunks)) add(value, count);
  await addSets(
    db,
    setsOf,
    matches.filter(match => !match.sets && match.narrowing.length > 0),
  );
  const narrowed = new Map<number, Bitmap>();
  for (const match of matches) {
    if (!match.sets) continue;
    if (!match.isRecent) narrowed.set(match.chunk, intersectionOf(match.sets));
    else if (recent) countRecent(recent, dimension, intersectionOf(match.sets), add);
  }
  await countNarrowed(db, dimension, narrowed, add);
  let without = 0;
  for (const match of matches) without += match.count;
  for (const count of counts.values()) without -= count;
  add(null, without);
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
  let after = { value: '', chunk: BEFORE_ALL_CHUNKS };
  while (chunks.length > 0) {
    const rows = await listValuePositions(db, dimension, chunks, after, ROWS_PER_BATCH);
    for (const { value, chunk, positions } of rows) {
      const bitmap = bitmaps.get(chunk);
      if (bitmap) add(value, countStored(bitmap, positions));
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_BATCH) return;
    after = last;
  }
}

function countRecent({ byKey }: RecentPostings, dimension: Dimension, matching: Bitmap, add: Add): void {
  for (const posting of byKey.values()) {
    if (posting.dimension !== dimension) continue;
    const set = emptyBitmap();
    addPositions(set, posting.list);
    intersect(set, matching);
    add(posting.value, countBits(set));
  }
}
