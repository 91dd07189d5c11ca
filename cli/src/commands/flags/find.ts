import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { data } from '../../requests.ts';

const PAGE = 1000;
const MAX_PAGES = 10;

/** The project of a flag. Names are unique in the instance, so users need not specify the project. */
export async function projectOf(
  context: Context,
  name: string,
  project: string | undefined,
): Promise<string> {
  if (project !== undefined) return project;
  for (const archived of ['IS:false', 'IS:true'] as const) {
    for (let page = 0; page < MAX_PAGES; page++) {
      // A comma separates several strings of a search, so a name is searched up to it.
      const query = {
        query: name.split(',')[0] ?? '',
        archived,
        sortBy: 'name',
        limit: PAGE,
        offset: page * PAGE,
      };
      const { features } = await data(context.read.GET('/api/admin/search/features', { params: { query } }));
      const found = features.find(one => one.name === name);
      if (found) return found.project;
      if (features.length < PAGE) break;
    }
  }
  throw notFound(
    `There is no flag ${JSON.stringify(name)}, or you may not see it.`,
    'Run halyard flags list to find it.',
  );
}

/** Rejects a project that does not exist, so that a typo is not an empty list. */
export async function requireProject(context: Context, id: string): Promise<void> {
  await data(context.read.GET('/api/admin/projects/{projectId}', { params: { path: { projectId: id } } }));
}

export const flagPage = (project: string, name: string): string =>
  `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;

export const FLAG = { brief: 'Name of the flag', complete: 'flags' } as const;
/** For commands that work without the project, but save a request if it is given. */
export const IN_PROJECT = {
  type: 'string',
  value: 'id',
  short: 'p',
  brief: 'Project of the flag; without it, the command searches for the flag',
  complete: 'projects',
} as const;
