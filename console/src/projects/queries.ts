import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';

export type Project = schemas['ListedProject'];
type Found = schemas['ProjectList'];
export type NewProjectBody = schemas['NewProject'];

/** The active projects share their cached response with the sidebar and other pages. */
export const listQuery = (archived: boolean) =>
  queryOptions({
    queryKey: archived ? ['projects', 'archived'] : ['projects'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/projects', { params: { query: archived ? { archived: 'true' } : {} }, signal }),
      ),
    staleTime: 5_000,
  });

/** Loads both lists again: a project moves from one to the other. */
export const refresh = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['projects'] });

export const createProject = (body: NewProjectBody): Promise<schemas['Project']> =>
  unwrap(api.POST('/api/admin/projects', { body }));

export const archiveProject = (projectId: string): Promise<unknown> =>
  unwrap(api.POST('/api/admin/projects/archive/{projectId}', { params: { path: { projectId } } }));

export const reviveProject = (projectId: string): Promise<unknown> =>
  unwrap(api.POST('/api/admin/projects/revive/{projectId}', { params: { path: { projectId } } }));

/** Adds the project to the favorites of the user, or removes it. The list shows it at once; an error restores it. */
export async function setFavorite(client: QueryClient, { id }: Project, favorite: boolean): Promise<void> {
  await client.cancelQueries({ queryKey: ['projects'] });
  const before = client.getQueriesData<Found>({ queryKey: ['projects'] });
  client.setQueriesData<Found>(
    { queryKey: ['projects'] },
    found =>
      found && {
        ...found,
        projects: found.projects.map(one => (one.id === id ? { ...one, favorite } : one)),
      },
  );
  const params = { params: { path: { projectId: id } } };
  const address = '/api/admin/projects/{projectId}/favorites';
  try {
    await unwrap(favorite ? api.POST(address, params) : api.DELETE(address, params));
  } catch (error) {
    for (const [key, found] of before) client.setQueryData(key, found);
    throw error;
  }
}
