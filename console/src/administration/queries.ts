import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** The counts that the navigation shows. */
export const statisticsQuery = queryOptions({
  queryKey: keys.statistics,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance-admin/statistics', { signal })),
  staleTime: 30_000,
});
