import { readTimeZone } from './preferences.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Formats a time in the user's time zone. Formatters are cached, because creating one takes longer than using it. */
export function formatInZone(
  time: string | number | Date,
  options: Intl.DateTimeFormatOptions,
  language = 'en-GB',
): string {
  const zone = readTimeZone();
  const key = JSON.stringify([zone, options, language]);
  const formatter =
    formatters.get(key) ?? new Intl.DateTimeFormat(language, zone ? { ...options, timeZone: zone } : options);
  formatters.set(key, formatter);
  return formatter.format(new Date(time));
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
const WEEKDAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** Formats a duration in its largest unit, for example as "40 s", "4 min", "2 h" or "12 days". */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1).replace('.0', '')} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/** Formats a past time, for example as "40 s ago" or "2 h ago", and as a date after a day. */
export function formatAge(time: string, now = Date.now()): string {
  const elapsedMs = now - Date.parse(time);
  if (elapsedMs < 10 * SECOND) return 'just now';
  if (elapsedMs < DAY) return `${formatDuration(elapsedMs)} ago`;
  return formatDate(time, now);
}

/** Formats how long something has lasted, for example as "for 40 s", and as "since 12 Nov" after a day. */
export function formatSince(time: string, now = Date.now()): string {
  const elapsedMs = Math.max(now - Date.parse(time), 0);
  return elapsedMs < DAY ? `for ${formatDuration(elapsedMs)}` : `since ${formatDate(time, now)}`;
}

/** Formats a date, for example as "12 Nov", with the year unless it is the current year. */
export const formatDate = (time: string, now = Date.now()): string =>
  formatInZone(time, formatYear(time) === formatYear(now) ? DATE : { ...DATE, year: 'numeric' });

const formatYear = (time: string | number): string => formatInZone(time, { year: 'numeric' });

/** Formats a time of day in the user's time zone, for example as "14:30:08". */
export const formatClock = (time: string): string => formatInZone(time, CLOCK);

/** Formats a time in the user's time zone, for example as "15 Nov 2026, 14:30:08 GMT+1". */
export const formatFullTime = (time: string): string =>
  formatInZone(time, { dateStyle: 'medium', timeStyle: 'long' });

/** Formats a time in UTC, for example as "15 Nov 2026, 14:30:08 UTC". */
export const formatUtc = (time: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }).format(new Date(time))} UTC`;

/** Returns the day of a time in the user's time zone, for example "2026-11-15". Swedish formats dates that way. */
export const toLocalDay = (time: string | number): string => formatInZone(time, { dateStyle: 'short' }, 'sv');

/** Formats a day, for example as "Today · Sunday 15 November". */
export function formatDay(day: string, now = Date.now()): string {
  const days = (Date.parse(toLocalDay(now)) - Date.parse(day)) / DAY;
  const name = WEEKDAY.format(new Date(day)).replace(',', '');
  return days === 0 ? `Today · ${name}` : days === 1 ? `Yesterday · ${name}` : name;
}
