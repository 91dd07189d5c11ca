import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Diagnostics = Schemas['Diagnostics'];

export const instanceQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance', { signal })),
});

/** Changes by itself. Reading it takes several statements, so it is read only while somebody looks at it. */
export const diagnosticsQuery = queryOptions({
  queryKey: [...keys.instance, 'diagnostics'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance/diagnostics', { signal })),
  refetchInterval: 15_000,
});
