import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { reasonHeader } from '../api/reason.ts';
import type { Search } from '../ui/search.ts';
import { PAGE_SIZE } from '../ui/usePages.ts';

export type Flag = schemas['FoundFeature'];
type Query = Record<string, string | string[] | undefined>;

/** One page of a search. The URL parameters of the page are the query parameters of the API. */
export const flagsPage = (filters: Search, page: number) =>
  queryOptions({
    queryKey: keys.flagsPage(filters, page),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/features', {
          params: { query: { ...(filters as Query), offset: page * PAGE_SIZE, limit: PAGE_SIZE } as never }, // The URL can contain any string, which the server validates.
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The maximum number of flags that one request can change. */
export const MAX_SELECTED = 1000;

/** Reads the flags that match a search, up to the maximum, to select all of them. */
export const readFlags = async (filters: Search): Promise<Flag[]> =>
  (
    await unwrap(
      api.GET('/api/admin/search/features', {
        params: { query: { ...(filters as Query), limit: MAX_SELECTED } as never }, // The URL can contain any string, which the server validates.
      }),
    )
  ).features;

export const creatorsQuery = queryOptions({
  queryKey: keys.flagCreators,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/flag-creators', { signal }))).flagCreators,
  staleTime: 60_000,
});

export const typesQuery = queryOptions({
  queryKey: keys.featureTypes,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/feature-types', { signal })),
  staleTime: 60_000,
});

/** The selected flags of one project. */
export type SelectedFlags = { project: string; names: string[] };

export const markStale = ({ project, names }: SelectedFlags, stale: boolean, reason: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/stale', {
      params: { path: { projectId: project } },
      body: { features: names, stale },
      headers: reasonHeader(reason),
    }),
  );

export const archive = ({ project, names }: SelectedFlags, reason: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/archive', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: reasonHeader(reason),
    }),
  );

/** Enables or disables all of the flags in the environment. If one of them is rejected, none changes. */
export const setEnabledInFlags = (
  { project, names }: SelectedFlags,
  environment: string,
  enabled: boolean,
  reason: string,
): Promise<void> => {
  const init = {
    params: { path: { projectId: project, environment } },
    body: { features: names },
    headers: reasonHeader(reason),
  };
  const path = '/api/admin/projects/{projectId}/bulk_features/environments/{environment}';
  return ensureApplied(enabled ? api.POST(`${path}/on`, init) : api.POST(`${path}/off`, init));
};

export const reviveFlags = ({ project, names }: SelectedFlags, reason: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/revive', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: reasonHeader(reason),
    }),
  );

/** Deletes archived flags permanently. */
export const deleteFlags = ({ project, names }: SelectedFlags, reason: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/delete', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: reasonHeader(reason),
    }),
  );

/** The maximum number of flags that one request can clone. */
export const MAX_CLONED = 100;

type Copy = schemas['FeatureToClone'];

/** Previews cloning the flags into the project with a dry run, which changes nothing. */
export const planClones = async (
  projectId: string,
  features: Copy[],
  signal: AbortSignal,
): Promise<schemas['ClonePlan']> =>
  (await unwrap(
    api.POST('/api/admin/projects/{projectId}/clone', {
      params: { path: { projectId }, query: { dryRun: 'true' } },
      body: { features },
      signal,
      fetch: sendRead,
    }),
  )) as schemas['ClonePlan']; // A dry run responds with a plan, never with flags.

/** Executes the plan. The server rejects it with 409 if the result would differ from the plan. */
export const cloneFlags = (projectId: string, features: Copy[], planId: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/clone', {
      params: { path: { projectId } },
      body: { features, planId },
    }),
  );

export const addTag = (
  { project, names }: SelectedFlags,
  tag: schemas['Tag'],
  reason: string,
): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/projects/{projectId}/tags', {
      params: { path: { projectId: project } },
      body: { features: names, tags: { addedTags: [tag], removedTags: [] } },
      headers: reasonHeader(reason),
    }),
  );

export const createFlag = (
  projectId: string,
  body: { name: string; type: string; description?: string; impressionData?: boolean },
): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/projects/{projectId}/features', { params: { path: { projectId } }, body }),
  );
