import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Role = Schemas['Role'];
export type RoleWithPermissions = Schemas['RoleWithPermissions'];

/** The built-in and custom roles. Requires READ_ROLE. */
export const rolesQuery = queryOptions({
  queryKey: keys.roles,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/roles', { signal }))).roles,
  staleTime: 5_000,
});

/** An instance has few roles. Each one is read by itself, because the list has no permissions. */
const MAX_ROLES = 30;

/** The names of the roles that have one of the permissions. Requires READ_ROLE. */
export const rolesWithQuery = (permissions: readonly string[]) =>
  queryOptions({
    queryKey: keys.rolesWith(permissions),
    queryFn: async ({ signal }) => {
      const { roles } = await unwrap(api.GET('/api/admin/roles', { signal }));
      const read = await Promise.all(
        roles
          .slice(0, MAX_ROLES)
          .map(({ id }) =>
            unwrap(
              api.GET('/api/admin/roles/{roleId}', { params: { path: { roleId: String(id) } }, signal }),
            ),
          ),
      );
      return read
        .filter(role => role.permissions.some(({ name }) => name === 'ADMIN' || permissions.includes(name)))
        .map(({ name }) => name);
    },
    staleTime: 60_000,
  });
