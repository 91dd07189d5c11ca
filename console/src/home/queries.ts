import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

const SHOWN_EVENTS = 8;

export const latestEventsQuery = queryOptions({
  queryKey: ['events', 'latest'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: SHOWN_EVENTS } };
    return (await unwrap(api.GET('/api/admin/search/events', { params, signal }))).events;
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
