import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';

export type SavedView = schemas['SavedView'];
export type ProjectView = schemas['ProjectView'];

export const saveView = (body: schemas['SavedViewInput']): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user/views', { body }));

/** A saved view, and the ETag that proves which state the user has seen. */
export type ViewVersion = { view: SavedView; etag: string };

export async function readView(id: SavedView['id']): Promise<ViewVersion> {
  const call = api.GET('/api/admin/user/views/{id}', { params: { path: { id: String(id) } } });
  const view = await unwrap(call);
  return { view, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/** Replaces the name and the filters. The server rejects the request with 412 if the view has changed in the meantime. */
export const updateView = (
  { view, etag }: ViewVersion,
  { name = view.name, query = view.query }: { name?: string; query?: string },
): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/user/views/{id}', {
      params: { path: { id: String(view.id) } },
      body: { name, page: view.page, query },
      headers: { 'If-Match': etag },
    }),
  );

/** Renames the view, with its newest filters. Returns the newer version if a different tab has renamed the view in the meantime. */
export async function renameView(base: ViewVersion, name: string): Promise<ViewVersion | undefined> {
  try {
    await updateView(base, { name });
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 412) throw error;
    const newest = await readView(base.view.id);
    if (newest.view.name !== base.view.name) return newest;
    await updateView(newest, { name });
  }
  return undefined;
}

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
