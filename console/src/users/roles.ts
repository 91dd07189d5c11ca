import type { Schemas } from '../api/client.ts';

export type RootRole = Schemas['HeldRole'];
/** What a select of roles needs. */
export type NamedRole = Pick<RootRole, 'id' | 'name' | 'description'>;

/** The built-in role with every permission. */
export const ADMIN = 1;

export const roleNameOf = (roles: readonly NamedRole[], id: number | null): string =>
  roles.find(role => role.id === id)?.name ?? 'No role';

/** The choices of a select. */
export const roleOptions = (roles: readonly NamedRole[]) =>
  roles.map(({ id, name }) => ({ value: String(id), label: name }));
