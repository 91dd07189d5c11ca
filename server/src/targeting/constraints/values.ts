import ipaddr from 'ipaddr.js';

// Each expression can match a string in only one way, so matching takes linear time.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
const VERSION = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** Returns whether the text is a finite number in decimal notation. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

/** Adds a zero to a number that starts with a decimal point, because some SDKs cannot read .5. */
export const normalizeNumber = (text: string): string => text.replace(/^([+-]?)\./, '$10.');

/**
 * Returns whether the text is a date, or a date and time in RFC 3339 format. The date must exist in the calendar. Leap seconds are
 * invalid.
 */
export function isDate(text: string): boolean {
  const day = DATE_TIME.exec(text)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // JavaScript parses February 30 as March 1.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Returns the same moment in the form that every SDK can read: a date is midnight UTC, and a fraction of a second has three digits.
 * The Go SDK cannot read a date without a time, and SDKs on Yggdrasil cannot read other fractions.
 */
export function normalizeDate(text: string): string {
  if (text.length === 'YYYY-MM-DD'.length) return `${text}T00:00:00Z`;
  return text.replace(/\.(\d+)/, (_, digits: string) => `.${digits.slice(0, 3).padEnd(3, '0')}`);
}

/**
 * Returns whether the text is an IPv4 or IPv6 address, or a range in CIDR notation. Unlike ipaddr.js, SDKs cannot read short, octal
 * or hexadecimal IPv4 addresses. A zone such as fe80::1%eth0 is invalid, because it names an interface of a single machine.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || address.includes('%')) return false;
  const bits = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : isIPv6(address) ? 128 : undefined;
  if (bits === undefined) return false;
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits);
}

/** Returns whether the text is an IPv6 address. An IPv4 address at its end must be decimal too. */
const isIPv6 = (text: string): boolean => {
  const lastPart = text.slice(text.lastIndexOf(':') + 1);
  return (
    ipaddr.IPv6.isValid(text) && (!lastPart.includes('.') || ipaddr.IPv4.isValidFourPartDecimal(lastPart))
  );
};

/**
 * Returns whether the text is a semantic version as defined by semver.org 2.0.0. The check is written by hand, because the
 * expression suggested by semver.org is unreadable, and these few lines do not justify a dependency.
 */
export function isVersion(text: string): boolean {
  const [, core = '', preRelease, build] = VERSION.exec(text) ?? [];
  const numbers = core.split('.');
  const identifiers = [...numbers, ...(preRelease?.split('.') ?? [])];
  return (
    // The Node.js SDK cannot read larger numbers, and evaluates the constraint to false.
    numbers.every(part => Number.isSafeInteger(Number(part))) &&
    identifiers.every(part => part !== '' && !/^0\d+$/.test(part)) &&
    (build?.split('.').every(part => part !== '') ?? true)
  );
}
