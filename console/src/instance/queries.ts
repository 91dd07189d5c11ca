import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Diagnostics = Schemas['Diagnostics'];

export const instanceQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance', { signal })),
});

/** Events about settings reach only users who may read them, so it is also polled from time to time. */
export const maintenanceQuery = queryOptions({
  queryKey: [...keys.settings, 'maintenance'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/maintenance', { signal })),
  refetchInterval: 30_000,
});

export const setMaintenance = (enabled: boolean): Promise<void> =>
  done(api.PUT('/api/admin/maintenance', { body: { enabled } }));

/** Changes by itself. Reading it takes several statements, so it is read only while somebody looks at it. */
export const diagnosticsQuery = queryOptions({
  queryKey: [...keys.instance, 'diagnostics'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance/diagnostics', { signal })),
  refetchInterval: 15_000,
});
