import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user/profile', { signal })),
  staleTime: 60_000,
});

/** Ends the session and loads the login page, so that no data of the user remains in memory. */
export async function logOut(): Promise<void> {
  await unwrap(api.POST('/logout'));
  location.assign('/login');
}
