import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { showOptimistically } from '../ui/optimistic.ts';

export type Project = schemas['ListedProject'];
type ProjectListResponse = schemas['ProjectList'];
export type ProjectDetails = schemas['Project'];
export type NewProjectBody = schemas['NewProject'];

/** The active projects share their cached response with the sidebar and other pages. */
export const listQuery = (archived: boolean) =>
  queryOptions({
    queryKey: archived ? keys.archivedProjects : keys.projects,
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/projects', { params: { query: archived ? { archived: 'true' } : {} }, signal }),
      ),
    staleTime: 5_000,
  });

/** A project, archived or not, and the ETag that proves which state the user has seen. */
export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.project(projectId),
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/projects/{projectId}', { params: { path: { projectId } }, signal });
      const project = await unwrap(call);
      return { project, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    staleTime: 5_000,
  });

/** The number of applications that requested flags of the project, and of segments that only the project can use. */
export const countsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'counts'],
    queryFn: async ({ signal }) => {
      const path = { projectId };
      const [applications, status] = await Promise.all([
        unwrap(
          api.GET('/api/admin/projects/{projectId}/applications', {
            params: { path, query: { limit: 1 } },
            signal,
          }),
        ),
        unwrap(api.GET('/api/admin/projects/{projectId}/status', { params: { path }, signal })),
      ]);
      return { applications: applications.total, ...status.resources };
    },
    staleTime: 60_000,
  });

export const createProject = (body: NewProjectBody): Promise<void> =>
  ensureApplied(api.POST('/api/admin/projects', { body }));

export const archiveProject = (projectId: string): Promise<void> =>
  ensureApplied(api.POST('/api/admin/projects/archive/{projectId}', { params: { path: { projectId } } }));

export const reviveProject = (projectId: string): Promise<void> =>
  ensureApplied(api.POST('/api/admin/projects/revive/{projectId}', { params: { path: { projectId } } }));

/** Adds the project to the user's favorites, or removes it. The list shows the change immediately. */
export async function setFavorite(client: QueryClient, { id }: Project, favorite: boolean): Promise<void> {
  const params = { params: { path: { projectId: id } } };
  const path = '/api/admin/projects/{projectId}/favorites';
  await showOptimistically<boolean>(client, {
    subject: `favorite project ${id}`,
    views: [
      {
        filters: { queryKey: keys.projects },
        patch: (response: ProjectListResponse, isFavorite) => ({
          ...response,
          projects: response.projects.map(project =>
            project.id === id ? { ...project, favorite: isFavorite } : project,
          ),
        }),
      },
    ],
    change: favorite,
    undo: !favorite,
    send: () => ensureApplied(favorite ? api.POST(path, params) : api.DELETE(path, params)),
  });
}
