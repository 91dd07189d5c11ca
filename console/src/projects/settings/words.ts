import type { Access, Holder, Role } from './queries.ts';

/** A user or group in the list of those who have access. */
export type Row = Holder & {
  key: string;
  name: string;
  /** The second line: the email address, or how many members a group has. */
  note: string;
  source: 'Direct' | 'Service account' | 'Group' | 'Group from single sign-on';
  roles: readonly number[];
  addedAt: string;
};

/** One row for each user, service account and group, by name. */
export function rowsOf({ users, groups }: Pick<Access, 'users' | 'groups'>): Row[] {
  const people = users.map(
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
  const teams = groups.map(
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
  return [...people, ...teams].toSorted((one, other) => one.name.localeCompare(other.name));
}

export const isOwner = ({ name, type }: Role): boolean => type === 'project' && name === 'Owner';

/** The only row that gives the project an owner; undefined if there are several, or none. A group without members does not count. */
export function lastOwnerOf({ roles, users, groups }: Access): string | undefined {
  const owner = roles.find(isOwner)?.id;
  if (owner === undefined) return undefined;
  const owners = [
    ...users.filter(one => one.roles.includes(owner)).map(({ id }) => `user-${id}`),
    ...groups.filter(one => one.roles.includes(owner) && one.users.length > 0).map(({ id }) => `group-${id}`),
  ];
  return owners.length === 1 ? owners[0] : undefined;
}

/** The names of the roles: "Member, Release manager". */
export const namesOf = (ids: readonly number[], roles: readonly Role[]): string =>
  ids.map(id => roles.find(role => role.id === id)?.name ?? `Role ${id}`).join(', ');
