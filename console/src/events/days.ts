// The days of the histogram. Days are strings such as 2026-11-08, in UTC.
import type { Bar } from '../ui/Chart.tsx';
import type { Search } from '../ui/search.ts';
import { formatCount } from '../ui/words.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 120;
const TICK_COUNT = 5;
const SHORT_FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const daysBetween = (firstDay: string, lastDay: string): number =>
  Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS);

/** Formats a day as "8 Nov". */
export const formatShortDay = (day: string): string => SHORT_FORMAT.format(new Date(day));

/** Chooses the days to show: 30 days up to today or to the end of an older filter. If the filter begins earlier, up to 120 days. */
export function chooseDayRange(
  range: { from?: string | undefined; to?: string | undefined },
  now = Date.now(),
): { from: string; to: string; today: string } {
  const today = new Date(now).toISOString().slice(0, 10);
  const defaultFirstDay = addDays(today, 1 - DEFAULT_DAYS);
  const end = range.to !== undefined && range.to < defaultFirstDay ? range.to : today;
  const start = addDays(end, 1 - DEFAULT_DAYS);
  const firstDay = range.from !== undefined && range.from < start ? range.from : start;
  return {
    from: daysBetween(firstDay, end) >= MAX_DAYS ? addDays(end, 1 - MAX_DAYS) : firstDay,
    to: end,
    today,
  };
}

/** Returns a bar for each day, including days without events. */
export function createBars(
  firstDay: string,
  lastDay: string,
  groups: readonly { value: string | null; count: number }[],
): Bar[] {
  const counts = new Map(groups.map(({ value, count }) => [value, count]));
  return Array.from({ length: daysBetween(firstDay, lastDay) + 1 }, (_, index) => {
    const key = addDays(firstDay, index);
    const value = counts.get(key) ?? 0;
    return { key, value, label: `${formatShortDay(key)}: ${formatCount(value, 'event')}` };
  });
}

/** Returns evenly spaced labels for the chart's axis. */
export function formatTicks(firstDay: string, lastDay: string, today: string): string[] {
  const lastIndex = daysBetween(firstDay, lastDay);
  return Array.from({ length: TICK_COUNT }, (_, index) =>
    addDays(firstDay, Math.round((lastIndex * index) / (TICK_COUNT - 1))),
  )
    .filter((day, index, days) => days.indexOf(day) === index)
    .map(day => (day === today ? 'today' : formatShortDay(day)));
}

/** Returns the filter for a range of days. If the range ends today, the filter has no end, so that it includes new events. */
export const filterForDays = (firstDay: string, lastDay: string, today: string): Search => ({
  from: `IS:${firstDay}`,
  to: lastDay === today ? undefined : `IS:${lastDay}`,
});
