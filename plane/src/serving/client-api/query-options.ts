import { NO_FILTERS } from '../state/scope.ts';
import { EVERYTHING, type QueryOptions } from '../state/serving.ts';

type Query = Record<string, string | string[] | undefined>;

const EVERYTHING_INLINE: QueryOptions = { filters: NO_FILTERS, inline: true, key: 'inline' };

/** Reads the options of a request. All other parameters are ignored, because the token determines the environment. */
export function readQueryOptions({ project, tag, namePrefix }: Query, inline: boolean): QueryOptions {
  if (project === undefined && tag === undefined && namePrefix === undefined)
    return inline ? EVERYTHING_INLINE : EVERYTHING;
  const projects = toSortedList(project);
  const filters = { namePrefix: [namePrefix ?? ''].flat()[0] ?? '', tags: toSortedList(tag) };
  const key = JSON.stringify([projects, filters, inline]);
  return { filters, inline, key, ...(projects.length === 0 ? {} : { projects }) };
}

const toSortedList = (value: string | string[] | undefined): string[] =>
  [...new Set([value ?? []].flat())].filter(text => text !== '').sort();
