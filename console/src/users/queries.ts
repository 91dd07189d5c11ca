import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';
import { showOptimistically } from '../ui/optimistic.ts';

export type User = Schemas['ListedUser'];
export type Access = Schemas['AccessOfUser'];
type UserList = Schemas['UserList'];

/** All users, and the root roles that can be granted. */
export const usersQuery = queryOptions({
  queryKey: keys.users,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin', { signal })),
  staleTime: 5_000,
});

const toPathParams = (id: number) => ({ params: { path: { id: String(id) } } });

/** A user and its ETag, which identifies the version that the admin has seen. */
export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.users, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/user-admin/{id}', { ...toPathParams(id), signal });
      const user = await unwrap(call);
      return { user, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** What the user may do and why. */
export const accessQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.users, id, 'access'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/admin/user-admin/{id}/access', { ...toPathParams(id), signal })),
    staleTime: 5_000,
  });

/** Reads what the user owns, which has to be handed over before the user leaves. */
export const readOwnedItems = (id: number, signal?: AbortSignal) =>
  unwrap(api.GET('/api/admin/user-admin/{id}/owned', { ...toPathParams(id), ...(signal && { signal }) }));

export const ownedQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.owned, id],
    queryFn: ({ signal }) => readOwnedItems(id, signal),
    staleTime: 5_000,
  });

export const createUser = (body: Schemas['NewUser']) => unwrap(api.POST('/api/admin/user-admin', { body }));

export const updateUser = (id: number, body: Schemas['UserUpdate'], etag: string): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/user-admin/{id}', { ...toPathParams(id), body, headers: { 'If-Match': etag } }),
  );

/** Changes only the root role. The list shows the change immediately. */
export async function setRootRole(client: QueryClient, user: User, rootRole: number): Promise<void> {
  await showOptimistically<number | null>(client, {
    subject: `root role of user ${user.id}`,
    views: [
      {
        filters: { queryKey: usersQuery.queryKey, exact: true },
        patch: (list: UserList, shownRole) => ({
          ...list,
          users: list.users.map(listedUser =>
            listedUser.id === user.id ? { ...listedUser, rootRole: shownRole } : listedUser,
          ),
        }),
      },
    ],
    change: rootRole,
    undo: user.rootRole,
    send: () =>
      ensureApplied(api.PUT('/api/admin/user-admin/{id}', { ...toPathParams(user.id), body: { rootRole } })),
  });
}

export const deleteUser = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/user-admin/{id}', toPathParams(id)));

export const deactivateUser = (id: number): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user-admin/{id}/deactivate', toPathParams(id)));

export const reactivateUser = (id: number): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user-admin/{id}/reactivate', toPathParams(id)));

export const createResetLink = (id: number) =>
  unwrap(api.POST('/api/admin/user-admin/reset-password', { body: { id } }));

export const endSessions = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/user-admin/{id}/sessions', toPathParams(id)));

/** The users without a request for 180 days, the longest inactive first. */
export const inactiveQuery = queryOptions({
  queryKey: [...keys.users, 'inactive'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/user-admin/inactive', { signal }))).inactiveUsers,
});

/** Deletes all these users, or none if one of them is no longer inactive. */
export const deleteInactiveUsers = (ids: number[]): Promise<void> =>
  ensureApplied(api.POST('/api/admin/user-admin/inactive/delete', { body: { ids } }));

/** Returns the subject of the events that change a user. */
export const buildSubject = (id: number): Subject => ({
  types: ['user-created', 'user-updated', 'user-deactivated', 'user-reactivated'],
  isAbout: ({ data, preData }) => (data?.id ?? preData?.id) === id,
});
