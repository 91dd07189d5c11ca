import type { Options } from '../../command.ts';
import { wrongUse } from '../../errors.ts';

/** Filters that the search, the export and the stream share. */
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

type Given = {
  project?: string[] | undefined;
  flag?: string[] | undefined;
  type?: string[] | undefined;
  environment?: string[] | undefined;
  by?: number | undefined;
};

const any = (values: string[]): string =>
  values.length === 1 ? `IS:${values[0]}` : `IS_ANY_OF:${values.join(',')}`;

export function filtersOf(
  search: string | undefined,
  { project = [], flag = [], type = [], environment = [], by }: Given,
) {
  return {
    ...(search && { query: search }),
    ...(project.length > 0 && { project: any(project) }),
    ...(flag.length > 0 && { feature: any(flag) }),
    ...(type.length > 0 && { type: any(type) }),
    ...(environment.length > 0 && { environment: any(environment) }),
    ...(by !== undefined && { createdBy: `IS:${by}` }),
  };
}

export function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  for (const day of [from, to])
    if (day !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(day))
      throw wrongUse(`${JSON.stringify(day)} is not a day. Write it as 2026-11-01.`);
  return { ...(from && { from: `IS:${from}` }), ...(to && { to: `IS:${to}` }) };
}
