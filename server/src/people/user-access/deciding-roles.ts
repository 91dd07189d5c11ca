import type { NamedRole } from '../roles/schema.ts';

type Grant = { role: NamedRole };
type Permissions = ReadonlyMap<number, ReadonlySet<string>>;

/** The roles by which people call somebody in a project: those of the project, unless a root role includes them. */
export function decidingRoles(
  grants: readonly Grant[],
  rootRoles: readonly Grant[],
  permissions: Permissions,
): NamedRole[] {
  const strongest = strongestOf(
    [...grants, ...rootRoles].map(({ role }) => role),
    permissions,
  );
  const inProject = strongest.filter(({ id }) => grants.some(({ role }) => role.id === id));
  return inProject.length > 0 ? inProject : strongest;
}

/** Leaves out the roles whose permissions another one of them includes. ADMIN includes every permission. */
export function strongestOf(held: readonly NamedRole[], permissions: Permissions): NamedRole[] {
  const of = ({ id }: NamedRole): ReadonlySet<string> => permissions.get(id) ?? new Set();
  const includes = (one: NamedRole, other: NamedRole): boolean =>
    of(one).has('ADMIN/*/*') || [...of(other)].every(permission => of(one).has(permission));
  const distinct = [...new Map(held.map(role => [role.id, role])).values()];
  // Of two roles with the same permissions, the first one stays.
  return distinct.filter(
    (role, index) =>
      !distinct.some(
        (other, at) => at !== index && includes(other, role) && (at < index || !includes(role, other)),
      ),
  );
}
