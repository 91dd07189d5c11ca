import { NO_FILTERS } from '../state/scope.ts';
import { EVERYTHING, type QueryOptions } from '../state/serving.ts';

type Query = Record<string, string | string[] | undefined>;

const EVERYTHING_INLINE: QueryOptions = { filters: NO_FILTERS, inline: true, key: 'inline' };

/** Reads the options of a request. Other parameters change nothing: the token alone decides the environment. */
export function queryOptionsOf({ project, tag, namePrefix }: Query, inline: boolean): QueryOptions {
  if (project === undefined && tag === undefined && namePrefix === undefined)
    return inline ? EVERYTHING_INLINE : EVERYTHING;
  const projects = sortedList(project);
  const filters = { namePrefix: [namePrefix ?? ''].flat()[0] ?? '', tags: sortedList(tag) };
  const key = JSON.stringify([projects, filters, inline]);
  return { filters, inline, key, ...(projects.length === 0 ? {} : { projects }) };
}

const sortedList = (value: string | string[] | undefined): string[] =>
  [...new Set([value ?? []].flat())].filter(text => text !== '').sort();
