import { expect, test } from 'vitest';
import type { Access } from './queries.ts';
import { findOnlyOwner, formatRoleNames, toRows } from './words.ts';

const OWNER = { id: 4, type: 'project', name: 'Owner', description: '' } as const;
const MEMBER = { id: 5, type: 'project', name: 'Member', description: '' } as const;
const AT = '2026-11-01T10:00:00.000Z';

const user = (id: number, roles: number[], name: string | null = null) => ({
  id,
  name,
  username: `user-${id}`,
  email: null,
  isAPI: false,
  roleId: roles[0] ?? 0,
  roles,
  addedAt: AT,
});
const member = { id: 9, name: 'Nia', username: 'nia', email: null, isAPI: false };
const group = (id: number, roles: number[], members: number) => ({
  id,
  name: `group-${id}`,
  description: null,
  mappingsSSO: [],
  rootRole: null,
  createdAt: AT,
  createdBy: 'ada',
  users: Array.from({ length: members }, () => ({ joinedAt: AT, createdBy: 'ada', user: member })),
  roleId: roles[0] ?? 0,
  roles,
  addedAt: AT,
});
const createAccess = (users: ReturnType<typeof user>[], groups: ReturnType<typeof group>[] = []): Access => ({
  version: 1,
  roles: [OWNER, MEMBER],
  users,
  groups,
});

test('finds the only owner, or nobody if there are two owners', () => {
  expect(findOnlyOwner(createAccess([user(1, [4]), user(2, [5])]))).toBe('user-1');
  expect(findOnlyOwner(createAccess([user(1, [4]), user(2, [4])]))).toBeUndefined();
});

test('counts a group as an owner only if it has members', () => {
  expect(findOnlyOwner(createAccess([user(1, [4])], [group(3, [4], 1)]))).toBeUndefined();
  expect(findOnlyOwner(createAccess([user(1, [4])], [group(3, [4], 0)]))).toBe('user-1');
});

test('lists users and groups by name, with the number of members of a group', () => {
  const rows = toRows(createAccess([user(1, [4], 'Zoe'), user(2, [5])], [group(3, [5], 2)]));

  expect(rows.map(({ name, source, note }) => [name, source, note])).toEqual([
    ['group-3', 'Group', '2 members'],
    ['user-2', 'Direct', ''],
    ['Zoe', 'Direct', 'user-1'],
  ]);
});

test('names all roles, and shows the id of an unknown role', () => {
  expect(formatRoleNames([5, 4, 77], [OWNER, MEMBER])).toBe('Member, Owner, Role 77');
});
