import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type SavedView = schemas['SavedView'];
export type ProjectView = schemas['ProjectView'];

export const saveView = (body: schemas['SavedViewInput']): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user/views', { body }));

export const updateView = (id: schemas['SavedView']['id'], body: schemas['SavedViewInput']): Promise<void> =>
  ensureApplied(api.PUT('/api/admin/user/views/{id}', { params: { path: { id: String(id) } }, body }));

export const deleteView = (id: schemas['SavedView']['id']): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/user/views/{id}', { params: { path: { id: String(id) } } }));

const SHARED_VIEWS_PATH = '/api/admin/projects/{projectId}/views';

/** The views that somebody shared with the project. */
export const sharedViewsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'views'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET(SHARED_VIEWS_PATH, { params: { path: { projectId } }, signal }))).views,
    staleTime: 60_000,
  });

export const shareView = (projectId: string, body: schemas['ProjectViewInput']): Promise<void> =>
  ensureApplied(api.POST(SHARED_VIEWS_PATH, { params: { path: { projectId } }, body }));

export const unshareView = (projectId: string, id: number): Promise<void> =>
  ensureApplied(api.DELETE(`${SHARED_VIEWS_PATH}/{id}`, { params: { path: { projectId, id: String(id) } } }));
