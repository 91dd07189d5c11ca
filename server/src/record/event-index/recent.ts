import type { Reader } from '../../platform/db/database.ts';
import { readWatermark } from '../events/tail.ts';
import {
  addPositions,
  type Bitmap,
  emptyBitmap,
  fullBitmap,
  getFirstId,
  intersect,
  subtract,
} from './bitmap.ts';
import { ALL, type Clause, type Term } from './clauses.ts';
import { computePostings, type PostingList } from './store.ts';

/**
 * The postings of committed events in the first chunk that is not indexed, in memory. They cover at most 24,000 events and take
 * about 5 MB. Reading these events for each search would cost more than the rest of the search. Events after `lastId` are searched
 * directly.
 */
export type RecentPostings = { chunk: number; lastId: number; byKey: Map<string, PostingList> };

export type RecentEvents = (db: Reader, chunk: number) => Promise<RecentPostings>;

const REFRESH_MS = 200;

/** Creates a reader that keeps the postings of recent events, and adds new events to them at most every 200 ms. */
export function makeRecentEvents(): RecentEvents {
  let current: RecentPostings = { chunk: -1, lastId: -1, byKey: new Map() };
  let refreshedAt = 0;
  let pendingRefresh: Promise<void> | undefined;

  async function refresh(db: Reader, chunk: number): Promise<void> {
    const base =
      chunk > current.chunk
        ? { chunk, lastId: getFirstId(chunk) - 1, byKey: new Map<string, PostingList>() }
        : current;
    const lastId = Math.min(await readWatermark(db), getFirstId(base.chunk + 1) - 1);
    if (lastId > base.lastId) {
      const newPostings = await computePostings(db, base.chunk, { firstId: base.lastId + 1, lastId });
      current = { chunk: base.chunk, lastId, byKey: addPostings(base.byKey, newPostings) };
    } else current = base;
    refreshedAt = Date.now();
  }

  return async (db, chunk) => {
    if (chunk > current.chunk || Date.now() - refreshedAt > REFRESH_MS) {
      pendingRefresh ??= refresh(db, chunk).finally(() => {
        pendingRefresh = undefined;
      });
      await pendingRefresh;
    }
    return current;
  };
}

const toKey = (dimension: string, value: string) => `${dimension} ${value}`;

function addPostings(
  postings: Map<string, PostingList>,
  newPostings: PostingList[],
): Map<string, PostingList> {
  const byKey = new Map(postings);
  for (const posting of newPostings) {
    const key = toKey(posting.dimension, posting.value);
    const oldPosting = byKey.get(key);
    const list = concatenate(oldPosting?.list, posting.list);
    byKey.set(key, { ...posting, count: posting.count + (oldPosting?.count ?? 0), list });
  }
  return byKey;
}

/**
 * Concatenates two lists into separate memory. Small buffers share a block, so each refresh would otherwise keep a whole block
 * alive for a list of 2 bytes.
 */
function concatenate(head: Buffer | undefined, tail: Buffer): Buffer {
  const start = head?.length ?? 0;
  const list = Buffer.alloc(start + tail.length);
  if (head) list.set(head);
  list.set(tail, start);
  return list;
}

/** Returns the projects of the recent events. */
export const recentProjects = ({ byKey }: RecentPostings): string[] =>
  [...byKey.values()].filter(({ dimension }) => dimension === 'project').map(({ value }) => value);

/** Returns the recent events that match all clauses. */
export function recentBitmap({ byKey }: RecentPostings, clauses: Clause[]): Bitmap {
  const result = emptyBitmap();
  addTerms(result, byKey, ALL.plus);
  for (const { all, minus, plus } of clauses) {
    const set = all ? fullBitmap() : emptyBitmap();
    const subtractedBitmap = emptyBitmap();
    addTerms(subtractedBitmap, byKey, minus);
    subtract(set, subtractedBitmap);
    addTerms(set, byKey, plus);
    intersect(result, set);
  }
  return result;
}

function addTerms(bitmap: Bitmap, byKey: Map<string, PostingList>, terms: Term[]): void {
  for (const { list } of terms.flatMap(term => listPostings(byKey, term))) addPositions(bitmap, list);
}

function listPostings(byKey: Map<string, PostingList>, { dimension, low, high }: Term): PostingList[] {
  if (low === high) return [byKey.get(toKey(dimension, low))].filter(posting => posting !== undefined);
  return [...byKey.values()].filter(
    posting => posting.dimension === dimension && posting.value >= low && posting.value <= high,
  );
}
