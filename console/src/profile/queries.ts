import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/user/sessions', { signal }))).sessions,
});

export const endSession = (id: number) =>
  unwrap(api.DELETE('/api/admin/user/sessions/{id}', { params: { path: { id: String(id) } } }));

export const changePassword = (body: Schemas['OwnNewPassword']) =>
  unwrap(api.POST('/api/admin/user/change-password', { body }));
