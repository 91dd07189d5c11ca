import { notFound } from '@halyard/plane/platform/errors.ts';
import { listUserPermissions } from '../../access/held-permissions.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listPermissions } from '../roles/permissions.ts';
import type { PermissionOverview } from './admin-schema.ts';
import { findUser, listUserRoles } from './store.ts';

/** Lists the root, project and environment permissions, and says whether the user has each in the given project and environment. */
export async function readPermissionOverview(
  db: Reader,
  id: number,
  project: string | undefined,
  environment: string | undefined,
): Promise<PermissionOverview> {
  const user = await findUser(db, id);
  if (!user) throw notFound(`User ${id}`);
  const heldPermissions = await listUserPermissions(db, id);
  const roles = await listUserRoles(db, id, project);
  const isAdmin = heldPermissions.some(({ permission }) => permission === 'ADMIN');
  const hasPermission = (permission: string, projectId: string | undefined) =>
    isAdmin ||
    heldPermissions.some(
      heldPermission =>
        heldPermission.permission === permission &&
        (heldPermission.project === undefined || heldPermission.project === projectId) &&
        (heldPermission.environment === undefined || heldPermission.environment === environment),
    );

  return {
    overview: {
      root: listPermissions('root').map(permission => ({
        ...permission,
        hasPermission: hasPermission(permission.name, undefined),
      })),
      project: listPermissions('project').map(permission => ({
        ...permission,
        hasPermission: hasPermission(permission.name, project),
      })),
      environment: listPermissions('environment').map(permission => ({
        ...permission,
        ...(environment === undefined ? {} : { environment }),
        hasPermission: hasPermission(permission.name, project),
      })),
    },
    user,
    rootRole: roles.find(role => role.project === undefined) ?? null,
    projectRoles: roles.filter(role => role.project !== undefined),
  };
}
