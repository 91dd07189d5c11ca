import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';
import { showOptimistically } from '../ui/optimistic.ts';

export type User = Schemas['ListedUser'];
export type Access = Schemas['AccessOfUser'];
type Listed = Schemas['UserList'];

/** All users, and the root roles that can be granted. */
export const usersQuery = queryOptions({
  queryKey: keys.users,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin', { signal })),
  staleTime: 5_000,
});

const pathOf = (id: number) => ({ params: { path: { id: String(id) } } });

/** A user, and the ETag that proves which state the page has seen. */
export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.users, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/user-admin/{id}', { ...pathOf(id), signal });
      const user = await unwrap(call);
      return { user, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** What the user may do and why. */
export const accessQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.users, id, 'access'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin/{id}/access', { ...pathOf(id), signal })),
    staleTime: 5_000,
  });

/** What the user owns, to be handed over before they leave. */
export const ownedQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.users, id, 'owned'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin/{id}/owned', { ...pathOf(id), signal })),
    staleTime: 5_000,
  });

export const createUser = (body: Schemas['NewUser']) => unwrap(api.POST('/api/admin/user-admin', { body }));

export const updateUser = (id: number, body: Schemas['UserUpdate'], etag: string): Promise<void> =>
  done(api.PUT('/api/admin/user-admin/{id}', { ...pathOf(id), body, headers: { 'If-Match': etag } }));

/** Changes the root role only. The list shows it immediately. */
export async function setRootRole(client: QueryClient, user: User, rootRole: number): Promise<void> {
  await showOptimistically<number | null>(client, {
    subject: `root role of user ${user.id}`,
    places: [
      {
        filters: { queryKey: usersQuery.queryKey, exact: true },
        patch: (listed: Listed, shown) => ({
          ...listed,
          users: listed.users.map(one => (one.id === user.id ? { ...one, rootRole: shown } : one)),
        }),
      },
    ],
    change: rootRole,
    undo: user.rootRole,
    send: () => done(api.PUT('/api/admin/user-admin/{id}', { ...pathOf(user.id), body: { rootRole } })),
  });
}

export const deleteUser = (id: number): Promise<void> =>
  done(api.DELETE('/api/admin/user-admin/{id}', pathOf(id)));

export const deactivateUser = (id: number): Promise<void> =>
  done(api.POST('/api/admin/user-admin/{id}/deactivate', pathOf(id)));

export const reactivateUser = (id: number): Promise<void> =>
  done(api.POST('/api/admin/user-admin/{id}/reactivate', pathOf(id)));

export const createResetLink = (id: number) =>
  unwrap(api.POST('/api/admin/user-admin/reset-password', { body: { id } }));

export const endSessions = (id: number): Promise<void> =>
  done(api.DELETE('/api/admin/user-admin/{id}/sessions', pathOf(id)));

/** The users without a request for 180 days, the longest inactive first. */
export const inactiveQuery = queryOptions({
  queryKey: [...keys.users, 'inactive'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/user-admin/inactive', { signal }))).inactiveUsers,
});

/** Deletes all of them, or none if one of them is no longer inactive. */
export const deleteInactiveUsers = (ids: number[]): Promise<void> =>
  done(api.POST('/api/admin/user-admin/inactive/delete', { body: { ids } }));

/** The events that change a user. */
export const subjectOf = (id: number): Subject => ({
  types: ['user-created', 'user-updated', 'user-deactivated', 'user-reactivated'],
  isAbout: ({ data, preData }) => (data?.id ?? preData?.id) === id,
});
