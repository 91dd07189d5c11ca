// Each of these expressions can match a text in one way only, so matching takes linear time.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
const VERSION = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** A finite number in decimal notation. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

/** A date, or a date and time in RFC 3339 format. The date must exist in the calendar. Leap seconds are invalid. */
export function isDate(text: string): boolean {
  const day = DATE_TIME.exec(text)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // JavaScript parses February 30 as March 1.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * A semantic version as defined by semver.org 2.0.0. Written by hand, because the expression that semver.org suggests is
 * unreadable and these few lines do not justify a dependency.
 */
export function isVersion(text: string): boolean {
  const [, core = '', preRelease, build] = VERSION.exec(text) ?? [];
  const identifiers = [...core.split('.'), ...(preRelease?.split('.') ?? [])];
  return (
    identifiers.every(part => part !== '' && !/^0\d+$/.test(part)) &&
    (build?.split('.').every(part => part !== '') ?? true)
  );
}
