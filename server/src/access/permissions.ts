import type { PermissionScope } from '@halyard/plane/platform/errors.ts';

/** All permissions, grouped by scope, with the names that Unleash uses. */
export const ROOT_PERMISSIONS = [
  'ADMIN',
  'CREATE_ADDON',
  'UPDATE_ADDON',
  'DELETE_ADDON',
  'READ_CLIENT_API_TOKEN',
  'CREATE_CLIENT_API_TOKEN',
  'UPDATE_CLIENT_API_TOKEN',
  'DELETE_CLIENT_API_TOKEN',
  'READ_FRONTEND_API_TOKEN',
  'CREATE_FRONTEND_API_TOKEN',
  'UPDATE_FRONTEND_API_TOKEN',
  'DELETE_FRONTEND_API_TOKEN',
  'UPDATE_APPLICATION',
  'CREATE_CONTEXT_FIELD',
  'UPDATE_CONTEXT_FIELD',
  'DELETE_CONTEXT_FIELD',
  'CREATE_PROJECT',
  'READ_ROLE',
  'CREATE_SEGMENT',
  'UPDATE_SEGMENT',
  'DELETE_SEGMENT',
  'CREATE_STRATEGY',
  'UPDATE_STRATEGY',
  'DELETE_STRATEGY',
  'CREATE_TAG_TYPE',
  'UPDATE_TAG_TYPE',
  'DELETE_TAG_TYPE',
  'READ_LOGS',
  'UPDATE_MAINTENANCE_MODE',
  'UPDATE_INSTANCE_BANNERS',
  'UPDATE_CORS',
  'UPDATE_AUTH_CONFIGURATION',
  'RELEASE_PLAN_TEMPLATE_CREATE',
  'RELEASE_PLAN_TEMPLATE_UPDATE',
  'RELEASE_PLAN_TEMPLATE_DELETE',
] as const;

export const PROJECT_PERMISSIONS = [
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'UPDATE_FEATURE_DEPENDENCY',
  'UPDATE_FEATURE_VARIANTS',
  'MOVE_FEATURE_TOGGLE',
  'UPDATE_PROJECT',
  'DELETE_PROJECT',
  'READ_PROJECT_API_TOKEN',
  'CREATE_PROJECT_API_TOKEN',
  'DELETE_PROJECT_API_TOKEN',
  'UPDATE_PROJECT_SEGMENT',
  'UPDATE_PROJECT_CONTEXT',
  'UPDATE_PROJECT_RELEASE_TEMPLATE',
  'PROJECT_USER_ACCESS_READ',
  'PROJECT_USER_ACCESS_WRITE',
  'PROJECT_DEFAULT_STRATEGY_READ',
  'PROJECT_DEFAULT_STRATEGY_WRITE',
  'PROJECT_CHANGE_REQUEST_READ',
  'PROJECT_CHANGE_REQUEST_WRITE',
  'PROJECT_SETTINGS_READ',
  'PROJECT_SETTINGS_WRITE',
] as const;

/** Project permissions that are granted for one environment or for all environments. */
export const ENVIRONMENT_PERMISSIONS = [
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  'APPROVE_CHANGE_REQUEST',
  'APPLY_CHANGE_REQUEST',
  'SKIP_CHANGE_REQUEST',
] as const;

export type RootPermission = (typeof ROOT_PERMISSIONS)[number];
export type ProjectPermission =
  | (typeof PROJECT_PERMISSIONS)[number]
  | (typeof ENVIRONMENT_PERMISSIONS)[number];
export type Permission = RootPermission | ProjectPermission;

export const isRootPermission = (permission: string): boolean =>
  ROOT_PERMISSIONS.some(rootPermission => rootPermission === permission);

const isEnvironmentPermission = (permission: string): boolean =>
  ENVIRONMENT_PERMISSIONS.some(environmentPermission => environmentPermission === permission);

const isProjectPermission = (permission: string): boolean =>
  isEnvironmentPermission(permission) ||
  PROJECT_PERMISSIONS.some(projectPermission => projectPermission === permission);

/**
 * Returns where a caller needs one of the permissions, for error messages: on the instance, in the project or in the environment.
 */
export function getPermissionScope(
  permissions: readonly string[],
  project: string,
  environment: string | undefined,
): PermissionScope {
  if (!permissions.some(isProjectPermission)) return {};
  return environment !== undefined && permissions.some(isEnvironmentPermission)
    ? { project, environments: [environment] }
    : { project };
}

/** A caller needs one of these permissions. NONE allows every authenticated caller. */
export type RoutePermission = 'NONE' | readonly [Permission, ...Permission[]];
