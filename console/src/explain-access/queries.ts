import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { environmentRows, permissionLabel } from '../roles/areas.ts';
import type { Question } from './question.ts';

export type Explanation = schemas['AccessExplanation'];
export type Path = schemas['AccessPath'];
export type OtherRole = schemas['OtherAccessRole'];
export type Change = schemas['AccessChange'];
type Permission = schemas['Permission'];

/** The decision and its reasons. A rejected question, for example about a hidden project, stays rejected. */
export const explanationQuery = (question: Question) =>
  queryOptions({
    queryKey: [...keys.roles, 'explain', question],
    queryFn: ({ signal }) =>
      // The server rejects a permission that it does not know, so the URL may contain any string.
      unwrap(api.GET('/api/admin/access/explain', { params: { query: question as object }, signal })),
    retry: false,
  });

/** All permissions, in the order of the roles page. */
export const permissionsQuery = queryOptions({
  queryKey: [...keys.roles, 'permissions'],
  queryFn: async ({ signal }) => {
    const { permissions } = await unwrap(api.GET('/api/admin/permissions', { signal }));
    const inEnvironments = permissions.environments[0]?.permissions ?? [];
    return [
      { group: 'In an environment', items: environmentRows(inEnvironments.map(nameOf)).map(asItem) },
      { group: 'In a project', items: permissions.project.map(nameOf).map(asItem) },
      { group: ON_INSTANCE, items: ['ADMIN', ...permissions.root.map(nameOf)].map(asItem) },
    ];
  },
  staleTime: 60_000,
});

/** The group of the permissions that need no project. */
export const ON_INSTANCE = 'On the instance';

const nameOf = ({ name }: Permission): string => name;
const asItem = (name: string) => ({ value: name, label: permissionLabel(name) });

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
