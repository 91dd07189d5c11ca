import {
  parseCount,
  parseEnumValue,
  parseLimit,
  parseOffset,
  parseSearch,
  parseText,
} from '@halyard/plane/platform/http/input/filter.ts';

export const SORT_FIELDS = ['appName', 'createdAt', 'lastSeenAt'] as const;

export type ApplicationSearch = {
  /** Part of the name. */
  query?: string;
  /** Only applications that requested a feature of this project. */
  project?: string;
  sortBy: (typeof SORT_FIELDS)[number];
  sortOrder: 'asc' | 'desc';
  offset: number;
  limit: number;
};

const PARSERS: { [K in keyof ApplicationSearch]-?: (value: unknown) => NonNullable<ApplicationSearch[K]> } = {
  query: parseText,
  project: parseText,
  sortBy: value => parseEnumValue(value, SORT_FIELDS),
  sortOrder: value => parseEnumValue(value, ['asc', 'desc']),
  offset: parseOffset,
  limit: parseLimit,
};

/** Parses the query parameters of the application list, or throws an error with every violation. */
export function parseApplicationSearch(parameters: Record<string, unknown>): ApplicationSearch {
  return parseSearch<ApplicationSearch>(parameters, PARSERS, {
    sortBy: 'appName',
    sortOrder: 'asc',
    offset: 0,
    limit: 50,
  });
}

/** The query parameters for the applications of one project, which can be sorted only by name. */
export type ProjectApplicationSearch = Pick<ApplicationSearch, 'query' | 'sortOrder' | 'offset' | 'limit'>;

/** Parses the query parameters for the applications of a project, or throws an error with every violation. */
export function parseProjectApplicationSearch(parameters: Record<string, unknown>): ProjectApplicationSearch {
  const { query, sortOrder, offset, limit } = PARSERS;
  const sortBy = (value: unknown) => parseEnumValue(value, ['appName']);
  return parseSearch<ProjectApplicationSearch & { sortBy: string }>(
    parameters,
    { query, sortBy, sortOrder, offset, limit },
    { sortBy: 'appName', sortOrder: 'asc', offset: 0, limit: 50 },
  );
}

const MAX_ID = 2_147_483_647;

/** Parses the id of the token whose applications are requested. Undefined selects all tokens. */
export const parseTokenId = (parameters: Record<string, unknown>): number | undefined =>
  parseSearch<{ token?: number }>(parameters, { token: value => parseCount(value, 1, MAX_ID) }, {}).token;
