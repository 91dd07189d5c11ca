// People enter times in their chosen time zone or the browser's, but the API uses UTC.
import { readTimeZone } from './preferences.ts';
import { formatInZone } from './time.ts';

/** Reads the name of the time zone, for example "Europe/Berlin". */
export const readZoneName = (): string =>
  readTimeZone() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;

const LENGTH_TO_MINUTES = '2026-11-15T14:30'.length;

/**
 * Formats a time for a browser input in the user's time zone, for example as "2026-11-15T14:30". Returns '' if the string is not
 * a time.
 */
export function formatInput(instant: string | undefined, withSeconds = false): string {
  const time = Date.parse(instant ?? '');
  if (Number.isNaN(time)) return '';
  return withSeconds ? formatWallTime(time) : formatWallTime(time).slice(0, LENGTH_TO_MINUTES);
}

/** Parses the value of a browser input. Returns '' if the value is incomplete. */
export function parseInput(local: string): string {
  const wallTime = Date.parse(`${local}Z`);
  if (Number.isNaN(wallTime)) return '';
  // The offset depends on the time, so it is computed twice to be correct near a daylight saving change.
  const approximateTime = wallTime - computeOffset(wallTime);
  return new Date(wallTime - computeOffset(approximateTime)).toISOString();
}

const computeOffset = (time: number): number =>
  Date.parse(`${formatWallTime(time)}Z`) - Math.floor(time / 1000) * 1000;

/** Formats a time in the user's time zone, for example as "2026-11-15T14:30:08". Swedish formats dates that way. */
const formatWallTime = (time: number): string =>
  formatInZone(time, { dateStyle: 'short', timeStyle: 'medium' }, 'sv').replace(' ', 'T');
