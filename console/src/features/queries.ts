import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';

export type Feature = schemas['Feature'];
export type FeatureEnvironment = schemas['FeatureEnvironment'];
export type Strategy = schemas['FeatureStrategy'];
export type NewStrategy = schemas['NewStrategy'];
export type Constraint = schemas['Constraint'];
export type Segment = schemas['Segment'];
export type ContextField = schemas['ContextField'];

/** A flag of a project. */
export type Place = { projectId: string; featureName: string };
/** A flag in an environment. */
export type EnvironmentPlace = Place & { environment: string };

const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';
const ENVIRONMENT = `${FEATURE}/environments/{environment}` as const;
const REFRESH_MS = 5000;

export const featureQuery = (path: Place) =>
  queryOptions({
    queryKey: ['feature', path.projectId, path.featureName],
    queryFn: ({ signal }) => unwrap(api.GET(FEATURE, { params: { path }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const segmentsQuery = queryOptions({
  queryKey: ['segments'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/segments', { signal })),
  staleTime: 30_000,
});

export const contextQuery = queryOptions({
  queryKey: ['context'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/context', { signal })),
  staleTime: 60_000,
});

const RECENT = 8;

/** The newest events of a flag. */
export const recentEventsQuery = ({ projectId, featureName }: Place) =>
  queryOptions({
    queryKey: ['events', 'of-feature', projectId, featureName],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: {
            query: { project: `IS:${projectId}`, feature: `IS:${featureName}`, limit: RECENT, parts: 'true' },
          },
          signal,
        }),
      ),
    refetchInterval: REFRESH_MS,
  });

export const driftQuery = (path: Place) =>
  queryOptions({
    queryKey: ['drift', path.projectId, path.featureName],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/drift`, { params: { path }, signal })),
  });

/** After a change: the flag, its events and every list that shows it. */
export async function refresh(client: QueryClient, { projectId, featureName }: Place): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['feature', projectId, featureName] }),
    client.invalidateQueries({ queryKey: ['events'] }),
    client.invalidateQueries({ queryKey: ['flags'] }),
  ]);
}

/** Enables or disables the flag. The page shows it at once; an error restores it. */
export async function setEnabled(
  client: QueryClient,
  path: EnvironmentPlace,
  enabled: boolean,
): Promise<void> {
  const { queryKey } = featureQuery(path);
  await client.cancelQueries({ queryKey });
  const before = client.getQueryData(queryKey);
  client.setQueryData(
    queryKey,
    before && {
      ...before,
      environments: before.environments.map(one =>
        one.name === path.environment ? { ...one, enabled } : one,
      ),
    },
  );
  try {
    await unwrap(
      enabled
        ? api.POST(`${ENVIRONMENT}/on`, { params: { path } })
        : api.POST(`${ENVIRONMENT}/off`, { params: { path } }),
    );
  } catch (error) {
    client.setQueryData(queryKey, before);
    throw error;
  }
  await refresh(client, path);
}

/** A strategy and the ETag that proves which state the user has seen. */
export async function readStrategy(
  path: EnvironmentPlace & { strategyId: string },
): Promise<{ strategy: Strategy; etag: string }> {
  const call = api.GET(`${ENVIRONMENT}/strategies/{strategyId}`, { params: { path } });
  const strategy = await unwrap(call);
  return { strategy, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/** Replaces a strategy. The server rejects it with 412 if somebody changed it meanwhile. */
export const saveStrategy = (
  path: EnvironmentPlace & { strategyId: string },
  body: NewStrategy,
  etag: string,
): Promise<Strategy> =>
  unwrap(
    api.PUT(`${ENVIRONMENT}/strategies/{strategyId}`, {
      params: { path },
      body,
      headers: { 'If-Match': etag },
    }),
  );

export const addStrategy = (path: EnvironmentPlace, body: NewStrategy): Promise<Strategy> =>
  unwrap(api.POST(`${ENVIRONMENT}/strategies`, { params: { path }, body }));

export const deleteStrategy = (path: EnvironmentPlace & { strategyId: string }): Promise<unknown> =>
  unwrap(api.DELETE(`${ENVIRONMENT}/strategies/{strategyId}`, { params: { path } }));

export const orderStrategies = (path: EnvironmentPlace, ids: readonly string[]): Promise<unknown> =>
  unwrap(
    api.POST(`${ENVIRONMENT}/strategies/set-sort-order`, {
      params: { path },
      body: ids.map((id, sortOrder) => ({ id, sortOrder })),
    }),
  );

export const copyEnvironment = (path: EnvironmentPlace, from: string): Promise<unknown> =>
  unwrap(api.POST(`${ENVIRONMENT}/copy`, { params: { path }, body: { from } }));

/** The obstacles to archiving: children that depend on the flag. */
export const checkArchive = ({ projectId, featureName }: Place): Promise<schemas['ArchiveCheck']> =>
  unwrap(
    api.POST('/api/admin/projects/{projectId}/archive/validate', {
      params: { path: { projectId } },
      body: { features: [featureName] },
    }),
  );

export const archiveFeature = (path: Place): Promise<unknown> =>
  unwrap(api.DELETE(FEATURE, { params: { path } }));

export const reviveFeature = ({ featureName }: Place): Promise<unknown> =>
  unwrap(api.POST('/api/admin/archive/revive/{featureName}', { params: { path: { featureName } } }));

export const updateFeature = (path: Place, body: schemas['FeatureUpdate']): Promise<unknown> =>
  unwrap(api.PUT(FEATURE, { params: { path }, body }));

export const setFavorite = (path: Place, favorite: boolean): Promise<unknown> =>
  unwrap(
    favorite
      ? api.POST(`${FEATURE}/favorites`, { params: { path } })
      : api.DELETE(`${FEATURE}/favorites`, { params: { path } }),
  );
