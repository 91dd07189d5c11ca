// Times that people enter are in their time zone: the chosen one, or that of the browser. The API has UTC.
import { timeZone } from './preferences.ts';
import { inZone } from './time.ts';

/** "Europe/Berlin". */
export const zoneName = (): string => timeZone() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;

const MINUTES = '2026-11-15T14:30'.length;

/** A time as a browser input takes it, in the user's zone: "2026-11-15T14:30". Empty if it is not a time. */
export function toInput(instant: string | undefined, withSeconds = false): string {
  const at = Date.parse(instant ?? '');
  if (Number.isNaN(at)) return '';
  return withSeconds ? wallClock(at) : wallClock(at).slice(0, MINUTES);
}

/** The reverse. An input that is not complete is empty. */
export function fromInput(local: string): string {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return '';
  // The offset depends on the time. The second step also makes it correct near a daylight saving change.
  const first = wall - offsetAt(wall);
  return new Date(wall - offsetAt(first)).toISOString();
}

const offsetAt = (at: number): number => Date.parse(`${wallClock(at)}Z`) - Math.floor(at / 1000) * 1000;

/** "2026-11-15T14:30:08" in the zone of the user. Swedish writes dates that way. */
const wallClock = (at: number): string =>
  inZone(at, { dateStyle: 'short', timeStyle: 'medium' }, 'sv').replace(' ', 'T');
