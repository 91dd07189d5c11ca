import type { schemas } from './api.gen.ts';
import { permissionsByOperation } from './api.gen.ts';

export type Me = schemas['Me'];
/** Operations whose permission depends on the request body or on stored data, so openapi.json cannot name it. */
const OTHER_PERMISSIONS = {
  createSegment: ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  updateSegment: ['UPDATE_SEGMENT'],
  updateProjectSegment: ['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  deleteSegment: ['DELETE_SEGMENT'],
  deleteProjectSegment: ['DELETE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
} as const;
/** The id of an operation in openapi.json that requires a permission, such as `enableFeature`. */
export type OperationId = keyof typeof permissionsByOperation | keyof typeof OTHER_PERMISSIONS;
/** The permissions that allow each operation. The caller needs only one of them. */
export const PERMISSIONS: Record<OperationId, readonly string[]> = {
  ...permissionsByOperation,
  ...OTHER_PERMISSIONS,
};
/** The scope of an operation that requires a permission for the whole instance. A permission in some projects is not enough. */
export const EVERYWHERE = '*';
/** What the operation applies to. Without a project, a permission in any project is enough. */
export type Scope = { project?: string; environment?: string };

const ADMIN = 'ADMIN';

/** Returns whether the user is an admin, who can read every project. */
export const isAdmin = (me: Me): boolean => me.permissions.some(({ permission }) => permission === ADMIN);

/**
 * Lists the permissions that would each allow the operation, or nothing if the caller already has one of them. The server
 * makes the real decision. The console only uses the list to name the missing permission before a request is rejected.
 */
export function missingPermissions(me: Me, operation: OperationId, scope: Scope = {}): readonly string[] {
  const requiredPermissions = PERMISSIONS[operation];
  const hasPermission = me.permissions.some(
    grant =>
      (grant.permission === ADMIN || requiredPermissions.includes(grant.permission)) &&
      (grant.project === undefined || scope.project === undefined || grant.project === scope.project) &&
      (grant.environment === undefined ||
        scope.environment === undefined ||
        grant.environment === scope.environment),
  );
  return hasPermission ? [] : requiredPermissions;
}

export const can = (me: Me, operation: OperationId, scope?: Scope): boolean =>
  missingPermissions(me, operation, scope).length === 0;
