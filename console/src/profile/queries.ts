import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/user/sessions', { signal }))).sessions,
});

export const endSession = (id: number) =>
  done(api.DELETE('/api/admin/user/sessions/{id}', { params: { path: { id: String(id) } } }));

export const changePassword = (body: Schemas['OwnNewPassword']) =>
  done(api.POST('/api/admin/user/change-password', { body }));
