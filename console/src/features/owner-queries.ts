import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Place } from './queries.ts';

/** `login` is the email address or username of somebody who also has a name, because others may know them by it. */
export type Candidate = Pick<Schemas['Owner'], 'type' | 'id' | 'name'> & { login?: string | undefined };
export type Owners = { owners: Schemas['Owner'][]; etag: string };

/** The owners of a flag, and the ETag that proves which list the page has seen. */
export const ownersQuery = (place: Place) =>
  queryOptions({
    queryKey: [...keys.feature(place), 'owners'],
    queryFn: async ({ signal }): Promise<Owners> => {
      const call = api.GET('/api/admin/projects/{projectId}/features/{featureName}/owners', {
        params: { path: place },
        signal,
      });
      const { owners } = await unwrap(call);
      return { owners, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    staleTime: 30_000,
  });

/** Everyone who can own a flag. */
export const candidatesQuery = queryOptions({
  queryKey: [...keys.users, 'candidates'],
  queryFn: async ({ signal }): Promise<Candidate[]> => {
    const { users, groups } = await unwrap(api.GET('/api/admin/user-admin/access', { signal }));
    return [
      ...users.map(({ id, name, username, email }) => ({
        type: 'user' as const,
        id,
        name: name || username || email || `User ${id}`,
        login: (name && (email || username)) || undefined,
      })),
      ...groups.map(({ id, name }) => ({ type: 'group' as const, id, name })),
    ];
  },
  staleTime: 30_000,
});

export const setOwners = (place: Place, owners: readonly Candidate[], etag: string): Promise<void> =>
  done(
    api.PUT('/api/admin/projects/{projectId}/features/{featureName}/owners', {
      params: { path: place },
      body: { owners: owners.map(({ type, id }) => ({ type, id })) },
      headers: { 'If-Match': etag },
    }),
  );
