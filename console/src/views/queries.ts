import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';

export type SavedView = schemas['SavedView'];
export type ProjectView = schemas['ProjectView'];

export const saveView = (body: schemas['SavedViewInput']): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user/views', { body }));

/** A personal or shared view and its ETag, which identifies the version that the user has seen. */
export type ViewVersion = { view: SavedView | ProjectView; project: string | undefined; etag: string };

const VIEW = '/api/admin/user/views/{id}';
const SHARED_VIEWS = '/api/admin/projects/{projectId}/views';
const SHARED_VIEW = `${SHARED_VIEWS}/{id}` as const;

/** Reads a personal view, or a shared view if a project is given. */
export async function readView(id: SavedView['id'], project?: string): Promise<ViewVersion> {
  const call =
    project === undefined
      ? api.GET(VIEW, { params: { path: { id: String(id) } } })
      : api.GET(SHARED_VIEW, { params: { path: { projectId: project, id: String(id) } } });
  const view = await unwrap<SavedView | ProjectView>(call);
  return { view, project, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/** Replaces the name and the filters. The server rejects the request with 412 if the view has changed in the meantime. */
export function updateView(
  { view, project, etag }: ViewVersion,
  { name = view.name, query = view.query }: { name?: string; query?: string },
): Promise<void> {
  const id = String(view.id);
  const request = { body: { name, page: view.page, query }, headers: { 'If-Match': etag } };
  return ensureApplied(
    project === undefined
      ? api.PUT(VIEW, { params: { path: { id } }, ...request })
      : api.PUT(SHARED_VIEW, { params: { path: { projectId: project, id } }, ...request }),
  );
}

/** Renames the view and keeps its newest filters. Returns the newer version if somebody has renamed the view in the meantime. */
export async function renameView(base: ViewVersion, name: string): Promise<ViewVersion | undefined> {
  try {
    await updateView(base, { name });
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 412) throw error;
    const newest = await readView(base.view.id, base.project);
    if (newest.view.name !== base.view.name) return newest;
    await updateView(newest, { name });
  }
  return undefined;
}

export const deleteView = (id: schemas['SavedView']['id']): Promise<void> =>
  ensureApplied(api.DELETE(VIEW, { params: { path: { id: String(id) } } }));

/** The views that somebody shared with the project. */
export const sharedViewsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'views'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET(SHARED_VIEWS, { params: { path: { projectId } }, signal }))).views,
    staleTime: 60_000,
  });

export const shareView = (projectId: string, body: schemas['ProjectViewInput']): Promise<void> =>
  ensureApplied(api.POST(SHARED_VIEWS, { params: { path: { projectId } }, body }));

export const unshareView = (projectId: string, id: number): Promise<void> =>
  ensureApplied(api.DELETE(SHARED_VIEW, { params: { path: { projectId, id: String(id) } } }));
