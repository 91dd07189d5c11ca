import { textForms } from '../../events/conditions.ts';
import {
  addStored,
  type Bitmap,
  countBits,
  emptyBitmap,
  intersect,
  intersectionOf,
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

/** Events of a chunk: those in `sure` contain the text, those in `maybe` must be checked, the others do not contain it. */
export type TextMatches = { sure: Bitmap; maybe: Bitmap };

type Sets = Map<number, Bitmap>;

/** Rows that one statement returns at most. Each takes up to 8 kB on the wire. */
const ROWS_PER_BATCH = 1_000;
/** Reading more sets hardly narrows the result. */
const RAREST = 4;
/** Checking this few events, in total or per chunk, is cheaper than reading one more set for each chunk. */
const FEW = 200;
const FEW_PER_CHUNK = 3;

const WHOLE: Condition = { terms: [{ kind: 'whole', value: '' }], all: [] };

/** Finds a string in some chunks of the index. Chunks without matches are not in the result. */
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
const CHECKED_PER_BATCH = 1_000;

/** What was found in the first `checked` events. If there was enough time, these are all events. */
export type CheckedText = { found: number[]; checked: number };

/** Checks events in the given order for up to `ms`. At least one statement runs, so that repeated calls make progress. */
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
    const some = ids.slice(checked, checked + CHECKED_PER_BATCH);
    const large = await findLargeTexts(index, some, forms);
    const others = some.filter(id => !large.has(id));
    found.push(...some.filter(id => large.get(id)));
    if (others.length > 0) found.push(...(await filterByText(index.db, others, text)));
    checked += some.length;
  }
  return { found, checked };
}

/** The events that meet every condition and are not in `known`. After each condition, only chunks that still have one are read. */
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

async function findByCondition(index: TextIndex, { terms, all }: Condition, chunks: number[]): Promise<Sets> {
  const sets: Sets = new Map();
  await addTerms(index, sets, terms, chunks);
  if (all.length === 0) return sets;
  for (const some of slices(chunks, ROWS_PER_BATCH / RAREST)) {
    const rows = await readRarest(index, all, some, RAREST);
    for (const [chunk, ofChunk] of Map.groupBy(rows, row => row.chunk))
      addSet(sets, chunk, intersectionOf(ofChunk.map(decoded)));
  }
  return sets;
}

/** Adds the events that have one of the terms. */
async function addTerms(index: TextIndex, sets: Sets, terms: TextTerm[], chunks: number[]): Promise<void> {
  for (const someTerms of slices(terms, ROWS_PER_BATCH)) {
    for (const some of slices(chunks, ROWS_PER_BATCH / someTerms.length)) {
      for (const row of await readTermPositions(index, someTerms, some))
        addSet(sets, row.chunk, decoded(row));
    }
  }
}

/** Cuts a list into slices of at most `size` entries, and at least one. */
function* slices<T>(list: T[], size: number): Generator<T[]> {
  const step = Math.max(1, Math.floor(size));
  for (let at = 0; at < list.length; at += step) yield list.slice(at, at + step);
}

function addSet(sets: Sets, chunk: number, other: Bitmap): void {
  const set = sets.get(chunk);
  if (set) unite(set, other);
  else sets.set(chunk, other);
}

function decoded({ positions }: ChunkPositions): Bitmap {
  const set = emptyBitmap();
  addStored(set, positions);
  return set;
}
