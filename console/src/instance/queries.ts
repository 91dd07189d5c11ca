import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Diagnostics = Schemas['Diagnostics'];

export const instanceQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance', { signal })),
});

/** Events about settings reach only users who may read them, so the state is also polled occasionally. */
export const maintenanceQuery = queryOptions({
  queryKey: [...keys.settings, 'maintenance'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/maintenance', { signal })),
  refetchInterval: 30_000,
});

export const setMaintenance = (enabled: boolean): Promise<void> =>
  ensureApplied(api.PUT('/api/admin/maintenance', { body: { enabled } }));

/** Polled because no event reports its changes. Only the instance page reads it, because reading takes several statements. */
export const diagnosticsQuery = queryOptions({
  queryKey: [...keys.instance, 'diagnostics'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance/diagnostics', { signal })),
  refetchInterval: 15_000,
});
