import ipaddr from 'ipaddr.js';

// Each of these expressions can match a string in only one way, so matching takes linear time.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
const VERSION = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** A finite number in decimal notation. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

/** SDKs differ on a number that starts with a point: some of them cannot read .5. */
export const storedNumber = (text: string): string => text.replace(/^([+-]?)\./, '$10.');

/** A date, or a date and time in RFC 3339 format. The date must exist in the calendar. Leap seconds are invalid. */
export function isDate(text: string): boolean {
  const day = DATE_TIME.exec(text)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // JavaScript parses February 30 as March 1.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * The same moment in the form that every SDK can read: a date is midnight UTC, and a fraction of a second has three digits.
 * The SDK for Go cannot read a date without a time. SDKs on Yggdrasil cannot read other fractions.
 */
export function storedDate(text: string): string {
  if (text.length === 'YYYY-MM-DD'.length) return `${text}T00:00:00Z`;
  return text.replace(/\.(\d+)/, (_, digits: string) => `.${digits.slice(0, 3).padEnd(3, '0')}`);
}

/**
 * An IPv4 or IPv6 address, or a range in CIDR notation. Unlike ipaddr.js, SDKs read neither short, octal nor hexadecimal
 * IPv4 addresses. A zone such as fe80::1%eth0 names an interface of one machine.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  if (more.length > 0 || address.includes('%')) return false;
  const bits = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : isIPv6(address) ? 128 : undefined;
  if (bits === undefined) return false;
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits);
}

/** An IPv4 address at the end of an IPv6 address is decimal too. */
const isIPv6 = (text: string): boolean => {
  const last = text.slice(text.lastIndexOf(':') + 1);
  return ipaddr.IPv6.isValid(text) && (!last.includes('.') || ipaddr.IPv4.isValidFourPartDecimal(last));
};

/**
 * A semantic version as defined by semver.org 2.0.0. Written by hand, because the expression that semver.org suggests is
 * unreadable and these few lines do not justify a dependency.
 */
export function isVersion(text: string): boolean {
  const [, core = '', preRelease, build] = VERSION.exec(text) ?? [];
  const numbers = core.split('.');
  const identifiers = [...numbers, ...(preRelease?.split('.') ?? [])];
  return (
    // The SDK for Node.js cannot read larger ones, and evaluates the constraint to false.
    numbers.every(part => Number.isSafeInteger(Number(part))) &&
    identifiers.every(part => part !== '' && !/^0\d+$/.test(part)) &&
    (build?.split('.').every(part => part !== '') ?? true)
  );
}
