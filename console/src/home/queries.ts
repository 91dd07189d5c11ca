import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { isFavoriteType } from '../ui/favorites.ts';

const SHOWN_EVENTS = 8;
/** More than the page shows, because it omits favorites. */
const READ_EVENTS = 24;

export const latestEventsQuery = queryOptions({
  queryKey: ['events', 'latest'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: READ_EVENTS } };
    const { events } = await unwrap(api.GET('/api/admin/search/events', { params, signal }));
    return events.filter(({ type }) => !isFavoriteType(type)).slice(0, SHOWN_EVENTS);
  },
});

export const flagCountQuery = queryOptions({
  queryKey: ['features', 'count'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/search/features', { params: { query: { limit: 1 } }, signal }))).total,
});

export const sdkTokensQuery = queryOptions({
  queryKey: ['api-tokens', 'home'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/api-tokens', { signal }))).tokens,
});
