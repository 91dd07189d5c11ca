import type { schemas } from './api.gen.ts';
import { permissionsOf } from './api.gen.ts';

export type Me = schemas['Me'];
/** Operations whose permission depends on the body or on what is stored, so that openapi.json cannot name it. */
const OTHER_PERMISSIONS = {
  createSegment: ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  updateSegment: ['UPDATE_SEGMENT'],
  updateProjectSegment: ['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  deleteSegment: ['DELETE_SEGMENT'],
  deleteProjectSegment: ['DELETE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
} as const;
/** The id of an operation in openapi.json that requires a permission, such as `enableFeature`. */
export type OperationId = keyof typeof permissionsOf | keyof typeof OTHER_PERMISSIONS;
const PERMISSIONS: Record<OperationId, readonly string[]> = { ...permissionsOf, ...OTHER_PERMISSIONS };
/** The scope of an operation that requires its permission on the instance. A permission in projects is not enough. */
export const EVERYWHERE = '*';
/** Where the operation takes place. Without a project: in any project. */
export type Place = { project?: string; environment?: string };

/**
 * Lists the permissions that would each allow the operation, or nothing if the caller already has one of them. The server
 * makes the real decision; this only lets a control name the missing permission before a request is rejected.
 */
export function missingPermissions(me: Me, operation: OperationId, place: Place = {}): readonly string[] {
  const needed = PERMISSIONS[operation];
  const holds = me.permissions.some(
    held =>
      (held.permission === 'ADMIN' || needed.includes(held.permission)) &&
      (held.project === undefined || place.project === undefined || held.project === place.project) &&
      (held.environment === undefined ||
        place.environment === undefined ||
        held.environment === place.environment),
  );
  return holds ? [] : needed;
}

export const can = (me: Me, operation: OperationId, place?: Place): boolean =>
  missingPermissions(me, operation, place).length === 0;
