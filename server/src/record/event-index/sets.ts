import type { Reader } from '../../platform/db/database.ts';
import {
  addStored,
  type Bitmap,
  emptyBitmap,
  fullBitmap,
  fullBitmaps,
  intersect,
  intersectStored,
  subtract,
} from './bitmap.ts';
import { type Clause, termsOf } from './clauses.ts';
import { type ClausePositions, readPositions } from './store.ts';

/** Every event. */
export const ALL: Clause = { all: false, minus: [], plus: termsOf('all', ['']) };

/** The events of each chunk that are in all clauses. */
export async function readBitmaps(
  db: Reader,
  clauses: Clause[],
  chunks: number[],
): Promise<[chunk: number, Bitmap][]> {
  const byChunk = Map.groupBy(await readPositions(db, clauses, chunks), ({ chunk }) => chunk);
  const bitmaps = fullBitmaps(chunks.length);
  return chunks.map((chunk, n) => {
    const bitmap = bitmaps[n] ?? fullBitmap();
    intersectWith(bitmap, clauses, byChunk.get(chunk) ?? []);
    return [chunk, bitmap];
  });
}

/** The events that are in all clauses, from the sets of their terms. */
export function intersectionOf(clauses: Clause[], positions: ClausePositions[]): Bitmap {
  const result = fullBitmap();
  intersectWith(result, clauses, positions);
  return result;
}

function intersectWith(result: Bitmap, clauses: Clause[], positions: ClausePositions[]): void {
  for (const [n, clause] of clauses.entries()) {
    const rows = positions.filter(row => row.clause === n);
    const [only] = rows;
    if (!clause.all && rows.length === 1 && only) intersectStored(result, only.positions);
    else intersect(result, setOf(clause, rows));
  }
}

const ofClause = emptyBitmap();
const toSubtract = emptyBitmap();

/** The set of a clause until the next call. */
function setOf(clause: Clause, rows: ClausePositions[]): Bitmap {
  ofClause.fill(clause.all ? 0xffffffff : 0);
  toSubtract.fill(0);
  for (const row of rows) if (row.minus) addStored(toSubtract, row.positions);
  subtract(ofClause, toSubtract);
  for (const row of rows) if (!row.minus) addStored(ofClause, row.positions);
  return ofClause;
}
