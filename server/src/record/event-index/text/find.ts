import { textForms } from '../../events/conditions.ts';
import { addStored, type Bitmap, countBits, emptyBitmap, intersect, subtract, unite } from '../bitmap.ts';
import { type Condition, planText } from './plan.ts';
import {
  type ChunkPositions,
  filterByText,
  findLargeTexts,
  foldCase,
  readRarestBuckets,
  readTermPositions,
  type TextIndex,
  type TextTerm,
} from './store.ts';

/** Events of a chunk: those in `sure` contain the text, those in `maybe` must be checked, the others do not contain it. */
export type TextMatches = { sure: Bitmap; maybe: Bitmap };

type Sets = Map<number, Bitmap>;

/** Rows that one statement returns at most. Each takes up to 8 kB on the wire. */
const ROWS_AT_ONCE = 1_000;
/** More buckets hardly make the result smaller. */
const RAREST = 4;
/** To check so few events, or so few for each chunk, takes less time than to read one more set of each chunk. */
const FEW = 200;
const FEW_PER_CHUNK = 3;

const WHOLE: Condition = { terms: [{ kind: 'whole', value: '' }], buckets: [] };

/** Finds a text in some chunks of the index. The result has no chunk without matches. */
export async function findText(
  index: TextIndex,
  text: string,
  chunks: number[],
): Promise<Map<number, TextMatches>> {
  const plans = [];
  for (const form of await foldCase(index.db, textForms(text))) plans.push(await planText(index, form));
  const sure: Sets = new Map();
  await addTerms(
    index,
    sure,
    plans.flatMap(plan => plan.sure),
    chunks,
  );
  const maybe = await findByCondition(index, WHOLE, chunks);
  for (const { maybe: conditions } of plans) {
    for (const [chunk, set] of await findByAll(index, conditions, chunks, sure)) addSet(maybe, chunk, set);
  }
  const found = new Map<number, TextMatches>();
  for (const chunk of chunks) {
    const matches = { sure: sure.get(chunk) ?? emptyBitmap(), maybe: maybe.get(chunk) ?? emptyBitmap() };
    subtract(matches.maybe, matches.sure);
    if (sure.has(chunk) || maybe.has(chunk)) found.set(chunk, matches);
  }
  return found;
}

/** How many events one statement checks: 1,000 of 20 µs each. */
const CHECKED_AT_ONCE = 1_000;

/** The events that contain the text, of those that were checked: all, or the first `checked` ones if the time was up. */
export type CheckedText = { found: number[]; checked: number };

/** Checks events in the given order until `ms` have passed. At least one statement runs, so that a next call can continue. */
export async function checkText(
  index: TextIndex,
  ids: number[],
  text: string,
  ms: number,
): Promise<CheckedText> {
  if (ids.length === 0) return { found: [], checked: 0 };
  const found: number[] = [];
  const forms = await foldCase(index.db, textForms(text));
  const deadline = performance.now() + ms;
  let checked = 0;
  while (checked < ids.length && (checked === 0 || performance.now() < deadline)) {
    const some = ids.slice(checked, checked + CHECKED_AT_ONCE);
    const large = await findLargeTexts(index, some, forms);
    const others = some.filter(id => !large.has(id));
    found.push(...some.filter(id => large.get(id)));
    if (others.length > 0) found.push(...(await filterByText(index.db, others, text)));
    checked += some.length;
  }
  return { found, checked };
}

/** Events that meet every condition and are not in `known`. The chunks without one are left out after each condition. */
async function findByAll(
  index: TextIndex,
  conditions: Condition[],
  chunks: number[],
  known: Sets,
): Promise<Sets> {
  let found: Sets | undefined;
  for (const condition of conditions) {
    const sets = await findByCondition(index, condition, found ? [...found.keys()] : chunks);
    let left = 0;
    for (const [chunk, set] of sets) {
      const before = found?.get(chunk);
      if (before) intersect(set, before);
      const knownHere = known.get(chunk);
      if (knownHere) subtract(set, knownHere);
      const count = countBits(set);
      if (count === 0) sets.delete(chunk);
      left += count;
    }
    found = sets;
    if (left <= Math.max(FEW, FEW_PER_CHUNK * sets.size)) break;
  }
  return found ?? new Map();
}

async function findByCondition(
  index: TextIndex,
  { terms, buckets }: Condition,
  chunks: number[],
): Promise<Sets> {
  const sets: Sets = new Map();
  await addTerms(index, sets, terms, chunks);
  if (buckets.length === 0) return sets;
  const wanted = new Set(chunks);
  for (const [first, last] of rangesOf(chunks, Math.floor(ROWS_AT_ONCE / RAREST))) {
    const rows = await readRarestBuckets(index, buckets, first, last, RAREST);
    for (const [chunk, ofChunk] of Map.groupBy(rows, row => row.chunk)) {
      if (wanted.has(chunk)) addSet(sets, chunk, intersectionOf(ofChunk));
    }
  }
  return sets;
}

/** Adds the events that have one of the terms. */
async function addTerms(index: TextIndex, sets: Sets, terms: TextTerm[], chunks: number[]): Promise<void> {
  const wanted = new Set(chunks);
  for (let at = 0; at < terms.length; at += ROWS_AT_ONCE) {
    const some = terms.slice(at, at + ROWS_AT_ONCE);
    for (const [first, last] of rangesOf(chunks, Math.max(1, Math.floor(ROWS_AT_ONCE / some.length)))) {
      for (const { chunk, positions } of await readTermPositions(index, some, first, last)) {
        if (!wanted.has(chunk)) continue;
        const set = sets.get(chunk) ?? emptyBitmap();
        addStored(set, positions);
        sets.set(chunk, set);
      }
    }
  }
}

/** The chunks as ranges of at most that many chunks. */
function rangesOf(chunks: number[], most: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const chunk of chunks.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && chunk < range[0] + most) range[1] = chunk;
    else ranges.push([chunk, chunk]);
  }
  return ranges;
}

function addSet(sets: Sets, chunk: number, other: Bitmap): void {
  const set = sets.get(chunk);
  if (set) unite(set, other);
  else sets.set(chunk, other);
}

function intersectionOf([first, ...others]: ChunkPositions[]): Bitmap {
  const result = emptyBitmap();
  if (first) addStored(result, first.positions);
  for (const { positions } of others) {
    const set = emptyBitmap();
    addStored(set, positions);
    intersect(result, set);
  }
  return result;
}
