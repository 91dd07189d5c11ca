const DAY_MS = 86_400_000;

/** The name and version of the browser in a User-Agent header. */
export const browserOf = (userAgent: string | null): string =>
  userAgent
    ?.match(/(Firefox|Edg|Chrome|Safari)\/\d+/)?.[0]
    .replace('/', ' ')
    .replace('Edg', 'Edge') ??
  userAgent ??
  'Unknown browser';

/** The page of a saved view as the navigation names it: "/projects/payments/events" is "payments: events". */
export function pageOf(path: string): string {
  const [first = '', project, ...rest] = path.split('/').slice(1).map(decoded);
  if (first === '') return 'home';
  if (first !== 'projects' || project === undefined) return first;
  return [project, rest.join(' / ') || 'flags'].join(': ');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A time in the given number of days. */
export const inDays = (days: number, now = Date.now()): string => new Date(now + days * DAY_MS).toISOString();

/** Whether a token has expired, expires within two weeks, or later. */
export function expiryOf(expiresAt: string, now = Date.now()): 'expired' | 'soon' | 'later' {
  const left = Date.parse(expiresAt) - now;
  return left <= 0 ? 'expired' : left < 14 * DAY_MS ? 'soon' : 'later';
}
