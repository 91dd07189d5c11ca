import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Edge = Schemas['Edge'];

/** Edges report to the server every 5 s. */
const REFRESH_MS = 5_000;

export const edgesQuery = queryOptions({
  queryKey: keys.edges,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/edges', { signal }))).edges,
  refetchInterval: REFRESH_MS,
});
