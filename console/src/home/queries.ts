import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
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

export const flagCountQuery = queryOptions({
  queryKey: keys.flagCount,
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/search/features', { params: { query: { limit: 1 } }, signal }))).total,
});

export const sdkTokensQuery = queryOptions({
  queryKey: keys.apiTokens,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/api-tokens', { signal }))).tokens,
});
