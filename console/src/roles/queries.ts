import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type Role = Schemas['Role'];
export type RoleWithPermissions = Schemas['RoleWithPermissions'];
export type Permissions = Schemas['PermissionsByScope'];

/** The built-in and custom roles. Requires READ_ROLE. */
export const rolesQuery = queryOptions({
  queryKey: keys.roles,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/roles', { signal }))).roles,
  staleTime: 5_000,
});

/** The maximum number of roles to read. Each role is read separately, because the list does not include permissions. */
const MAX_ROLES = 30;

/** The names of the roles with at least one of the permissions. Requires READ_ROLE. */
export const grantingRolesQuery = (permissions: readonly string[]) =>
  queryOptions({
    queryKey: keys.rolesWith(permissions),
    queryFn: async ({ signal }) => {
      const { roles } = await unwrap(api.GET('/api/admin/roles', { signal }));
      const roleDetails = await Promise.all(
        roles
          .slice(0, MAX_ROLES)
          .map(({ id }) =>
            unwrap(
              api.GET('/api/admin/roles/{roleId}', { params: { path: { roleId: String(id) } }, signal }),
            ),
          ),
      );
      return roleDetails
        .filter(role => role.permissions.some(({ name }) => name === 'ADMIN' || permissions.includes(name)))
        .map(({ name }) => name);
    },
    staleTime: 60_000,
  });

const toPathParams = (id: number) => ({ params: { path: { roleId: String(id) } } });

/** A role with its permissions, and its ETag, which identifies the version that the user has seen. */
export const roleQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.roles, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/roles/{roleId}', { ...toPathParams(id), signal });
      const role = await unwrap(call);
      return { role, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** Who has the role and where. Requires ADMIN. */
export const holdersQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.roles, id, 'holders'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/admin/roles/{roleId}/holders', { ...toPathParams(id), signal })),
  });

/** All permissions that a role can have. */
export const permissionsQuery = queryOptions({
  queryKey: [...keys.environments, 'permissions'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/permissions', { signal }))).permissions,
  staleTime: 60_000,
});

export const createRole = async (body: Schemas['RoleInput']): Promise<RoleWithPermissions> =>
  (await unwrap(api.POST('/api/admin/roles', { body }))).roles;

export const updateRole = (id: number, body: Schemas['RoleInput'], etag: string): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/roles/{roleId}', { ...toPathParams(id), body, headers: { 'If-Match': etag } }),
  );

export const deleteRole = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/roles/{roleId}', toPathParams(id)));

/** The events that change a role. */
export const buildSubject = (id: number): Subject => ({
  types: ['role-created', 'role-updated'],
  isAbout: ({ data, preData }) => (data?.id ?? preData?.id) === id,
});
