import type { Options } from '../../command.ts';
import { usageError } from '../../errors.ts';

/** The filters that the search, the export and the stream share. */
export const FILTERS = {
  project: {
    type: 'string',
    value: 'id',
    short: 'p',
    many: true,
    brief: 'Only events of this project; can be repeated',
    complete: 'projects',
  },
  flag: {
    type: 'string',
    value: 'name',
    short: 'f',
    many: true,
    brief: 'Only events of this flag; can be repeated',
    complete: 'flags',
  },
  type: {
    type: 'string',
    value: 'type',
    short: 't',
    many: true,
    brief: 'Only events of this type, such as feature-created; can be repeated',
  },
  environment: {
    type: 'string',
    value: 'name',
    short: 'e',
    many: true,
    brief: 'Only events of this environment; can be repeated',
    complete: 'environments',
  },
  by: {
    type: 'integer',
    value: 'user-id',
    min: -1_000_000,
    max: 2_147_483_647,
    brief: 'Only events by the user with this id',
  },
} as const satisfies Options;

export const DAYS = {
  from: { type: 'string', value: 'day', brief: 'First day in UTC, such as 2026-11-01' },
  to: { type: 'string', value: 'day', brief: 'Last day in UTC' },
} as const satisfies Options;

type FilterOptions = {
  project?: string[] | undefined;
  flag?: string[] | undefined;
  type?: string[] | undefined;
  environment?: string[] | undefined;
  by?: number | undefined;
};

const toFilter = (values: string[]): string =>
  values.length === 1 ? `IS:${values[0]}` : `IS_ANY_OF:${values.join(',')}`;

export function buildFilters(
  search: string | undefined,
  { project = [], flag = [], type = [], environment = [], by }: FilterOptions,
) {
  return {
    ...(search && { query: search }),
    ...(project.length > 0 && { project: toFilter(project) }),
    ...(flag.length > 0 && { feature: toFilter(flag) }),
    ...(type.length > 0 && { type: toFilter(type) }),
    ...(environment.length > 0 && { environment: toFilter(environment) }),
    ...(by !== undefined && { createdBy: `IS:${by}` }),
  };
}

export function dayFilters({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  for (const day of [from, to])
    if (day !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(day))
      throw usageError(`${JSON.stringify(day)} is not a date. Write it like 2026-11-01.`);
  return { ...(from && { from: `IS:${from}` }), ...(to && { to: `IS:${to}` }) };
}
