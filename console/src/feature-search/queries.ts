import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, done, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { because } from '../api/reason.ts';
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
          params: { query: { ...(filters as Query), offset: page * PAGE_SIZE, limit: PAGE_SIZE } as never }, // The URL can contain any string; the server validates it.
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The maximum number of flags that one request can change. */
export const MAX_SELECTED = 1000;

/** The first flags of a search, to select them all. */
export const readFlags = async (filters: Search): Promise<Flag[]> =>
  (
    await unwrap(
      api.GET('/api/admin/search/features', {
        params: { query: { ...(filters as Query), limit: MAX_SELECTED } as never }, // The URL can contain any string; the server validates it.
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
export type Selected = { project: string; names: string[] };

export const markStale = ({ project, names }: Selected, stale: boolean, reason: string): Promise<void> =>
  done(
    api.POST('/api/admin/projects/{projectId}/stale', {
      params: { path: { projectId: project } },
      body: { features: names, stale },
      headers: because(reason),
    }),
  );

export const archive = ({ project, names }: Selected, reason: string): Promise<void> =>
  done(
    api.POST('/api/admin/projects/{projectId}/archive', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: because(reason),
    }),
  );

/** Enables or disables all of the flags in the environment, or none. */
export const setEnabledOf = (
  { project, names }: Selected,
  environment: string,
  enabled: boolean,
  reason: string,
): Promise<void> => {
  const init = {
    params: { path: { projectId: project, environment } },
    body: { features: names },
    headers: because(reason),
  };
  const path = '/api/admin/projects/{projectId}/bulk_features/environments/{environment}';
  return done(enabled ? api.POST(`${path}/on`, init) : api.POST(`${path}/off`, init));
};

export const reviveFlags = ({ project, names }: Selected, reason: string): Promise<void> =>
  done(
    api.POST('/api/admin/projects/{projectId}/revive', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: because(reason),
    }),
  );

/** Deletes archived flags permanently. */
export const deleteFlags = ({ project, names }: Selected, reason: string): Promise<void> =>
  done(
    api.POST('/api/admin/projects/{projectId}/delete', {
      params: { path: { projectId: project } },
      body: { features: names },
      headers: because(reason),
    }),
  );

/** The maximum number of flags that one request can clone. */
export const MAX_CLONED = 100;

type Copy = schemas['FeatureToClone'];

/** The effect of cloning the flags into the project. The server changes nothing. */
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

/** Carries out the plan. The server rejects it with 409 if the result would differ. */
export const cloneFlags = (projectId: string, features: Copy[], planId: string): Promise<void> =>
  done(
    api.POST('/api/admin/projects/{projectId}/clone', {
      params: { path: { projectId } },
      body: { features, planId },
    }),
  );

export const addTag = ({ project, names }: Selected, tag: schemas['Tag'], reason: string): Promise<void> =>
  done(
    api.PUT('/api/admin/projects/{projectId}/tags', {
      params: { path: { projectId: project } },
      body: { features: names, tags: { addedTags: [tag], removedTags: [] } },
      headers: because(reason),
    }),
  );

export const createFlag = (
  projectId: string,
  body: { name: string; type: string; description?: string; impressionData?: boolean },
): Promise<void> =>
  done(api.POST('/api/admin/projects/{projectId}/features', { params: { path: { projectId } }, body }));
