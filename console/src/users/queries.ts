import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';

export type User = Schemas['User'];

/** All users, and the root roles that can be granted. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin', { signal })),
  staleTime: 5_000,
});
