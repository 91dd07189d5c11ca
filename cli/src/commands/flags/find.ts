import type { Context } from '../../context.ts';
import { notFoundError } from '../../errors.ts';
import { getData } from '../../requests.ts';

const PAGE_SIZE = 1000;
const MAX_PAGES = 10;

/** Finds the project of a flag. Users need not specify it, because flag names are unique in the instance. */
export async function findProject(
  context: Context,
  name: string,
  project: string | undefined,
): Promise<string> {
  if (project !== undefined) return project;
  for (const archived of ['IS:false', 'IS:true'] as const) {
    for (let page = 0; page < MAX_PAGES; page++) {
      // Searches only for the part before a comma, because a comma separates search strings.
      const query = {
        query: name.split(',')[0] ?? '',
        archived,
        sortBy: 'name',
        limit: PAGE_SIZE,
        offset: page * PAGE_SIZE,
      };
      const { features } = await getData(
        context.read.GET('/api/admin/search/features', { params: { query } }),
      );
      const matchingFeature = features.find(feature => feature.name === name);
      if (matchingFeature) return matchingFeature.project;
      if (features.length < PAGE_SIZE) break;
    }
  }
  throw notFoundError(
    `There is no flag ${JSON.stringify(name)}, or you do not have access to it.`,
    'Run halyard flags list to find it.',
  );
}

/** Rejects a project that does not exist, so that a typo does not look like an empty list. */
export async function requireProject(context: Context, id: string): Promise<void> {
  await getData(context.read.GET('/api/admin/projects/{projectId}', { params: { path: { projectId: id } } }));
}

export const flagPagePath = (project: string, name: string): string =>
  `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;

export const FLAG = { brief: 'Name of the flag', complete: 'flags' } as const;
/** The option for commands that can find the project themselves. Naming the project saves them a request. */
export const IN_PROJECT = {
  type: 'string',
  value: 'id',
  short: 'p',
  brief: 'Project of the flag; without it, the command searches for the flag',
  complete: 'projects',
} as const;
