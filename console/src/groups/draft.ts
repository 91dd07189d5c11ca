import type { RootRole } from '../users/roles.ts';
import { getDisplayName } from '../users/words.ts';
import type { Group, GroupInput } from './queries.ts';

export type GroupMember = { id: number; name: string };

/** The values that the page edits. The role and the members have names, which make the list of changes readable. */
export type Draft = {
  name: string;
  description: string;
  role: string;
  /** One identity provider group per line. */
  mappings: string;
  members: GroupMember[];
};

export const NO_ROLE = 'No role';

export const EMPTY_DRAFT: Draft = { name: '', description: '', role: NO_ROLE, mappings: '', members: [] };

export const toDraft = (group: Group, roles: readonly RootRole[]): Draft => ({
  name: group.name,
  description: group.description ?? '',
  role: roles.find(({ id }) => id === group.rootRole)?.name ?? NO_ROLE,
  mappings: group.mappingsSSO.join('\n'),
  members: group.users.map(({ user }) => ({ id: user.id, name: getDisplayName(user) })),
});

export const toInput = (draft: Draft, roles: readonly RootRole[]): GroupInput => ({
  name: draft.name.trim(),
  description: draft.description.trim() || null,
  rootRole: roles.find(({ name }) => name === draft.role)?.id ?? null,
  mappingsSSO: draft.mappings
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== ''),
  users: draft.members.map(({ id }) => ({ user: { id } })),
});
