import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { getPermissionLabel, listOperations, sortEnvironmentPermissions } from '../roles/areas.ts';
import type { AccessQuery } from './access-query.ts';

export type Explanation = schemas['AccessExplanation'];
export type Path = schemas['AccessPath'];
export type OtherRole = schemas['OtherAccessRole'];
export type Change = schemas['AccessChange'];
type Permission = schemas['Permission'];

/** The decision and its reasons. A rejected request is not retried, because the cause may be a project that is hidden from the user. */
export const explanationQuery = (query: AccessQuery) =>
  queryOptions({
    queryKey: [...keys.roles, 'explain', query],
    queryFn: ({ signal }) =>
      // The server rejects a permission that it does not know, so the URL may contain any string.
      unwrap(api.GET('/api/admin/access/explain', { params: { query: query as object }, signal })),
    retry: false,
  });

/** All permissions that some operation requires, in the order of the roles page. */
export const permissionsQuery = queryOptions({
  queryKey: [...keys.roles, 'permissions'],
  queryFn: async ({ signal }) => {
    const { permissions } = await unwrap(api.GET('/api/admin/permissions', { signal }));
    const inEnvironments = permissions.environments[0]?.permissions ?? [];
    return [
      {
        group: 'In an environment',
        items: sortEnvironmentPermissions(inEnvironments.map(getName)).filter(isRequired).map(toItem),
      },
      { group: 'In a project', items: permissions.project.map(getName).filter(isRequired).map(toItem) },
      {
        group: INSTANCE_WIDE,
        items: ['ADMIN', ...permissions.root.map(getName).filter(isRequired)].map(toItem),
      },
    ];
  },
  staleTime: 60_000,
});

/** The label of the permissions that need no project. */
export const INSTANCE_WIDE = 'Instance-wide';

const getName = ({ name }: Permission): string => name;
const isRequired = (name: string): boolean => listOperations(name).length > 0;
const toItem = (name: string) => ({ value: name, label: getPermissionLabel(name) });

/** Users and service accounts. Only admins may list them. */
export const accountsQuery = queryOptions({
  queryKey: [...keys.users, 'accounts'],
  queryFn: async ({ signal }) => {
    const [{ users }, { serviceAccounts }] = await Promise.all([
      unwrap(api.GET('/api/admin/user-admin', { signal })),
      unwrap(api.GET('/api/admin/service-account', { signal })),
    ]);
    return { users, serviceAccounts };
  },
  staleTime: 5_000,
});
