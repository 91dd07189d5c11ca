import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS } from '../../access/permissions.ts';
import type { NamedRole } from '../roles/schema.ts';

/**
 * A permission of a role. Without a project, it applies wherever the role is granted. Without an environment, it applies in all
 * environments.
 */
export type RolePermission = { permission: string; environment: string | null; project: string | null };

type Grant = { role: NamedRole };

const IN_PROJECTS = new Set<string>([...PROJECT_PERMISSIONS, ...ENVIRONMENT_PERMISSIONS, 'ADMIN']);

/** Returns what the role permits in a project. Each permission is a string with its environment. */
const listPermissionsIn = (project: string, permissions: readonly RolePermission[] = []): Set<string> =>
  new Set(
    permissions
      .filter(
        rolePermission =>
          IN_PROJECTS.has(rolePermission.permission) &&
          (rolePermission.project === null || rolePermission.project === project),
      )
      .map(({ permission, environment }) => `${permission}/${environment ?? '*'}`),
  );

/**
 * Finds the root roles that permit something in a project, and the roles that decide what the user may do there. The deciding roles
 * are those that are granted in the project, or otherwise the root roles. A role whose permissions are all included in another role
 * is omitted.
 */
export function findDecidingRoles<Root extends Grant>(
  project: string,
  grants: readonly Grant[],
  rootRoles: readonly Root[],
  permissions: ReadonlyMap<number, readonly RolePermission[]>,
): { rootRoles: Root[]; roles: NamedRole[] } {
  const getPermissions = ({ id }: NamedRole): Set<string> => listPermissionsIn(project, permissions.get(id));
  const applicableRootRoles = rootRoles.filter(({ role }) => getPermissions(role).size > 0);
  const strongestRoles = omitIncludedRoles(
    [...grants, ...applicableRootRoles].map(({ role }) => role),
    getPermissions,
  );
  const projectRoles = strongestRoles.filter(({ id }) => grants.some(({ role }) => role.id === id));
  return { rootRoles: applicableRootRoles, roles: projectRoles.length > 0 ? projectRoles : strongestRoles };
}

/** Omits roles whose permissions are all included in another role. ADMIN includes every permission. */
function omitIncludedRoles(
  roles: readonly NamedRole[],
  getPermissions: (role: NamedRole) => Set<string>,
): NamedRole[] {
  const includes = (a: NamedRole, b: NamedRole): boolean =>
    getPermissions(a).has('ADMIN/*') ||
    [...getPermissions(b)].every(permission => getPermissions(a).has(permission));
  const distinctRoles = [...new Map(roles.map(role => [role.id, role])).values()];
  // If two roles have the same permissions, the first role is kept.
  return distinctRoles.filter(
    (role, index) =>
      !distinctRoles.some(
        (other, otherIndex) =>
          otherIndex !== index && includes(other, role) && (otherIndex < index || !includes(role, other)),
      ),
  );
}
