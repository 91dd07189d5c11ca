import { timeZone } from './preferences.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats a time in the time zone of the user. Creating a format takes longer than using it. */
export function inZone(
  at: string | number | Date,
  options: Intl.DateTimeFormatOptions,
  language = 'en-GB',
): string {
  const zone = timeZone();
  const key = JSON.stringify([zone, options, language]);
  const format =
    formats.get(key) ?? new Intl.DateTimeFormat(language, zone ? { ...options, timeZone: zone } : options);
  formats.set(key, format);
  return format.format(new Date(at));
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
const WEEKDAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** A duration in its largest unit: "40 s", "4 min", "2 h", "12 days". */
export function lasting(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1).replace('.0', '')} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/** "40 s ago", "2 h ago", then the date. */
export function ago(at: string, now = Date.now()): string {
  const passed = now - Date.parse(at);
  if (passed < 10 * SECOND) return 'just now';
  if (passed < DAY) return `${lasting(passed)} ago`;
  return dateOf(at, now);
}

/** "12 Nov", with the year if it is not the current one. */
export const dateOf = (at: string, now = Date.now()): string =>
  inZone(at, yearOf(at) === yearOf(now) ? DATE : { ...DATE, year: 'numeric' });

const yearOf = (at: string | number): string => inZone(at, { year: 'numeric' });

/** "14:30:08" in the zone of the user. */
export const clockOf = (at: string): string => inZone(at, CLOCK);

/** "15 Nov 2026, 14:30:08 GMT+1" in the zone of the user. */
export const fullOf = (at: string): string => inZone(at, { dateStyle: 'medium', timeStyle: 'long' });

/** "15 Nov 2026, 14:30:08 UTC". */
export const utcOf = (at: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }).format(new Date(at))} UTC`;

/** The day of a time in the zone of the user: "2026-11-15". Swedish writes dates that way. */
export const localDayOf = (at: string | number): string => inZone(at, { dateStyle: 'short' }, 'sv');

/** A day in words: "Today · Sunday 15 November". */
export function dayWords(day: string, now = Date.now()): string {
  const days = (Date.parse(localDayOf(now)) - Date.parse(day)) / DAY;
  const name = WEEKDAY.format(new Date(day)).replace(',', '');
  return days === 0 ? `Today · ${name}` : days === 1 ? `Yesterday · ${name}` : name;
}
