import type { ApiToken } from './queries.ts';

const DAY_MS = 86_400_000;
/** A token that nobody has used for this long can probably be deleted. */
export const UNUSED_DAYS = 30;
/** How long before its expiry a token should be replaced or extended. */
export const SOON_DAYS = 30;
const ALL_PROJECTS = '*';

/** Client tokens appear as backend tokens, because Unleash has renamed them. */
export const getTypeLabel = ({ type }: Pick<ApiToken, 'type'>): string =>
  ({ admin: 'Admin', client: 'Backend', backend: 'Backend', frontend: 'Frontend', edge: 'Edge' })[type];

/** Formats a token's projects as "Payments, Search" or "All projects". Projects that the user cannot read appear as ids. */
export const formatProjects = (
  { projects }: Pick<ApiToken, 'projects'>,
  projectNames: ReadonlyMap<string, string>,
): string =>
  projects.includes(ALL_PROJECTS)
    ? 'All projects'
    : projects.map(id => projectNames.get(id) ?? id).join(', ');

export const isForAllProjects = ({ projects }: Pick<ApiToken, 'projects'>): boolean =>
  projects.includes(ALL_PROJECTS);

export const isExpired = ({ expiresAt }: Pick<ApiToken, 'expiresAt'>, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** Whether a token that is still valid expires within the next 30 days. */
export function isExpiringSoon({ expiresAt }: Pick<ApiToken, 'expiresAt'>, now = Date.now()): boolean {
  if (expiresAt === null) return false;
  const remainingMs = Date.parse(expiresAt) - now;
  return remainingMs > 0 && remainingMs <= SOON_DAYS * DAY_MS;
}

/** Whether nobody has used the token in the last 30 days. A newer token never counts as unused. */
export const isUnused = (
  { seenAt, createdAt }: Pick<ApiToken, 'seenAt' | 'createdAt'>,
  now = Date.now(),
): boolean => now - Date.parse(seenAt ?? createdAt) > UNUSED_DAYS * DAY_MS;

/** Returns the end of a day in UTC, so that the token is still valid on the day that the user chose. */
export const endOfDay = (date: string): string => `${date}T23:59:59.000Z`;

/** Returns the UTC day that is the given number of days from now, such as 2027-01-31. */
export const addDays = (days: number, now = Date.now()): string =>
  new Date(now + days * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns the last valid day of a replacement token, which is the old token's last valid day. If the old token has expired or expires
 * soon, the replacement is valid for as many days as the old token was.
 */
export function getReplacementExpiry(
  { createdAt, expiresAt }: Pick<ApiToken, 'createdAt' | 'expiresAt'>,
  now = Date.now(),
): string | undefined {
  if (expiresAt === null) return undefined;
  const lastDay = expiresAt.slice(0, 10);
  if (!isExpired({ expiresAt }, now) && !isExpiringSoon({ expiresAt }, now)) return lastDay;
  return addDays((Date.parse(lastDay) - Date.parse(createdAt.slice(0, 10))) / DAY_MS, now);
}

/** Splits a name such as "shop 2" into the name and the number that a replacement token added to it. */
function splitName(name: string): { base: string; number: number } {
  const [, base = name, number = '1'] = /^(.*?)(?: (\d{1,3}))?$/.exec(name) ?? [];
  return { base, number: Number(number) };
}

/** Returns the name of a replacement token: "shop" becomes "shop 2", then "shop 3". */
export function getReplacementName(name: string): string {
  const { base, number } = splitName(name);
  return `${base} ${number + 1}`;
}

/** Returns the name of the application that used the old token, so that its name does not change with the secret. */
export const getReplacementAppName = (
  oldName: string,
  applications: readonly { appName: string }[],
): string => applications[0]?.appName ?? splitName(oldName).base;
