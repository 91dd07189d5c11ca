const DAY_MS = 86_400_000;

/** Reads the browser's name and version from a User-Agent header. */
export const parseBrowser = (userAgent: string | null): string =>
  userAgent
    ?.match(/(Firefox|Edg|Chrome|Safari)\/\d+/)?.[0]
    .replace('/', ' ')
    .replace('Edg', 'Edge') ??
  userAgent ??
  'Unknown browser';

/** Describes a saved view's page as the navigation does, for example "/projects/payments/events" as "payments: events". */
export function describePage(path: string): string {
  const [first = '', project, ...rest] = path.split('/').slice(1).map(decode);
  if (first === '') return 'home';
  if (first !== 'projects' || project === undefined) return first;
  return [project, rest.join(' / ') || 'flags'].join(': ');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns whether a token has expired, expires within two weeks, or expires later. */
export function classifyExpiry(expiresAt: string, now = Date.now()): 'expired' | 'soon' | 'later' {
  const remainingMs = Date.parse(expiresAt) - now;
  return remainingMs <= 0 ? 'expired' : remainingMs < 14 * DAY_MS ? 'soon' : 'later';
}
