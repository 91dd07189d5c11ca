import type { Schemas } from '../api/client.ts';

export type RootRole = Schemas['HeldRole'];

/** The built-in role with every permission. */
export const ADMIN = 1;

export const roleNameOf = (roles: readonly RootRole[], id: number | null): string =>
  roles.find(role => role.id === id)?.name ?? 'No role';

/** The choices of a select. */
export const roleOptions = (roles: readonly RootRole[]) =>
  roles.map(({ id, name }) => ({ value: String(id), label: name }));
