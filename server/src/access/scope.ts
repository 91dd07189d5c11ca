import { ApiError, joinWithOr, quoteNames } from '@halyard/plane/platform/errors.ts';
import type { Actor, TokenScope } from '../platform/actor.ts';
import {
  ENVIRONMENT_PERMISSIONS,
  isRootPermission,
  type Permission,
  PROJECT_PERMISSIONS,
  ROOT_PERMISSIONS,
  type RoutePermission,
} from './permissions.ts';
import type { HeldPermission } from './store.ts';

/**
 * Permissions that would let a token escape its scope by creating a credential, granting access or sending events to another
 * system. No token with a scope has these permissions.
 */
const WITHHELD_PERMISSIONS: readonly Permission[] = [
  'ADMIN',
  'CREATE_ADDON',
  'UPDATE_ADDON',
  'CREATE_CLIENT_API_TOKEN',
  'UPDATE_CLIENT_API_TOKEN',
  'CREATE_FRONTEND_API_TOKEN',
  'UPDATE_FRONTEND_API_TOKEN',
  'CREATE_PROJECT_API_TOKEN',
  'UPDATE_AUTH_CONFIGURATION',
  'PROJECT_USER_ACCESS_WRITE',
];

/** The permissions that a scope can name. */
export const SCOPE_PERMISSIONS: readonly Permission[] = [
  ...ROOT_PERMISSIONS,
  ...PROJECT_PERMISSIONS,
  ...ENVIRONMENT_PERMISSIONS,
].filter(permission => !WITHHELD_PERMISSIONS.includes(permission));

/** Where a permission is needed: on the instance if there is no project. */
type PermissionTarget = { project?: string | undefined; environment?: string | undefined };

const includes = (list: readonly string[], value: string): boolean => list.includes(value);

/**
 * Says why the scope does not cover the permission, or returns undefined if it does. A permission for something outside the named
 * projects or environments, such as an instance segment or archiving a flag, is covered only if the list of permissions names it.
 */
function describeMissing(
  { projects, environments, permissions }: TokenScope,
  permission: string,
  { project, environment }: PermissionTarget,
): string | undefined {
  if (includes(WITHHELD_PERMISSIONS, permission))
    return `no token with a scope has the permission ${permission}`;
  const isNamed = permissions?.includes(permission) ?? false;
  if (permissions && !isNamed) return `it does not include the permission ${permission}`;
  if (projects && project === undefined && !(isNamed && includes(ROOT_PERMISSIONS, permission)))
    return `it is limited to ${formatNames('project', projects)} and does not name the permission ${permission} for the instance`;
  if (projects && project !== undefined && !projects.includes(project))
    return describeMissingProject(projects, project);
  if (!environments) return undefined;
  if (!includes(ENVIRONMENT_PERMISSIONS, permission))
    return isNamed
      ? undefined
      : `it is limited to ${formatNames('environment', environments)} and does not name the permission ${permission}, which applies to every environment`;
  if (environment === undefined || !environments.includes(environment))
    return describeMissingEnvironment(environments, environment ?? 'every environment');
  return undefined;
}

const MAX_NAMES = 5;

const formatNames = (noun: string, names: readonly string[]): string => {
  const quotedNames = quoteNames(names.slice(0, MAX_NAMES));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${noun}${names.length === 1 ? '' : 's'} ${quotedNames}${more}`;
};

const describeMissingProject = (projects: readonly string[], project: string): string =>
  `it is limited to ${formatNames('project', projects)} and does not include project "${project}"`;

const describeMissingEnvironment = (environments: readonly string[], environment: string): string =>
  `it is limited to ${formatNames('environment', environments)} and does not include "${environment}"`;

export const outOfScope = (reason: string): ApiError =>
  new ApiError('NoAccessError', `The token's scope does not allow this: ${reason}.`);

/** Returns the permissions that the scope of the actor covers, and rejects an actor whose scope covers none of them. */
export function selectCoveredPermissions(
  { scope }: Actor,
  permissions: readonly Permission[],
  target: PermissionTarget,
): readonly Permission[] {
  if (scope === undefined || permissions.length === 0) return permissions;
  const coveredPermissions = permissions.filter(
    permission => describeMissing(scope, permission, target) === undefined,
  );
  if (coveredPermissions.length > 0) return coveredPermissions;
  const reasons = permissions.map(permission => describeMissing(scope, permission, target) ?? '');
  const [firstReason = ''] = reasons;
  throw outOfScope(
    permissions.length > 1 &&
      scope.permissions &&
      !permissions.some(permission => includes(scope.permissions ?? [], permission))
      ? `it does not include the permission ${joinWithOr([...permissions])}`
      : firstReason,
  );
}

export const isCovered = ({ scope }: Actor, permission: string, target: PermissionTarget): boolean =>
  scope === undefined || describeMissing(scope, permission, target) === undefined;

/** Rejects an actor whose scope does not include the project, whether or not the project exists. */
export function requireProjectInScope({ scope }: Actor, project: string): void {
  if (scope?.projects && !scope.projects.includes(project))
    throw outOfScope(describeMissingProject(scope.projects, project));
}

/** Rejects an actor whose scope names projects, but no permission outside them. */
export function requireInstanceInScope({ scope }: Actor): void {
  if (scope?.projects && !scope.permissions?.some(isRootPermission))
    throw outOfScope(
      `it is limited to ${formatNames('project', scope.projects)}, and this change is outside any project`,
    );
}

/** Rejects an actor whose scope does not include the environments. */
export function requireEnvironmentsInScope({ scope }: Actor, environments: readonly string[]): void {
  const missingEnvironment = environments.find(
    environment => !(scope?.environments?.includes(environment) ?? true),
  );
  if (scope?.environments && missingEnvironment !== undefined)
    throw outOfScope(describeMissingEnvironment(scope.environments, missingEnvironment));
}

/**
 * The path prefix of everything that belongs to the owner's account: tokens, password, sessions, saved views, profile and roles.
 */
const OWN_ACCOUNT = '/api/admin/user/';

type CalledRoute = {
  url: string;
  permission: RoutePermission;
  checkedPermission?: readonly Permission[] | undefined;
  checksPermissions?: boolean | undefined;
  onlyReads: boolean;
};

/** Rejects operations that no token with this scope may call, regardless of the project and environment in the request. */
export function requireRouteInScope(
  { scope }: Actor,
  { url, permission, checkedPermission, checksPermissions, onlyReads }: CalledRoute,
): void {
  if (scope === undefined) return;
  if (url.startsWith(OWN_ACCOUNT)) throw outOfScope("a token with a scope cannot use its owner's account");
  if (onlyReads) return;
  if (scope.readOnly) throw outOfScope('it is read-only');
  const requiredPermissions = checkedPermission ?? (permission === 'NONE' ? [] : permission);
  if (requiredPermissions.length === 0 && !checksPermissions)
    throw outOfScope('a token with a scope cannot make changes that need no permission');
  if (requiredPermissions.some(required => required !== 'ADMIN' && WITHHELD_PERMISSIONS.includes(required)))
    throw outOfScope('a token with a scope cannot create credentials, grant access or connect other systems');
}

const isReadPermission = (permission: string): boolean =>
  permission.startsWith('READ_') || permission.endsWith('_READ');

/** Limits the owner's permissions to the scope. Each has the project and environment that it applies to. */
export function narrowPermissions({ scope }: Actor, heldPermissions: HeldPermission[]): HeldPermission[] {
  if (scope === undefined) return heldPermissions;
  const ownerPermissions = scope.ownerIsAdmin
    ? SCOPE_PERMISSIONS.map(permission => ({ permission }))
    : heldPermissions;
  const permissionsInScope = ownerPermissions
    .filter(({ permission }) => !scope.readOnly || isReadPermission(permission))
    .flatMap(heldPermission => narrowToProjects(scope, heldPermission))
    .flatMap(heldPermission => narrowToEnvironments(scope, heldPermission))
    .filter(
      heldPermission => describeMissing(scope, heldPermission.permission, heldPermission) === undefined,
    );
  return [
    ...new Map(
      permissionsInScope.map(heldPermission => [JSON.stringify(heldPermission), heldPermission]),
    ).values(),
  ];
}

function narrowToProjects({ projects }: TokenScope, heldPermission: HeldPermission): HeldPermission[] {
  if (!projects || heldPermission.project !== undefined) return [heldPermission];
  const inProjects = projects.map(project => ({ ...heldPermission, project }));
  return includes(ROOT_PERMISSIONS, heldPermission.permission) ? [heldPermission, ...inProjects] : inProjects;
}

const narrowToEnvironments = (
  { environments }: TokenScope,
  heldPermission: HeldPermission,
): HeldPermission[] =>
  environments &&
  heldPermission.environment === undefined &&
  includes(ENVIRONMENT_PERMISSIONS, heldPermission.permission)
    ? environments.map(environment => ({ ...heldPermission, environment }))
    : [heldPermission];
