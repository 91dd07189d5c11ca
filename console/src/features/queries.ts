import { type QueryClient, queryOptions, useQueries } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, done, sendRead, unlessCarriedOut, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { because } from '../api/reason.ts';
import { type Shown, showOptimistically } from '../ui/optimistic.ts';

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

/** A flag of a project. */
export type Place = { projectId: string; featureName: string };
/** A flag in an environment. */
export type EnvironmentPlace = Place & { environment: string };

const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';
const ENVIRONMENT = `${FEATURE}/environments/{environment}` as const;
/** The server writes the counts of SDKs every 10 s. */
const USAGE_REFRESH_MS = 10_000;

export const featureQuery = (path: Place) =>
  queryOptions({
    queryKey: keys.feature(path),
    queryFn: ({ signal }) => unwrap(api.GET(FEATURE, { params: { path }, signal })),
  });

/** The parents of a flag, as far as they are loaded. */
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

/** More than the page shows, because favorites do not change the flag. */
const RECENT = 16;

/** The newest events of a flag, including those from before it moved to its project. */
export const recentEventsQuery = ({ featureName }: Place) =>
  queryOptions({
    queryKey: keys.eventsOf(featureName),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: {
            query: { feature: `IS:${featureName}`, limit: RECENT, parts: 'true' },
          },
          signal,
        }),
      ),
  });

type EventOfFlag = schemas['Event'];

/** The newest events of a flag, read now. Returns none after an error, because they only explain a conflict. */
export async function findChange(
  { featureName }: Place,
  matches: (event: EventOfFlag) => boolean,
): Promise<EventOfFlag | undefined> {
  const query = { feature: `IS:${featureName}`, limit: RECENT };
  const found = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return found?.events.find(matches);
}

/** The newest event of a flag in an environment. */
export const lastChangeQuery = ({ featureName, environment }: EnvironmentPlace) =>
  queryOptions({
    queryKey: [...keys.eventsOf(featureName), environment],
    queryFn: async ({ signal }) => {
      const query = { feature: `IS:${featureName}`, environment: `IS:${environment}`, limit: 1 };
      const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query }, signal }));
      return events[0] ?? null;
    },
  });

/**
 * The strategy that the newest change of the flag in the environment added while it enabled the flag. Undefined if it
 * added none, or if somebody changed the flag there since.
 */
export async function findStrategyOfEnabling({
  featureName,
  environment,
}: EnvironmentPlace): Promise<string | undefined> {
  const query = { feature: `IS:${featureName}`, environment: `IS:${environment}`, limit: 2 };
  const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query } }));
  const [newest] = events;
  const isOfEnabling = events.some(({ type }) => type === 'feature-environment-enabled');
  const added = events.find(
    ({ type, groupId }) => type === 'feature-strategy-add' && groupId === newest?.groupId,
  );
  return isOfEnabling && typeof added?.data?.id === 'string' ? added.data.id : undefined;
}

export const driftQuery = (path: Place) =>
  queryOptions({
    queryKey: keys.drift(path),
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/drift`, { params: { path }, signal })),
  });

/** How often SDKs evaluated the flag: by hour up to 48 h, by day beyond. */
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

/** The flags that were cloned from this one, newest first. */
export const copiesQuery = (path: Place) =>
  queryOptions({
    queryKey: keys.copies(path),
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/copies`, { params: { path }, signal })),
  });

type Found = schemas['FeatureSearchResult'];
type Change = { favorite?: boolean; environment?: { name: string; enabled: boolean } };

const withChange = <
  T extends Pick<Feature, 'favorite'> & { environments: { name: string; enabled: boolean }[] },
>(
  flag: T,
  { favorite = flag.favorite, environment }: Change,
): T => ({
  ...flag,
  favorite,
  environments: flag.environments.map(one =>
    one.name === environment?.name ? { ...one, ...environment } : one,
  ),
});

/** Where a flag is shown: on its page and in all loaded lists. */
const placesOf = (path: Place): Shown<Change>[] => [
  { filters: { queryKey: featureQuery(path).queryKey, exact: true }, patch: withChange<Feature> },
  {
    filters: { queryKey: keys.flags },
    patch: (found: Found, change) => ({
      ...found,
      features: found.features.map(one =>
        one.project === path.projectId && one.name === path.featureName ? withChange(one, change) : one,
      ),
    }),
  },
];

/** Enables or disables a flag in an environment. With an ETag, the server rejects it with 412 if somebody changed it meanwhile. */
export async function setEnabled(
  client: QueryClient,
  path: EnvironmentPlace,
  enabled: boolean,
  { etag, reason }: { etag?: string; reason?: string } = {},
): Promise<void> {
  const headers = { ...(etag === undefined ? {} : { 'If-Match': etag }), ...because(reason) };
  const { featureName, environment: name } = path;
  await showOptimistically(client, {
    subject: `${featureName} in ${name}`,
    places: placesOf(path),
    change: { environment: { name, enabled } },
    undo: { environment: { name, enabled: !enabled } },
    send: () =>
      done(
        enabled
          ? api.POST(`${ENVIRONMENT}/on`, { params: { path }, headers })
          : api.POST(`${ENVIRONMENT}/off`, { params: { path }, headers }),
      ),
  });
}

/** Adds a flag to the favorites of the user, or removes it. */
export async function setFavorite(client: QueryClient, path: Place, favorite: boolean): Promise<void> {
  await showOptimistically(client, {
    subject: `favorite ${path.featureName}`,
    places: placesOf(path),
    change: { favorite },
    undo: { favorite: !favorite },
    send: () =>
      done(
        favorite
          ? api.POST(`${FEATURE}/favorites`, { params: { path } })
          : api.DELETE(`${FEATURE}/favorites`, { params: { path } }),
      ),
  });
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
  reason: string,
): Promise<void> =>
  done(
    api.PUT(`${ENVIRONMENT}/strategies/{strategyId}`, {
      params: { path },
      body,
      headers: { 'If-Match': etag, ...because(reason) },
    }),
  );

export const addStrategy = (path: EnvironmentPlace, body: NewStrategy, reason: string): Promise<void> =>
  done(api.POST(`${ENVIRONMENT}/strategies`, { params: { path }, body, headers: because(reason) }));

export const deleteStrategy = (
  path: EnvironmentPlace & { strategyId: string },
  reason: string,
): Promise<void> =>
  done(api.DELETE(`${ENVIRONMENT}/strategies/{strategyId}`, { params: { path }, headers: because(reason) }));

export const orderStrategies = (
  path: EnvironmentPlace,
  ids: readonly string[],
  reason?: string,
): Promise<void> =>
  done(
    api.POST(`${ENVIRONMENT}/strategies/set-sort-order`, {
      params: { path },
      body: ids.map((id, sortOrder) => ({ id, sortOrder })),
      headers: because(reason),
    }),
  );

/** A flag in an environment, and the ETag that proves which state the user has seen. */
export async function readEnvironment(
  path: EnvironmentPlace,
): Promise<{ environment: FeatureEnvironment; etag: string }> {
  const call = api.GET(ENVIRONMENT, { params: { path } });
  const environment = await unwrap(call);
  return { environment, etag: (await call).response.headers.get('ETag') ?? '*' };
}

/**
 * Copies an environment and returns the target. The server rejects it with 412 if somebody changed the target meanwhile. Undefined:
 * the server carried out the copy, and no longer has the response.
 */
export const copyEnvironment = (
  path: EnvironmentPlace,
  from: string,
  etag: string,
): Promise<FeatureEnvironment | undefined> =>
  unlessCarriedOut(
    api.POST(`${ENVIRONMENT}/copy`, { params: { path }, body: { from }, headers: { 'If-Match': etag } }),
  );

/** Replaces all strategies in one change. The server rejects it with 412 if somebody changed the environment meanwhile. */
export const replaceStrategies = (
  path: EnvironmentPlace,
  body: schemas['StrategyList'],
  etag: string,
): Promise<void> =>
  done(api.PUT(`${ENVIRONMENT}/strategies`, { params: { path }, body, headers: { 'If-Match': etag } }));

/** Replaces the variants. The server rejects it with 412 if somebody changed the environment meanwhile. */
export const replaceVariants = (
  path: EnvironmentPlace,
  body: schemas['Variants'],
  etag: string,
  reason?: string,
): Promise<void> =>
  done(
    api.PUT(`${ENVIRONMENT}/variants`, {
      params: { path },
      body,
      headers: { 'If-Match': etag, ...because(reason) },
    }),
  );

/** The obstacles to archiving: children that depend on the flag. */
export const checkArchive = ({ projectId, featureName }: Place): Promise<schemas['ArchiveCheck']> =>
  unwrap(
    api.POST('/api/admin/projects/{projectId}/archive/validate', {
      params: { path: { projectId } },
      body: { features: [featureName] },
      fetch: sendRead,
    }),
  );

export const archiveFeature = (path: Place, reason: string): Promise<void> =>
  done(api.DELETE(FEATURE, { params: { path }, headers: because(reason) }));

export const reviveFeature = ({ featureName }: Place, reason?: string): Promise<void> =>
  done(
    api.POST('/api/admin/archive/revive/{featureName}', {
      params: { path: { featureName } },
      headers: because(reason),
    }),
  );

/** Deletes an archived flag permanently. */
export const deleteFeature = ({ featureName }: Place, reason: string): Promise<void> =>
  done(
    api.DELETE('/api/admin/archive/{featureName}', {
      params: { path: { featureName } },
      headers: because(reason),
    }),
  );

/** Changes the named settings. With an ETag, the server rejects it with 412 if somebody changed the flag meanwhile. */
export const updateFeature = (
  path: Place,
  body: schemas['FeatureUpdate'],
  { etag, reason }: { etag?: string; reason?: string } = {},
): Promise<void> =>
  done(
    api.PUT(FEATURE, {
      params: { path },
      body,
      headers: { ...(etag === undefined ? {} : { 'If-Match': etag }), ...because(reason) },
    }),
  );

/** A flag and the ETag that proves which state the user has seen. */
export const settingsQuery = (path: Place) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'settings'],
    queryFn: async ({ signal }) => {
      const call = api.GET(FEATURE, { params: { path }, signal });
      const feature = await unwrap(call);
      return { feature, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    staleTime: 0,
  });

export const moveFeature = (path: Place, newProjectId: string, reason: string): Promise<void> =>
  done(
    api.POST(`${FEATURE}/changeProject`, {
      params: { path },
      body: { newProjectId },
      headers: because(reason),
    }),
  );

export const changeTags = (
  { featureName }: Place,
  body: schemas['TagChange'],
  reason?: string,
): Promise<void> =>
  done(
    api.PUT('/api/admin/features/{featureName}/tags', {
      params: { path: { featureName } },
      body,
      headers: because(reason),
    }),
  );

export const tagTypesQuery = queryOptions({
  queryKey: keys.tagTypes,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/tag-types', { signal }))).tagTypes,
  staleTime: 60_000,
});

/** The tags of a type that exist. */
export const tagsQuery = (type: string) =>
  queryOptions({
    queryKey: [...keys.tags, type],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/admin/tags/{type}', { params: { path: { type } }, signal }))).tags,
    staleTime: 30_000,
  });

export const addLink = (path: Place, body: schemas['FeatureLinkInput']): Promise<void> =>
  done(api.POST(`${FEATURE}/link`, { params: { path }, body }));

export const updateLink = (
  path: Place & { linkId: string },
  body: schemas['FeatureLinkInput'],
): Promise<void> => done(api.PUT(`${FEATURE}/link/{linkId}`, { params: { path }, body }));

export const deleteLink = (path: Place & { linkId: string }): Promise<void> =>
  done(api.DELETE(`${FEATURE}/link/{linkId}`, { params: { path } }));

/** The flags that can become a parent of this one. */
export const possibleParentsQuery = (path: Place) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'possible-parents'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/parents`, { params: { path }, signal })),
  });

/** The variants that a child can require from this flag. */
export const parentVariantsQuery = (path: Place) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'parent-variants'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/parent-variants`, { params: { path }, signal })),
  });

/** Adds a parent, or replaces the conditions of one. */
export const setParent = (path: Place, body: schemas['NewDependency'], reason?: string): Promise<void> =>
  done(api.POST(`${FEATURE}/dependencies`, { params: { path }, body, headers: because(reason) }));

export const deleteParent = (path: Place & { parent: string }, reason?: string): Promise<void> =>
  done(api.DELETE(`${FEATURE}/dependencies/{parent}`, { params: { path }, headers: because(reason) }));

/** Every stage that the flag has reached, oldest first. */
export const lifecycleQuery = (path: Place) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'lifecycle'],
    queryFn: ({ signal }) => unwrap(api.GET(`${FEATURE}/lifecycle`, { params: { path }, signal })),
  });

export const completeFeature = (path: Place, body: Completion): Promise<void> =>
  done(api.POST(`${FEATURE}/lifecycle/complete`, { params: { path }, body }));

export const uncompleteFeature = (path: Place): Promise<void> =>
  done(api.POST(`${FEATURE}/lifecycle/uncomplete`, { params: { path } }));
