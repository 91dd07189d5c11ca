import { notFound } from '../../../../plane/src/platform/errors.ts';
import { permissionsOfUser } from '../../access/held-permissions.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listPermissions } from '../roles/permissions.ts';
import type { PermissionOverview } from './admin-schema.ts';
import { findUser, listRolesOf } from './store.ts';

/** Every permission, and whether the user has it: on the instance, in the project, in the environment. */
export async function permissionOverview(
  db: Reader,
  id: number,
  project: string | undefined,
  environment: string | undefined,
): Promise<PermissionOverview> {
  const user = await findUser(db, id);
  if (!user) throw notFound(`User ${id}`);
  const held = await permissionsOfUser(db, id);
  const roles = await listRolesOf(db, id, project);
  const isAdmin = held.some(({ permission }) => permission === 'ADMIN');
  const has = (permission: string, inProject: string | undefined) =>
    isAdmin ||
    held.some(
      one =>
        one.permission === permission &&
        (one.project === undefined || one.project === inProject) &&
        (one.environment === undefined || one.environment === environment),
    );

  return {
    overview: {
      root: listPermissions('root').map(one => ({ ...one, hasPermission: has(one.name, undefined) })),
      project: listPermissions('project').map(one => ({ ...one, hasPermission: has(one.name, project) })),
      environment: listPermissions('environment').map(one => ({
        ...one,
        ...(environment === undefined ? {} : { environment }),
        hasPermission: has(one.name, project),
      })),
    },
    user,
    rootRole: roles.find(role => role.project === undefined) ?? null,
    projectRoles: roles.filter(role => role.project !== undefined),
  };
}
