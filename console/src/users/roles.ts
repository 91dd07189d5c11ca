import type { Schemas } from '../api/client.ts';

export type RootRole = Schemas['HeldRole'];
/** The fields that a role select needs. */
export type NamedRole = Pick<RootRole, 'id' | 'name' | 'description'>;

/** The built-in role with every permission. */
export const ADMIN = 1;

export const getRoleName = (roles: readonly NamedRole[], id: number | null): string =>
  roles.find(role => role.id === id)?.name ?? 'No role';

/** Returns the options of a role select. */
export const listRoleOptions = (roles: readonly NamedRole[]) =>
  roles.map(({ id, name }) => ({ value: String(id), label: name }));
