import type { RequestedGrant } from './change-access.ts';
import type { AccessConfiguration, AccessGrant, RoleHolders } from './schema.ts';

export const grantsOfConfiguration = ({ roles }: AccessConfiguration): RequestedGrant[] =>
  roles.flatMap(({ id, users, groups }, index) => {
    const at = `/body/roles/${index}`;
    return [
      ...grantsFor('user', users ?? [], `${at}/users`, [id], `${at}/id`),
      ...grantsFor('group', groups ?? [], `${at}/groups`, [id], `${at}/id`),
    ];
  });

export const grantsOfRoles = ({ roles, users, groups }: AccessGrant): RequestedGrant[] => [
  ...grantsFor('user', users, '/body/users', roles, '/body/roles'),
  ...grantsFor('group', groups, '/body/groups', roles, '/body/roles'),
];

export const grantsOfHolders = (
  roleId: number,
  { users = [], groups = [] }: RoleHolders,
): RequestedGrant[] => [
  ...grantsFor('user', idsOf(users), '/body/users', [roleId], '/params/roleId'),
  ...grantsFor('group', idsOf(groups), '/body/groups', [roleId], '/params/roleId'),
];

const idsOf = (holders: { id: number }[]): number[] => holders.map(({ id }) => id);

/** Turns a list of ids into grants, each with its path in the request. */
function grantsFor(
  kind: RequestedGrant['kind'],
  ids: number[],
  at: string,
  roles: number[],
  rolesAt: string,
): RequestedGrant[] {
  return ids.map((id, index) => ({ kind, id, roles, at: `${at}/${index}`, rolesAt }));
}
