import type { RequestedGrant } from './change-access.ts';
import type { AccessConfiguration, AccessGrant, RoleHolders } from './schema.ts';

export const getConfigurationGrants = ({ roles }: AccessConfiguration): RequestedGrant[] =>
  roles.flatMap(({ id, users, groups }, index) => {
    const rolePath = `/body/roles/${index}`;
    return [
      ...grantsFor('user', users ?? [], `${rolePath}/users`, [id], `${rolePath}/id`),
      ...grantsFor('group', groups ?? [], `${rolePath}/groups`, [id], `${rolePath}/id`),
    ];
  });

export const buildRoleGrants = ({ roles, users, groups }: AccessGrant): RequestedGrant[] => [
  ...grantsFor('user', users, '/body/users', roles, '/body/roles'),
  ...grantsFor('group', groups, '/body/groups', roles, '/body/roles'),
];

export const buildHolderGrants = (
  roleId: number,
  { users = [], groups = [] }: RoleHolders,
): RequestedGrant[] => [
  ...grantsFor('user', getIds(users), '/body/users', [roleId], '/params/roleId'),
  ...grantsFor('group', getIds(groups), '/body/groups', [roleId], '/params/roleId'),
];

const getIds = (holders: { id: number }[]): number[] => holders.map(({ id }) => id);

/** Turns a list of ids into grants. Each grant has its path in the request. */
function grantsFor(
  kind: RequestedGrant['kind'],
  ids: number[],
  holdersPath: string,
  roles: number[],
  rolesPath: string,
): RequestedGrant[] {
  return ids.map((id, index) => ({ kind, id, roles, path: `${holdersPath}/${index}`, rolesPath }));
}
