import { createHash } from 'node:crypto';
import type { Reader } from '../../platform/db/database.ts';
import { type Bitmap, countBits } from './bitmap.ts';
import type { Clause } from './clauses.ts';
import { ALL, readBitmaps } from './sets.ts';

/** The events of a chunk that a caller can see. Nobody may change the bitmap. */
export type VisibleSet = { count: number; bitmap: Bitmap };

/** Reads the visible sets of the first chunks. */
export type VisibleSets = (db: Reader, clause: Clause, chunks: number) => Promise<Map<number, VisibleSet>>;

const MAX_BYTES = 32_000_000;
const BYTES_PER_SET = 3_200;
/** Rows of one statement. */
const ROWS_AT_ONCE = 5_000;

/**
 * Keeps the visible sets of the callers who searched last, in memory. Callers who can read the same projects share them. A set of a
 * chunk never changes. To read the sets of 150 projects for each search took 0.7 s at 10 million events.
 */
export function makeVisibleSets(): VisibleSets {
  const kept = new Map<string, Map<number, VisibleSet>>();

  return async (db, clause, chunks) => {
    const key = createHash('sha256').update(JSON.stringify(clause)).digest('base64');
    const sets = kept.get(key) ?? new Map<number, VisibleSet>();
    const missing = Array.from({ length: chunks }, (_, chunk) => chunk).filter(chunk => !sets.has(chunk));
    const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / (clause.minus.length + clause.plus.length + 1)));
    for (let at = 0; at < missing.length; at += atOnce) {
      const some = missing.slice(at, at + atOnce);
      for (const [chunk, bitmap] of await readBitmaps(db, [ALL, clause], some))
        sets.set(chunk, { count: countBits(bitmap), bitmap });
    }
    kept.delete(key);
    kept.set(key, sets);
    evict(kept);
    return sets;
  };
}

/** Removes the sets that were not used for the longest time. */
function evict(kept: Map<string, Map<number, VisibleSet>>): void {
  const bytes = () => [...kept.values()].reduce((sum, sets) => sum + sets.size * BYTES_PER_SET, 0);
  for (const key of kept.keys()) {
    if (bytes() <= MAX_BYTES) return;
    kept.delete(key);
  }
}
