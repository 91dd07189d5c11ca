import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { isFavoriteType } from '../ui/favorites.ts';

const MAX_SHOWN_EVENTS = 8;
/** More than the page shows, because the page omits events about favorites. */
const MAX_READ_EVENTS = 24;

export const latestEventsQuery = queryOptions({
  queryKey: keys.latestEvents,
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MAX_READ_EVENTS } };
    const { events } = await unwrap(api.GET('/api/admin/search/events', { params, signal }));
    return events.filter(({ type }) => !isFavoriteType(type)).slice(0, MAX_SHOWN_EVENTS);
  },
});

/** The first run uses the project and the environment that every new instance has. */
export const PROJECT = 'default';
export const ENVIRONMENT = 'development';
const REFRESH_MS = 3_000;

export type NewestFlag = Schemas['FoundFeature'];
export type NewestToken = Pick<Schemas['ApiToken'], 'id' | 'tokenName' | 'environment' | 'createdAt'>;

/** The newest flag, or null if there is none. */
export const newestFlagQuery = queryOptions({
  queryKey: [...keys.flags, 'first'],
  queryFn: ({ signal }) => {
    const query = { project: `IS:${PROJECT}`, sortBy: 'createdAt', sortOrder: 'desc', limit: 1 } as const;
    return unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
  },
  // Caches the whole response, because a toggle updates the cached responses of all searches.
  select: ({ features }) => features[0] ?? null,
  refetchInterval: REFRESH_MS,
});

/** The newest token for SDKs, or null if there is no token or the user cannot read tokens. */
export const newestTokenQuery = queryOptions({
  queryKey: [...keys.apiTokens, 'first'],
  queryFn: async ({ signal }): Promise<NewestToken | null> => {
    const { tokens } = await unwrap(api.GET('/api/admin/api-tokens', { signal }));
    const environmentTokens = tokens.filter(({ environment }) => environment === ENVIRONMENT);
    return environmentTokens.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0] ?? null;
  },
  refetchInterval: REFRESH_MS,
  retry: false,
});

/** Creates a token for the first run. Only this response contains the secret. */
export const createToken = (type: 'backend' | 'frontend'): Promise<Schemas['ApiToken']> =>
  unwrap(
    api.POST('/api/admin/api-tokens', {
      body: { tokenName: `first-${type}-token`, type, environment: ENVIRONMENT, projects: [PROJECT] },
    }),
  );
