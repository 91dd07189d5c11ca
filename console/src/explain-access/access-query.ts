import type { Search } from '../ui/search.ts';

/** The page's query. It is kept in the URL, so that a link shows the same explanation. */
export type AccessQuery = { user?: string; permission?: string; project?: string; environment?: string };

const FIELDS = ['user', 'permission', 'project', 'environment'] as const;

const readString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the query from a URL. Ignores an environment without a project. */
export function parseQuery(search: Search): AccessQuery {
  const query: AccessQuery = {};
  for (const field of FIELDS) {
    const value = readString(search[field]);
    if (value !== undefined) query[field] = value;
  }
  if (query.project === undefined) delete query.environment;
  return query;
}

/** Sets a field of the query. An empty value removes the field. */
export const withField = (query: AccessQuery, field: keyof AccessQuery, value: string): AccessQuery =>
  parseQuery({ ...query, [field]: value });
