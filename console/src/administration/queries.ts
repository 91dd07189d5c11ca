import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

/** The numbers in the navigation. */
export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance-admin/statistics', { signal })),
  staleTime: 30_000,
});

/** After something was created or deleted: the numbers in the navigation. */
export const refreshCounts = (client: QueryClient): Promise<void> =>
  client.invalidateQueries(statisticsQuery);
