import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import type { Search } from '../ui/search.ts';

export type Flag = schemas['FoundFeature'];
type Found = schemas['FeatureSearchResult'];
type Query = Record<string, string | string[] | undefined>;

export const PAGE_SIZE = 100;
/** A change by somebody else appears within this time. */
const REFRESH_MS = 4000;

/** One page of a search. The parameters of the address are those of the API. */
export const flagsPage = (filters: Search, page: number) =>
  queryOptions({
    queryKey: ['flags', filters, page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/features', {
          params: { query: { ...(filters as Query), offset: page * PAGE_SIZE, limit: PAGE_SIZE } as never }, // The address holds any text; the server validates it.
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const creatorsQuery = queryOptions({
  queryKey: ['flag-creators'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/flag-creators', { signal })),
  staleTime: 60_000,
});

export const typesQuery = queryOptions({
  queryKey: ['feature-types'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/feature-types', { signal })),
  staleTime: 60_000,
});

type Place = { project: string; name: string };

/** Changes a flag in all loaded pages before the server has responded. Returns what restores them. */
function changeLoaded(
  client: QueryClient,
  { project, name }: Place,
  change: (flag: Flag) => Flag,
): () => void {
  const before = client.getQueriesData<Found>({ queryKey: ['flags'] });
  client.setQueriesData<Found>(
    { queryKey: ['flags'] },
    found =>
      found && {
        ...found,
        features: found.features.map(one =>
          one.project === project && one.name === name ? change(one) : one,
        ),
      },
  );
  return () => {
    for (const [key, found] of before) client.setQueryData(key, found);
  };
}

/** Enables or disables a flag in an environment. The list shows it at once; an error restores it. */
export async function setEnabled(
  client: QueryClient,
  flag: Place,
  environment: string,
  enabled: boolean,
): Promise<void> {
  await client.cancelQueries({ queryKey: ['flags'] });
  const restore = changeLoaded(client, flag, one => ({
    ...one,
    environments: one.environments.map(env => (env.name === environment ? { ...env, enabled } : env)),
  }));
  const path = { projectId: flag.project, featureName: flag.name, environment };
  const base = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  try {
    await unwrap(
      enabled ? api.POST(`${base}/on`, { params: { path } }) : api.POST(`${base}/off`, { params: { path } }),
    );
  } catch (error) {
    restore();
    throw error;
  }
}

export async function setFavorite(client: QueryClient, flag: Place, favorite: boolean): Promise<void> {
  await client.cancelQueries({ queryKey: ['flags'] });
  const restore = changeLoaded(client, flag, one => ({ ...one, favorite }));
  const params = { params: { path: { projectId: flag.project, featureName: flag.name } } };
  const address = '/api/admin/projects/{projectId}/features/{featureName}/favorites';
  try {
    await unwrap(favorite ? api.POST(address, params) : api.DELETE(address, params));
  } catch (error) {
    restore();
    throw error;
  }
  await client.invalidateQueries({ queryKey: ['favorites'] });
}

/** The selected flags of one project. */
export type Selected = { project: string; names: string[] };

export const markStale = ({ project, names }: Selected, stale: boolean): Promise<unknown> =>
  unwrap(
    api.POST('/api/admin/projects/{projectId}/stale', {
      params: { path: { projectId: project } },
      body: { features: names, stale },
    }),
  );

export const archive = ({ project, names }: Selected): Promise<unknown> =>
  unwrap(
    api.POST('/api/admin/projects/{projectId}/archive', {
      params: { path: { projectId: project } },
      body: { features: names },
    }),
  );

export const addTag = ({ project, names }: Selected, tag: schemas['Tag']): Promise<unknown> =>
  unwrap(
    api.PUT('/api/admin/projects/{projectId}/tags', {
      params: { path: { projectId: project } },
      body: { features: names, tags: { addedTags: [tag], removedTags: [] } },
    }),
  );

export const createFlag = (
  projectId: string,
  body: { name: string; type: string; description?: string; impressionData?: boolean },
): Promise<schemas['Feature']> =>
  unwrap(api.POST('/api/admin/projects/{projectId}/features', { params: { path: { projectId } }, body }));
