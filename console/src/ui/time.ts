const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DATE_WITH_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
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

/** "12 Nov", with the year if it is another one. */
export const dateOf = (at: string, now = Date.now()): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? DATE : DATE_WITH_YEAR).format(new Date(at));

/** "14:30:08" in the zone of the user. */
export const clockOf = (at: string): string => CLOCK.format(new Date(at));

/** "15 Nov 2026, 14:30:08 UTC". */
export const utcOf = (at: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }).format(new Date(at))} UTC`;

/** The UTC day of a time: "Today · Sunday 15 November". */
export function dayOf(at: string, now = Date.now()): string {
  const days = Math.floor(now / DAY) - Math.floor(Date.parse(at) / DAY);
  const name = WEEKDAY.format(new Date(at)).replace(',', '');
  return days === 0 ? `Today · ${name}` : days === 1 ? `Yesterday · ${name}` : name;
}
