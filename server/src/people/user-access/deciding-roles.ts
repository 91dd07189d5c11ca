import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS } from '../../access/permissions.ts';
import type { NamedRole } from '../roles/schema.ts';

/**
 * A permission of a role. Without a project, it applies wherever the role is granted; without an environment, in all
 * environments.
 */
export type RolePermission = { permission: string; environment: string | null; project: string | null };

type Grant = { role: NamedRole };

const IN_PROJECTS = new Set<string>([...PROJECT_PERMISSIONS, ...ENVIRONMENT_PERMISSIONS, 'ADMIN']);

/** What the role permits in a project, each permission as a string with its environment. */
const permittedIn = (project: string, permissions: readonly RolePermission[] = []): Set<string> =>
  new Set(
    permissions
      .filter(one => IN_PROJECTS.has(one.permission) && (one.project === null || one.project === project))
      .map(({ permission, environment }) => `${permission}/${environment ?? '*'}`),
  );

/**
 * The root roles that permit something in a project, and the roles that give the user permissions there: those that are granted
 * in the project, or the root roles. A role whose permissions another one includes is omitted.
 */
export function decidingRoles<Root extends Grant>(
  project: string,
  grants: readonly Grant[],
  rootRoles: readonly Root[],
  permissions: ReadonlyMap<number, readonly RolePermission[]>,
): { rootRoles: Root[]; roles: NamedRole[] } {
  const of = ({ id }: NamedRole): Set<string> => permittedIn(project, permissions.get(id));
  const applying = rootRoles.filter(({ role }) => of(role).size > 0);
  const strongest = strongestOf(
    [...grants, ...applying].map(({ role }) => role),
    of,
  );
  const inProject = strongest.filter(({ id }) => grants.some(({ role }) => role.id === id));
  return { rootRoles: applying, roles: inProject.length > 0 ? inProject : strongest };
}

/** Omits roles whose permissions another one includes. ADMIN includes every permission. */
function strongestOf(held: readonly NamedRole[], of: (role: NamedRole) => Set<string>): NamedRole[] {
  const includes = (one: NamedRole, other: NamedRole): boolean =>
    of(one).has('ADMIN/*') || [...of(other)].every(permission => of(one).has(permission));
  const distinct = [...new Map(held.map(role => [role.id, role])).values()];
  // Of two roles with the same permissions, the first one stays.
  return distinct.filter(
    (role, index) =>
      !distinct.some(
        (other, at) => at !== index && includes(other, role) && (at < index || !includes(role, other)),
      ),
  );
}
