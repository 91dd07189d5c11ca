import { listTextForms } from '../../events/conditions.ts';
import {
  addStored,
  type Bitmap,
  countBits,
  emptyBitmap,
  intersect,
  intersectAll,
  subtract,
  unite,
} from '../bitmap.ts';
import { type Condition, planText } from './plan.ts';
import {
  type ChunkPositions,
  filterByText,
  findLargeTexts,
  foldCase,
  readRarest,
  readTermPositions,
  type TextIndex,
  type TextTerm,
} from './store.ts';

/**
 * The events of a chunk that may contain the text. Events in `sure` contain it, events in `maybe` must be checked, and all other
 * events do not contain it.
 */
export type TextMatches = { sure: Bitmap; maybe: Bitmap };

type Sets = Map<number, Bitmap>;

/** The maximum number of rows that one statement returns. Each takes up to 8 kB on the wire. */
const ROWS_PER_BATCH = 1_000;
/** Reading more sets than this hardly narrows the result. */
const MAX_RAREST_SETS = 4;
/** Checking up to this many events, in total or per chunk, is cheaper than reading one more set for each chunk. */
const MAX_CHEAP_CHECKS = 200;
const MAX_CHEAP_CHECKS_PER_CHUNK = 3;

const UNINDEXED: Condition = { terms: [{ kind: 'whole', value: '' }], all: [] };

/** Finds a string in some chunks of the index. Chunks without matches are not in the result. */
export async function findText(
  index: TextIndex,
  text: string,
  chunks: number[],
): Promise<Map<number, TextMatches>> {
  const plans = [];
  for (const form of await foldCase(index.db, listTextForms(text))) plans.push(await planText(index, form));
  const sure: Sets = new Map();
  await addTerms(
    index,
    sure,
    plans.flatMap(plan => plan.sure),
    chunks,
  );
  const maybe = await findByCondition(index, UNINDEXED, chunks);
  for (const { maybe: conditions } of plans) {
    for (const [chunk, set] of await findByAll(index, conditions, chunks, sure)) addSet(maybe, chunk, set);
  }
  const matchesByChunk = new Map<number, TextMatches>();
  for (const chunk of chunks) {
    const matches = { sure: sure.get(chunk) ?? emptyBitmap(), maybe: maybe.get(chunk) ?? emptyBitmap() };
    subtract(matches.maybe, matches.sure);
    if (sure.has(chunk) || maybe.has(chunk)) matchesByChunk.set(chunk, matches);
  }
  return matchesByChunk;
}

/** The maximum number of events that one statement checks. Each takes 20 µs. */
const CHECKS_PER_BATCH = 1_000;

/** The matches among the first `checkedCount` events, which are all events if there was enough time. */
export type CheckedText = { foundIds: number[]; checkedCount: number };

/** Checks events in the given order for up to `ms`. At least one statement runs, so that repeated calls make progress. */
export async function checkText(
  index: TextIndex,
  ids: number[],
  text: string,
  ms: number,
): Promise<CheckedText> {
  if (ids.length === 0) return { foundIds: [], checkedCount: 0 };
  const foundIds: number[] = [];
  const forms = await foldCase(index.db, listTextForms(text));
  const deadline = performance.now() + ms;
  let checkedCount = 0;
  while (checkedCount < ids.length && (checkedCount === 0 || performance.now() < deadline)) {
    const batch = ids.slice(checkedCount, checkedCount + CHECKS_PER_BATCH);
    const largeTexts = await findLargeTexts(index, batch, forms);
    const otherIds = batch.filter(id => !largeTexts.has(id));
    foundIds.push(...batch.filter(id => largeTexts.get(id)));
    if (otherIds.length > 0) foundIds.push(...(await filterByText(index.db, otherIds, text)));
    checkedCount += batch.length;
  }
  return { foundIds, checkedCount };
}

/**
 * Returns the events that meet every condition and are not in `excluded`. After each condition, only chunks with remaining events
 * are read.
 */
async function findByAll(
  index: TextIndex,
  conditions: Condition[],
  chunks: number[],
  excluded: Sets,
): Promise<Sets> {
  let found: Sets | undefined;
  for (const condition of conditions) {
    const sets = await findByCondition(index, condition, found ? [...found.keys()] : chunks);
    let remainingEventCount = 0;
    for (const [chunk, set] of sets) {
      const previousSet = found?.get(chunk);
      if (previousSet) intersect(set, previousSet);
      const excludedSet = excluded.get(chunk);
      if (excludedSet) subtract(set, excludedSet);
      const count = countBits(set);
      if (count === 0) sets.delete(chunk);
      remainingEventCount += count;
    }
    found = sets;
    if (remainingEventCount <= Math.max(MAX_CHEAP_CHECKS, MAX_CHEAP_CHECKS_PER_CHUNK * sets.size)) break;
  }
  return found ?? new Map();
}

async function findByCondition(index: TextIndex, { terms, all }: Condition, chunks: number[]): Promise<Sets> {
  const sets: Sets = new Map();
  await addTerms(index, sets, terms, chunks);
  if (all.length === 0) return sets;
  for (const batch of sliceBySize(chunks, ROWS_PER_BATCH / MAX_RAREST_SETS)) {
    const rows = await readRarest(index, all, batch, MAX_RAREST_SETS);
    for (const [chunk, chunkRows] of Map.groupBy(rows, row => row.chunk))
      addSet(sets, chunk, intersectAll(chunkRows.map(decode)));
  }
  return sets;
}

/** Adds the events that have one of the terms to `sets`. */
async function addTerms(index: TextIndex, sets: Sets, terms: TextTerm[], chunks: number[]): Promise<void> {
  for (const termBatch of sliceBySize(terms, ROWS_PER_BATCH)) {
    for (const chunkBatch of sliceBySize(chunks, ROWS_PER_BATCH / termBatch.length)) {
      for (const row of await readTermPositions(index, termBatch, chunkBatch))
        addSet(sets, row.chunk, decode(row));
    }
  }
}

/** Cuts a list into slices of at most `size` entries, but at least one. */
function* sliceBySize<T>(list: T[], size: number): Generator<T[]> {
  const step = Math.max(1, Math.floor(size));
  for (let start = 0; start < list.length; start += step) yield list.slice(start, start + step);
}

function addSet(sets: Sets, chunk: number, other: Bitmap): void {
  const set = sets.get(chunk);
  if (set) unite(set, other);
  else sets.set(chunk, other);
}

function decode({ positions }: ChunkPositions): Bitmap {
  const set = emptyBitmap();
  addStored(set, positions);
  return set;
}
