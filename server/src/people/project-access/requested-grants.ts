import type { RequestedGrant } from './change-access.ts';
import type { AccessConfiguration, AccessGrant, RoleHolders } from './schema.ts';

export const buildConfigurationGrants = ({ roles }: AccessConfiguration): RequestedGrant[] =>
  roles.flatMap(({ id, users, groups }, index) => {
    const rolePath = `/body/roles/${index}`;
    return [
      ...toGrants('user', users ?? [], `${rolePath}/users`, [id], `${rolePath}/id`),
      ...toGrants('group', groups ?? [], `${rolePath}/groups`, [id], `${rolePath}/id`),
    ];
  });

export const buildRoleGrants = ({ roles, users, groups }: AccessGrant): RequestedGrant[] => [
  ...toGrants('user', users, '/body/users', roles, '/body/roles'),
  ...toGrants('group', groups, '/body/groups', roles, '/body/roles'),
];

export const buildHolderGrants = (
  roleId: number,
  { users = [], groups = [] }: RoleHolders,
): RequestedGrant[] => [
  ...toGrants('user', getIds(users), '/body/users', [roleId], '/params/roleId'),
  ...toGrants('group', getIds(groups), '/body/groups', [roleId], '/params/roleId'),
];

const getIds = (holders: { id: number }[]): number[] => holders.map(({ id }) => id);

/** Converts a list of ids to grants. Each grant has its path in the request. */
function toGrants(
  kind: RequestedGrant['kind'],
  ids: number[],
  holdersPath: string,
  roles: number[],
  rolesPath: string,
): RequestedGrant[] {
  return ids.map((id, index) => ({ kind, id, roles, path: `${holdersPath}/${index}`, rolesPath }));
}
