import type { NamedRole } from '../roles/schema.ts';

/** The roles that decide: without those whose permissions another one of them includes. ADMIN includes every permission. */
export function strongestOf(
  held: readonly NamedRole[],
  permissions: ReadonlyMap<number, ReadonlySet<string>>,
): NamedRole[] {
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
