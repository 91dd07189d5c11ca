import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { isFavoriteType } from '../ui/favorites.ts';

const SHOWN_EVENTS = 8;
/** More than the page shows, because it omits favorites. */
const READ_EVENTS = 24;

export const latestEventsQuery = queryOptions({
  queryKey: keys.latestEvents,
  queryFn: async ({ signal }) => {
    const params = { query: { limit: READ_EVENTS } };
    const { events } = await unwrap(api.GET('/api/admin/search/events', { params, signal }));
    return events.filter(({ type }) => !isFavoriteType(type)).slice(0, SHOWN_EVENTS);
  },
});

/** The first run uses the project and the environment that every new instance has. */
export const PROJECT = 'default';
export const ENVIRONMENT = 'development';
const REFRESH_MS = 3_000;

export type FirstFlag = Schemas['FoundFeature'];
export type FirstToken = Pick<Schemas['ApiToken'], 'id' | 'tokenName' | 'environment' | 'createdAt'>;

/** The newest flag; null without flags. */
export const firstFlagQuery = queryOptions({
  queryKey: [...keys.flags, 'first'],
  queryFn: ({ signal }) => {
    const query = { project: `IS:${PROJECT}`, sortBy: 'createdAt', sortOrder: 'desc', limit: 1 } as const;
    return unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
  },
  // A toggle changes the cached responses of all searches.
  select: ({ features }) => features[0] ?? null,
  refetchInterval: REFRESH_MS,
});

/** The newest token for SDKs; null without tokens, and for users who may not read them. */
export const firstTokenQuery = queryOptions({
  queryKey: [...keys.apiTokens, 'first'],
  queryFn: async ({ signal }): Promise<FirstToken | null> => {
    const { tokens } = await unwrap(api.GET('/api/admin/api-tokens', { signal }));
    const own = tokens.filter(({ environment }) => environment === ENVIRONMENT);
    return own.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0] ?? null;
  },
  refetchInterval: REFRESH_MS,
  retry: false,
});

/** Creates a token for the flags of the first run. Only this response has its secret. */
export const createToken = (type: 'backend' | 'frontend'): Promise<Schemas['ApiToken']> =>
  unwrap(
    api.POST('/api/admin/api-tokens', {
      body: { tokenName: `first-${type}-token`, type, environment: ENVIRONMENT, projects: [PROJECT] },
    }),
  );
