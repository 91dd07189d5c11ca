import { differenceOf, type Result, type Search } from './plain.ts';

/**
 * Judges a response by the results of plain SQL before and after it. Events are never removed, so equal results before and after
 * are also the results at every moment in between; otherwise the total must be between theirs and the page must fit the total.
 */
export function judge(search: Search, before: Result, actual: Result, after: Result): string {
  if (differenceOf(before, after) === undefined) return differenceOf(before, actual) ?? 'equal';
  if (actual.total < before.total || actual.total > after.total) {
    return `total ${actual.total}, but ${before.total} before and ${after.total} after`;
  }
  const { offset = 0, limit = 50 } = search;
  const length = Math.max(0, Math.min(limit, actual.total - offset));
  if (actual.ids.length !== length) return `${actual.ids.length} events instead of ${length}`;
  if (actual.ids.some((id, n) => id >= (actual.ids[n - 1] ?? Number.POSITIVE_INFINITY))) return 'wrong order';
  // New events only push others back: in every position is the event that was there before, or a newer one.
  const fits = (id: number, n: number) => id >= (before.ids[n] ?? 0) && id <= (after.ids[n] ?? 0);
  if (!actual.ids.every(fits)) return 'an event that was in this place neither before nor after';
  return 'between';
}
