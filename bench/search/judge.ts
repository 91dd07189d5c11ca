import { describeDifference, type Result, type Search } from './plain.ts';

/**
 * Compares a response with the results of plain SQL before and after the request. Returns 'equal' or 'between' for a valid
 * response, and the problem otherwise. Events are never removed, so if both results are equal, the response must be the same.
 * Otherwise, the response's total must lie between the two totals, and its page must have as many events as that total implies.
 */
export function judgeResult(
  search: Search,
  resultBefore: Result,
  actual: Result,
  resultAfter: Result,
): string {
  if (describeDifference(resultBefore, resultAfter) === undefined)
    return describeDifference(resultBefore, actual) ?? 'equal';
  if (actual.total < resultBefore.total || actual.total > resultAfter.total) {
    return `total ${actual.total}, but ${resultBefore.total} before and ${resultAfter.total} after`;
  }
  const { offset = 0, limit = 50 } = search;
  const length = Math.max(0, Math.min(limit, actual.total - offset));
  if (actual.ids.length !== length) return `${actual.ids.length} events instead of ${length}`;
  if (actual.ids.some((id, n) => id >= (actual.ids[n - 1] ?? Number.POSITIVE_INFINITY))) return 'wrong order';
  // New events only push older ones down, so each position holds the event that was there before or a newer one.
  const isInRange = (id: number, n: number) =>
    id >= (resultBefore.ids[n] ?? 0) && id <= (resultAfter.ids[n] ?? 0);
  if (!actual.ids.every(isInRange))
    return 'an event is outside the range of ids that its position had before and after';
  return 'between';
}
