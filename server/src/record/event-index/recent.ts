import type { Reader } from '../../platform/db/database.ts';
import { readWatermark } from '../events/tail.ts';
import {
  addPositions,
  type Bitmap,
  emptyBitmap,
  firstIdOf,
  fullBitmap,
  intersect,
  subtract,
} from './bitmap.ts';
import { ALL, type Clause, type Term } from './clauses.ts';
import { type ComputedPosting, computePostings } from './store.ts';

/**
 * The postings of committed events in the first chunk that is not indexed, in memory: at most 24,000 events, about 5 MB. Reading
 * these events for each search would cost more than the rest of the search. Events after `upTo` are searched directly.
 */
export type RecentPostings = { chunk: number; upTo: number; byKey: Map<string, ComputedPosting> };

export type RecentEvents = (db: Reader, chunk: number) => Promise<RecentPostings>;

const REFRESH_MS = 200;

/** Makes a reader of the recent events. It adds new events to its postings, at most every 200 ms. */
export function makeRecentEvents(): RecentEvents {
  let current: RecentPostings = { chunk: -1, upTo: -1, byKey: new Map() };
  let refreshed = 0;
  let refreshing: Promise<void> | undefined;

  async function refresh(db: Reader, chunk: number): Promise<void> {
    const start =
      chunk > current.chunk
        ? { chunk, upTo: firstIdOf(chunk) - 1, byKey: new Map<string, ComputedPosting>() }
        : current;
    const upTo = Math.min(await readWatermark(db), firstIdOf(start.chunk + 1) - 1);
    if (upTo > start.upTo) {
      const added = await computePostings(db, start.chunk, { from: start.upTo + 1, to: upTo });
      current = { chunk: start.chunk, upTo, byKey: withAdded(start.byKey, added) };
    } else current = start;
    refreshed = Date.now();
  }

  return async (db, chunk) => {
    if (chunk > current.chunk || Date.now() - refreshed > REFRESH_MS) {
      refreshing ??= refresh(db, chunk).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return current;
  };
}

const keyOf = (dimension: string, value: string) => `${dimension} ${value}`;

function withAdded(
  known: Map<string, ComputedPosting>,
  added: ComputedPosting[],
): Map<string, ComputedPosting> {
  const byKey = new Map(known);
  for (const posting of added) {
    const key = keyOf(posting.dimension, posting.value);
    const before = byKey.get(key);
    const list = joined(before?.list, posting.list);
    byKey.set(key, { ...posting, count: posting.count + (before?.count ?? 0), list });
  }
  return byKey;
}

/**
 * A copy in separate memory. Small buffers share a block, so each refresh would otherwise keep a whole block alive for a list of
 * 2 bytes.
 */
function joined(before: Buffer | undefined, added: Buffer): Buffer {
  const start = before?.length ?? 0;
  const list = Buffer.alloc(start + added.length);
  if (before) list.set(before);
  list.set(added, start);
  return list;
}

/** The projects that recent events have. */
export const recentProjects = ({ byKey }: RecentPostings): string[] =>
  [...byKey.values()].filter(({ dimension }) => dimension === 'project').map(({ value }) => value);

/** The recent events that are in all clauses. */
export function recentBitmap({ byKey }: RecentPostings, clauses: Clause[]): Bitmap {
  const result = emptyBitmap();
  addTerms(result, byKey, ALL.plus);
  for (const { all, minus, plus } of clauses) {
    const set = all ? fullBitmap() : emptyBitmap();
    const toSubtract = emptyBitmap();
    addTerms(toSubtract, byKey, minus);
    subtract(set, toSubtract);
    addTerms(set, byKey, plus);
    intersect(result, set);
  }
  return result;
}

function addTerms(bitmap: Bitmap, byKey: Map<string, ComputedPosting>, terms: Term[]): void {
  for (const { list } of terms.flatMap(term => postingsOf(byKey, term))) addPositions(bitmap, list);
}

function postingsOf(byKey: Map<string, ComputedPosting>, { dimension, low, high }: Term): ComputedPosting[] {
  if (low === high) return [byKey.get(keyOf(dimension, low))].filter(posting => posting !== undefined);
  return [...byKey.values()].filter(
    posting => posting.dimension === dimension && posting.value >= low && posting.value <= high,
  );
}
