import {
  type Choice,
  type DayBound,
  FilterError,
  type Inclusion,
  parseActorIdChoice,
  parseAllowedChoice,
  parseChoice,
  parseDayBound,
  parseEnumValue,
  parseInclusion,
  parseLimit,
  parseOffset,
  parseSearch,
  parseText,
} from '@halyard/plane/platform/http/input/filter.ts';
import { STAGES, type Stage } from '../lifecycle/schema.ts';

export const SORT_FIELDS = ['name', 'type', 'project', 'createdAt', 'lastSeenAt', 'stale'] as const;
type SortField = (typeof SORT_FIELDS)[number];

/** An active feature is not marked as stale. It is potentially stale once it is older than its type's lifetime. */
const STATES = ['active', 'potentially-stale', 'stale'] as const;
type State = (typeof STATES)[number];

export type FeatureSearch = {
  /** A feature must match one of these strings. */
  query?: string[];
  project?: Choice<string>;
  type?: Choice<string>;
  state?: Choice<State>;
  createdBy?: Choice<number>;
  owner?: OwnerChoice;
  createdAt?: DayBound;
  lifecycle?: Choice<Stage>;
  tag?: Inclusion<{ type: string; value: string }>;
  segment?: Inclusion<string>;
  /** A feature must match one of these values. */
  status?: { environment: string; enabled: boolean }[];
  archived: boolean;
  favoritesFirst: boolean;
  sortBy: SortField | { environment: string };
  sortOrder: 'asc' | 'desc';
  offset: number;
  limit: number;
};

/** A filter by owner: users and groups by id, and whether features without an owner match. */
export type OwnerChoice = { not: boolean; users: number[]; groups: number[]; none: boolean };

const MAX_QUERY_STRINGS = 10;
const MAX_STATUSES = 100;

const PARSERS: { [K in keyof FeatureSearch]-?: (value: unknown) => NonNullable<FeatureSearch[K]> } = {
  query: parseQuery,
  project: parseChoice,
  type: parseChoice,
  state: value => parseAllowedChoice(value, STATES),
  createdBy: parseActorIdChoice,
  owner: parseOwners,
  createdAt: parseDayBound,
  lifecycle: value => parseAllowedChoice(value, STAGES),
  tag: parseTags,
  segment: parseInclusion,
  status: parseStatuses,
  archived: value => parseEnumValue(value, ['IS:true', 'IS:false']) === 'IS:true',
  favoritesFirst: value => parseEnumValue(value, ['true', 'false']) === 'true',
  sortBy: parseSortBy,
  sortOrder: value => parseEnumValue(value, ['asc', 'desc']),
  offset: parseOffset,
  limit: parseLimit,
};

/** Parses the query parameters of the feature search, or rejects them and lists every violation. Ignores unknown parameters. */
export function parseFeatureSearch(parameters: Record<string, unknown>): FeatureSearch {
  return parseSearch<FeatureSearch>(parameters, PARSERS, {
    archived: false,
    favoritesFirst: false,
    sortBy: 'createdAt',
    sortOrder: 'asc',
    offset: 0,
    limit: 50,
  });
}

/** Splits the query at commas, as Unleash does. */
function parseQuery(value: unknown): string[] {
  const strings = parseText(value)
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '');
  if (strings.length > MAX_QUERY_STRINGS)
    throw new FilterError(`must have at most ${MAX_QUERY_STRINGS} strings, separated by commas`);
  return strings;
}

function parseTags(value: unknown): NonNullable<FeatureSearch['tag']> {
  const { values, ...inclusion } = parseInclusion(value);
  return {
    ...inclusion,
    values: values.map(text => {
      const [type = '', ...valueParts] = text.split(':');
      const tag = { type: type.trim(), value: valueParts.join(':').trim() };
      if (tag.type === '' || tag.value === '')
        throw new FilterError('must contain tags as type:value, for example INCLUDE:simple:checkout');
      return tag;
    }),
  };
}

function parseOwners(value: unknown): OwnerChoice {
  const { not, values } = parseChoice(value);
  const choice: OwnerChoice = { not, users: [], groups: [], none: false };
  for (const text of values) {
    const [, type, id] = /^(user|group):([1-9][0-9]{0,8})$/.exec(text) ?? [];
    if (text === 'none') choice.none = true;
    else if (type === 'user') choice.users.push(Number(id));
    else if (type === 'group') choice.groups.push(Number(id));
    else throw new FilterError('must contain user:ID, group:ID or none, for example IS:user:7');
  }
  return choice;
}

function parseStatuses(value: unknown): NonNullable<FeatureSearch['status']> {
  const statuses = Array.isArray(value) ? value : [value];
  if (statuses.length > MAX_STATUSES) throw new FilterError(`must be given at most ${MAX_STATUSES} times`);
  return statuses.map(status => {
    const [, environment, state] = /^(.+):(enabled|disabled)$/.exec(parseText(status)) ?? [];
    if (environment === undefined)
      throw new FilterError(
        'must be an environment followed by :enabled or :disabled, for example production:enabled',
      );
    return { environment, enabled: state === 'enabled' };
  });
}

function parseSortBy(value: unknown): FeatureSearch['sortBy'] {
  const environment = /^environment:(.+)$/.exec(parseText(value))?.[1];
  if (environment !== undefined) return { environment };
  const field = SORT_FIELDS.find(sortField => sortField === value);
  if (field === undefined)
    throw new FilterError(
      `must be one of ${SORT_FIELDS.join(', ')}, or environment:NAME, for example environment:production`,
    );
  return field;
}
