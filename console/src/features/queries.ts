import { type QueryClient, queryOptions, useQueries } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap, unwrapIfAvailable } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { reasonHeader } from '../api/reason.ts';
import { type CachedView, showOptimistically } from '../ui/optimistic.ts';

export type Feature = schemas['Feature'];
export type FeatureEnvironment = schemas['FeatureEnvironment'];
export type Strategy = schemas['FeatureStrategy'];
export type NewStrategy = schemas['NewStrategy'];
export type Constraint = schemas['Constraint'];
export type Segment = schemas['Segment'];
export type ContextField = schemas['ContextField'];
export type Dependency = schemas['Dependency'];
export type FeatureLink = schemas['FeatureLink'];
export type Tag = schemas['Tag'];
export type Completion = schemas['FeatureCompletion'];

/** The path parameters of a flag. */
export type FeaturePath = { projectId: string; featureName: string };
/** The path parameters of a flag in an environment. */
export type FlagInEnvironment = FeaturePath & { environment: string };

const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';
const ENVIRONMENT = `${FEATURE}/environments/{environment}` as const;
/** As often as the server writes the counts that SDKs report. */
const USAGE_REFRESH_MS = 10_000;

export const featureQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: keys.feature(path),
    queryFn: ({ signal }) => unwrap(api.GET(FEATURE, { params: { path }, signal })),
  });

/** Returns the flag's parents, as far as they are loaded. */
export const useParents = (feature: Feature): Feature[] =>
  useQueries({
    queries: feature.dependencies.map(parent =>
      featureQuery({ projectId: feature.project, featureName: parent.feature }),
    ),
    combine: results => results.flatMap(({ data }) => data ?? []),
  });

export const segmentsQuery = queryOptions({
  queryKey: keys.segments,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/segments', { signal })),
  staleTime: 30_000,
});

export const contextQuery = queryOptions({
  queryKey: keys.contextFields,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/context', { signal })),
  staleTime: 60_000,
});

/** More than the page shows, because the page hides events about favorites. */
const MAX_RECENT_EVENTS = 16;

/** The newest events of a flag, including those from before it moved to its project. */
export const recentEventsQuery = ({ featureName }: FeaturePath) =>
  queryOptions({
    queryKey: keys.featureEvents(featureName),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: {
            query: { feature: `IS:${featureName}`, limit: MAX_RECENT_EVENTS, parts: 'true' },
          },
          signal,
        }),
      ),
  });

type FlagEvent = schemas['Event'];

/** Finds a recent event of a flag. Returns undefined after an error, because the event only explains a conflict. */
export async function findChange(
  { featureName }: FeaturePath,
  matches: (event: FlagEvent) => boolean,
): Promise<FlagEvent | undefined> {
  const query = { feature: `IS:${featureName}`, limit: MAX_RECENT_EVENTS };
  const result = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return result?.events.find(matches);
}

/** The newest event of a flag in an environment. */
export const lastChangeQuery = ({ featureName, environment }: FlagInEnvironment) =>
  queryOptions({
    queryKey: [...keys.featureEvents(featureName), environment],
    queryFn: async ({ signal }) => {
      const query = { feature: `IS:${featureName}`, environment: `IS:${environment}`, limit: 1 };
      const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query }, signal }));
      return events[0] ?? null;
    },
  });

/**
 * Returns the id of the strategy that was added when the flag was last enabled in the environment, or undefined if none was
 * added or somebody has changed the flag there since.
 */
export async function findAddedStrategy({
  featureName,
  environment,
}: FlagInEnvironment): Promise<string | undefined> {
  const query = { feature: `IS:${featureName}`, environment: `IS:${environment}`, limit: 2 };
  const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query } }));
  const [newestEvent] = events;
  const wasEnabled = events.some(({ type }) => type === 'feature-environment-enabled');
  const strategyEvent = events.find(
    ({ type, groupId }) => type === 'feature-strategy-add' && groupId === newestEvent?.groupId,
  );
  return wasEnabled && typeof strategyEvent?.data?.id === 'string' ? strategyEvent.data.id : undefined;
}

export const driftQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: keys.drift(path),
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/drift`, { params: { path }, signal })),
  });

/** How many times SDKs evaluated the flag, by hour for up to 48 h and by day for longer times. */
export const usageQuery = (featureName: string, hoursBack: number) =>
  queryOptions({
    queryKey: keys.usage(featureName, hoursBack),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/client-metrics/features/{featureName}/raw', {
          params: { path: { featureName }, query: { hoursBack } },
          signal,
        }),
      ),
    refetchInterval: USAGE_REFRESH_MS,
  });

/** The clones of this flag, newest first. */
export const copiesQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: keys.copies(path),
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/copies`, { params: { path }, signal })),
  });

type SearchResult = schemas['FeatureSearchResult'];
type Change = { favorite?: boolean; environment?: { name: string; enabled: boolean } };

const withChange = <
  T extends Pick<Feature, 'favorite'> & { environments: { name: string; enabled: boolean }[] },
>(
  flag: T,
  { favorite = flag.favorite, environment }: Change,
): T => ({
  ...flag,
  favorite,
  environments: flag.environments.map(current =>
    current.name === environment?.name ? { ...current, ...environment } : current,
  ),
});

/** Returns the cached views that show a flag: its own page and all loaded lists. */
const listCachedViews = (path: FeaturePath): CachedView<Change>[] => [
  { filters: { queryKey: featureQuery(path).queryKey, exact: true }, patch: withChange<Feature> },
  {
    filters: { queryKey: keys.flags },
    patch: (result: SearchResult, change) => ({
      ...result,
      features: result.features.map(feature =>
        feature.project === path.projectId && feature.name === path.featureName
          ? withChange(feature, change)
          : feature,
      ),
    }),
  },
];

/** Enables or disables a flag in an environment. With an ETag, the server rejects the request with 412 if somebody has changed the flag there. */
export async function setEnabled(
  client: QueryClient,
  path: FlagInEnvironment,
  enabled: boolean,
  { etag, reason }: { etag?: string; reason?: string } = {},
): Promise<void> {
  const headers = { ...(etag === undefined ? {} : { 'If-Match': etag }), ...reasonHeader(reason) };
  const { featureName, environment: name } = path;
  await showOptimistically(client, {
    subject: `${featureName} in ${name}`,
    views: listCachedViews(path),
    change: { environment: { name, enabled } },
    undo: { environment: { name, enabled: !enabled } },
    send: () =>
      ensureApplied(
        enabled
          ? api.POST(`${ENVIRONMENT}/on`, { params: { path }, headers })
          : api.POST(`${ENVIRONMENT}/off`, { params: { path }, headers }),
      ),
  });
}

/** Adds a flag to the user's favorites, or removes it. */
export async function setFavorite(client: QueryClient, path: FeaturePath, favorite: boolean): Promise<void> {
  await showOptimistically(client, {
    subject: `favorite ${path.featureName}`,
    views: listCachedViews(path),
    change: { favorite },
    undo: { favorite: !favorite },
    send: () =>
      ensureApplied(
        favorite
          ? api.POST(`${FEATURE}/favorites`, { params: { path } })
          : api.DELETE(`${FEATURE}/favorites`, { params: { path } }),
      ),
  });
}

/** Reads a strategy and its ETag, so that a save can prove which state the user has seen. */
export async function readStrategy(
  path: FlagInEnvironment & { strategyId: string },
): Promise<{ strategy: Strategy; etag: string }> {
  const call = api.GET(`${ENVIRONMENT}/strategies/{strategyId}`, { params: { path } });
  const strategy = await unwrap(call);
  return { strategy, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/** Replaces a strategy. The server rejects the request with 412 if somebody else has changed the strategy in the meantime. */
export const saveStrategy = (
  path: FlagInEnvironment & { strategyId: string },
  body: NewStrategy,
  etag: string,
  reason: string,
): Promise<void> =>
  ensureApplied(
    api.PUT(`${ENVIRONMENT}/strategies/{strategyId}`, {
      params: { path },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

export const addStrategy = (path: FlagInEnvironment, body: NewStrategy, reason: string): Promise<void> =>
  ensureApplied(
    api.POST(`${ENVIRONMENT}/strategies`, { params: { path }, body, headers: reasonHeader(reason) }),
  );

export const deleteStrategy = (
  path: FlagInEnvironment & { strategyId: string },
  reason: string,
): Promise<void> =>
  ensureApplied(
    api.DELETE(`${ENVIRONMENT}/strategies/{strategyId}`, { params: { path }, headers: reasonHeader(reason) }),
  );

export const orderStrategies = (
  path: FlagInEnvironment,
  ids: readonly string[],
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.POST(`${ENVIRONMENT}/strategies/set-sort-order`, {
      params: { path },
      body: ids.map((id, sortOrder) => ({ id, sortOrder })),
      headers: reasonHeader(reason),
    }),
  );

/** Reads an environment of a flag and its ETag, so that a save can prove which state the user has seen. */
export async function readEnvironment(
  path: FlagInEnvironment,
): Promise<{ environment: FeatureEnvironment; etag: string }> {
  const call = api.GET(ENVIRONMENT, { params: { path } });
  const environment = await unwrap(call);
  return { environment, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/**
 * Copies an environment and returns the target. The server rejects the request with 412 if somebody has changed the target in the
 * meantime. Returns undefined if the server carried out the copy, but no longer has the response.
 */
export const copyEnvironment = (
  path: FlagInEnvironment,
  sourceName: string,
  etag: string,
): Promise<FeatureEnvironment | undefined> =>
  unwrapIfAvailable(
    api.POST(`${ENVIRONMENT}/copy`, {
      params: { path },
      body: { from: sourceName },
      headers: { 'If-Match': etag },
    }),
  );

/** Replaces all strategies in one change. The server rejects the request with 412 if the environment has changed in the meantime. */
export const replaceStrategies = (
  path: FlagInEnvironment,
  body: schemas['StrategyList'],
  etag: string,
): Promise<void> =>
  ensureApplied(
    api.PUT(`${ENVIRONMENT}/strategies`, { params: { path }, body, headers: { 'If-Match': etag } }),
  );

/** Replaces the variants. The server rejects the request with 412 if the environment has changed in the meantime. */
export const replaceVariants = (
  path: FlagInEnvironment,
  body: schemas['Variants'],
  etag: string,
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.PUT(`${ENVIRONMENT}/variants`, {
      params: { path },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

/** Finds the flag's children, which prevent archiving it. */
export const checkArchive = ({ projectId, featureName }: FeaturePath): Promise<schemas['ArchiveCheck']> =>
  unwrap(
    api.POST('/api/admin/projects/{projectId}/archive/validate', {
      params: { path: { projectId } },
      body: { features: [featureName] },
      fetch: sendRead,
    }),
  );

export const archiveFeature = (path: FeaturePath, reason: string): Promise<void> =>
  ensureApplied(api.DELETE(FEATURE, { params: { path }, headers: reasonHeader(reason) }));

export const reviveFeature = ({ featureName }: FeaturePath, reason?: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/archive/revive/{featureName}', {
      params: { path: { featureName } },
      headers: reasonHeader(reason),
    }),
  );

/** Deletes an archived flag permanently. */
export const deleteFeature = ({ featureName }: FeaturePath, reason: string): Promise<void> =>
  ensureApplied(
    api.DELETE('/api/admin/archive/{featureName}', {
      params: { path: { featureName } },
      headers: reasonHeader(reason),
    }),
  );

/** Changes the settings in the body. With an ETag, the server rejects the request with 412 if the flag has changed in the meantime. */
export const updateFeature = (
  path: FeaturePath,
  body: schemas['FeatureUpdate'],
  { etag, reason }: { etag?: string; reason?: string } = {},
): Promise<void> =>
  ensureApplied(
    api.PUT(FEATURE, {
      params: { path },
      body,
      headers: { ...(etag === undefined ? {} : { 'If-Match': etag }), ...reasonHeader(reason) },
    }),
  );

/** A flag and its ETag, so that a save can prove which state the user has seen. */
export const settingsQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'settings'],
    queryFn: async ({ signal }) => {
      const call = api.GET(FEATURE, { params: { path }, signal });
      const feature = await unwrap(call);
      return { feature, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    staleTime: 0,
  });

export const moveFeature = (path: FeaturePath, newProjectId: string, reason: string): Promise<void> =>
  ensureApplied(
    api.POST(`${FEATURE}/changeProject`, {
      params: { path },
      body: { newProjectId },
      headers: reasonHeader(reason),
    }),
  );

export const changeTags = (
  { featureName }: FeaturePath,
  body: schemas['TagChange'],
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/features/{featureName}/tags', {
      params: { path: { featureName } },
      body,
      headers: reasonHeader(reason),
    }),
  );

export const tagTypesQuery = queryOptions({
  queryKey: keys.tagTypes,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/tag-types', { signal }))).tagTypes,
  staleTime: 60_000,
});

/** The existing tags of a type. */
export const tagsQuery = (type: string) =>
  queryOptions({
    queryKey: [...keys.tags, type],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/admin/tags/{type}', { params: { path: { type } }, signal }))).tags,
    staleTime: 30_000,
  });

export const addLink = (path: FeaturePath, body: schemas['FeatureLinkInput']): Promise<void> =>
  ensureApplied(api.POST(`${FEATURE}/link`, { params: { path }, body }));

export const updateLink = (
  path: FeaturePath & { linkId: string },
  body: schemas['FeatureLinkInput'],
): Promise<void> => ensureApplied(api.PUT(`${FEATURE}/link/{linkId}`, { params: { path }, body }));

export const deleteLink = (path: FeaturePath & { linkId: string }): Promise<void> =>
  ensureApplied(api.DELETE(`${FEATURE}/link/{linkId}`, { params: { path } }));

/** The flags that can become a parent of this flag. */
export const possibleParentsQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'possible-parents'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/parents`, { params: { path }, signal })),
  });

/** The variants that a child can require from this flag. */
export const parentVariantsQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'parent-variants'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/parent-variants`, { params: { path }, signal })),
  });

/** Adds a parent, or replaces its condition. */
export const setParent = (
  path: FeaturePath,
  body: schemas['NewDependency'],
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.POST(`${FEATURE}/dependencies`, { params: { path }, body, headers: reasonHeader(reason) }),
  );

export const deleteParent = (path: FeaturePath & { parent: string }, reason?: string): Promise<void> =>
  ensureApplied(
    api.DELETE(`${FEATURE}/dependencies/{parent}`, { params: { path }, headers: reasonHeader(reason) }),
  );

/** Every stage that the flag has reached, oldest first. */
export const lifecycleQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'lifecycle'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/lifecycle`, { params: { path }, signal })),
  });

export const completeFeature = (path: FeaturePath, body: Completion): Promise<void> =>
  ensureApplied(api.POST(`${FEATURE}/lifecycle/complete`, { params: { path }, body }));

export const uncompleteFeature = (path: FeaturePath): Promise<void> =>
  ensureApplied(api.POST(`${FEATURE}/lifecycle/uncomplete`, { params: { path } }));
