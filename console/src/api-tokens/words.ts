import type { ApiToken } from './queries.ts';

const DAY_MS = 86_400_000;
/** A token that nobody has used for this long can probably be deleted. */
export const UNUSED_DAYS = 30;
const ALL = '*';

/** Unleash renamed client tokens to backend tokens. */
export const typeOf = ({ type }: Pick<ApiToken, 'type'>): string =>
  ({ admin: 'Admin', client: 'Backend', backend: 'Backend', frontend: 'Frontend', edge: 'Edge' })[type];

/** "Payments, Search", or "All projects". A project that the user cannot read has its id as its name. */
export const projectsOf = (
  { projects }: Pick<ApiToken, 'projects'>,
  names: ReadonlyMap<string, string>,
): string => (projects.includes(ALL) ? 'All projects' : projects.map(id => names.get(id) ?? id).join(', '));

export const isForAllProjects = ({ projects }: Pick<ApiToken, 'projects'>): boolean => projects.includes(ALL);

export const isExpired = ({ expiresAt }: Pick<ApiToken, 'expiresAt'>, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** Whether nobody used the token in the last 30 days. A new token is too young to tell. */
export const isUnused = (
  { seenAt, createdAt }: Pick<ApiToken, 'seenAt' | 'createdAt'>,
  now = Date.now(),
): boolean => now - Date.parse(seenAt ?? createdAt) > UNUSED_DAYS * DAY_MS;

/** The end of a day in UTC: the token is valid on the day that the user chose. */
export const endOfDay = (date: string): string => `${date}T23:59:59.000Z`;

/** The name of the token that replaces one: "shop", "shop 2", "shop 3". */
export const nextName = (name: string): string => {
  const [, base = name, number = '1'] = /^(.*?)(?: (\d{1,3}))?$/.exec(name) ?? [];
  return `${base} ${Number(number) + 1}`;
};
