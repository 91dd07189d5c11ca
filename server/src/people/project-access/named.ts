import type { NamedGrant } from './change-access.ts';
import type { AccessConfiguration, AccessGrant, RoleHolders } from './schema.ts';

export const byConfiguration = ({ roles }: AccessConfiguration): NamedGrant[] =>
  roles.flatMap(({ id, users, groups }, index) => {
    const at = `/body/roles/${index}`;
    return [
      ...named('user', users ?? [], `${at}/users`, [id], `${at}/id`),
      ...named('group', groups ?? [], `${at}/groups`, [id], `${at}/id`),
    ];
  });

export const byGrant = ({ roles, users, groups }: AccessGrant): NamedGrant[] => [
  ...named('user', users, '/body/users', roles, '/body/roles'),
  ...named('group', groups, '/body/groups', roles, '/body/roles'),
];

export const byHolders = (roleId: number, { users = [], groups = [] }: RoleHolders): NamedGrant[] => [
  ...named('user', idsOf(users), '/body/users', [roleId], '/params/roleId'),
  ...named('group', idsOf(groups), '/body/groups', [roleId], '/params/roleId'),
];

const idsOf = (holders: { id: number }[]): number[] => holders.map(({ id }) => id);

/** A list of ids as the grants it stands for, each with its place in the request. */
function named(
  kind: NamedGrant['kind'],
  ids: number[],
  at: string,
  roles: number[],
  rolesAt: string,
): NamedGrant[] {
  return ids.map((id, index) => ({ kind, id, roles, at: `${at}/${index}`, rolesAt }));
}
