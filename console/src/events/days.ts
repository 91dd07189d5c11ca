// The days of the histogram. Days are strings such as 2026-11-08, in UTC.
import type { Bar } from '../ui/Chart.tsx';
import type { Search } from '../ui/search.ts';
import { counted } from '../ui/words.ts';

const DAY = 86_400_000;
const SHOWN = 30;
const MAX_SHOWN = 120;
const TICKS = 5;
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const plus = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY);

/** "8 Nov". */
export const shortDay = (day: string): string => SHORT.format(new Date(day));

/** The days to show: the last 30, earlier ones if the filter ends before them, and more if it begins before them. At most 120. */
export function windowOf(
  range: { from?: string | undefined; to?: string | undefined },
  now = Date.now(),
): { from: string; to: string; today: string } {
  const today = new Date(now).toISOString().slice(0, 10);
  const lastDays = plus(today, 1 - SHOWN);
  const end = range.to !== undefined && range.to < lastDays ? range.to : today;
  const start = plus(end, 1 - SHOWN);
  const from = range.from !== undefined && range.from < start ? range.from : start;
  return { from: daysBetween(from, end) >= MAX_SHOWN ? plus(end, 1 - MAX_SHOWN) : from, to: end, today };
}

/** One bar per day, even for days without events. */
export function barsOf(
  from: string,
  to: string,
  groups: readonly { value: string | null; count: number }[],
): Bar[] {
  const counts = new Map(groups.map(({ value, count }) => [value, count]));
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, n) => {
    const key = plus(from, n);
    const value = counts.get(key) ?? 0;
    return { key, value, label: `${shortDay(key)}: ${counted(value, 'event')}` };
  });
}

/** Words under the chart, at equal distances. */
export function ticksOf(from: string, to: string, today: string): string[] {
  const last = daysBetween(from, to);
  return Array.from({ length: TICKS }, (_, n) => plus(from, Math.round((last * n) / (TICKS - 1))))
    .filter((day, n, days) => days.indexOf(day) === n)
    .map(day => (day === today ? 'today' : shortDay(day)));
}

/** The filter of a range of days. A range that ends today stays open. */
export const rangeOf = (first: string, last: string, today: string): Search => ({
  from: `IS:${first}`,
  to: last === today ? undefined : `IS:${last}`,
});
