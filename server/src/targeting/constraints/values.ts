// Every expression here has one way only to match a text, so none takes more than linear time.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
const VERSION = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** A finite number in decimal notation. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

/** A day, or a point in time as RFC 3339 writes it; only days the calendar has, and no leap second. */
export function isDate(text: string): boolean {
  const day = DATE_TIME.exec(text)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // JavaScript takes the 30th of February for the 1st of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * A version by the letter of semver.org 2.0.0. By hand, because a package for two lines is one too many, and the
 * expression usually copied for it is beyond reading.
 */
export function isVersion(text: string): boolean {
  const [, core = '', preRelease, build] = VERSION.exec(text) ?? [];
  const counted = [...core.split('.'), ...(preRelease?.split('.') ?? [])];
  return (
    counted.every(part => part !== '' && !/^0\d+$/.test(part)) &&
    (build?.split('.').every(part => part !== '') ?? true)
  );
}
