import type { Access, Member, Role } from './queries.ts';

/** A user or group in the access list. */
export type Row = Member & {
  key: string;
  name: string;
  /** The second line, which is the email address of a person or the number of members of a group. */
  note: string;
  source: 'Direct' | 'Service account' | 'Group' | 'Group from single sign-on';
  roles: readonly number[];
  addedAt: string;
};

/** Returns a row for each user, service account and group, sorted by name. */
export function toRows({ users, groups }: Pick<Access, 'users' | 'groups'>): Row[] {
  const userRows = users.map(
    ({ id, name, username, email, isAPI, roles, addedAt }): Row => ({
      key: `user-${id}`,
      kind: 'user',
      id,
      name: name || username || email || `User ${id}`,
      note: email || (name && username) || '',
      source: isAPI ? 'Service account' : 'Direct',
      roles,
      addedAt,
    }),
  );
  const groupRows = groups.map(
    ({ id, name, users: members, mappingsSSO, roles, addedAt }): Row => ({
      key: `group-${id}`,
      kind: 'group',
      id,
      name,
      note: members.length === 1 ? '1 member' : `${members.length} members`,
      source: mappingsSSO.length > 0 ? 'Group from single sign-on' : 'Group',
      roles,
      addedAt,
    }),
  );
  return [...userRows, ...groupRows].toSorted((a, b) => a.name.localeCompare(b.name));
}

export const isOwner = ({ name, type }: Role): boolean => type === 'project' && name === 'Owner';

/** Returns the key of the only owner, or undefined if there are several owners or none. A group without members does not count. */
export function findOnlyOwner({ roles, users, groups }: Access): string | undefined {
  const ownerRole = roles.find(isOwner)?.id;
  if (ownerRole === undefined) return undefined;
  const owners = [
    ...users.filter(user => user.roles.includes(ownerRole)).map(({ id }) => `user-${id}`),
    ...groups
      .filter(group => group.roles.includes(ownerRole) && group.users.length > 0)
      .map(({ id }) => `group-${id}`),
  ];
  return owners.length === 1 ? owners[0] : undefined;
}

/** Joins the names of roles, for example as "Member, Release manager". */
export const formatRoleNames = (ids: readonly number[], roles: readonly Role[]): string =>
  ids.map(id => roles.find(role => role.id === id)?.name ?? `Role ${id}`).join(', ');
