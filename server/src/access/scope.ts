import { ApiError, either, quoted } from '../../../plane/src/platform/errors.ts';
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
 * Permissions with which a token could leave its scope: by creating a credential, by granting access, or by sending events to
 * another system. No token with a scope has them.
 */
const WITHHELD: readonly Permission[] = [
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
].filter(permission => !WITHHELD.includes(permission));

/** Where a permission is needed. Without a project: on the instance. */
type Place = { project?: string | undefined; environment?: string | undefined };

const includes = (list: readonly string[], value: string): boolean => list.includes(value);

/**
 * What the scope lacks for the permission, or undefined if the scope covers it. Anything outside the named projects or
 * environments, such as a segment of the instance or archiving a flag, is covered only if the list of permissions names it.
 */
function lackOf(
  { projects, environments, permissions }: TokenScope,
  permission: string,
  { project, environment }: Place,
): string | undefined {
  if (includes(WITHHELD, permission)) return `no token with a scope has the permission ${permission}`;
  const isNamed = permissions?.includes(permission) ?? false;
  if (permissions && !isNamed) return `it does not include the permission ${permission}`;
  if (projects && project === undefined && !(isNamed && includes(ROOT_PERMISSIONS, permission)))
    return `it is limited to ${named('project', projects)} and does not name the permission ${permission} for the instance`;
  if (projects && project !== undefined && !projects.includes(project))
    return lacksProject(projects, project);
  if (!environments) return undefined;
  if (!includes(ENVIRONMENT_PERMISSIONS, permission))
    return isNamed
      ? undefined
      : `it is limited to ${named('environment', environments)} and does not name the permission ${permission}, which applies to every environment`;
  if (environment === undefined || !environments.includes(environment))
    return lacksEnvironment(environments, environment ?? 'every environment');
  return undefined;
}

const MAX_NAMES = 5;

const named = (noun: string, names: readonly string[]): string => {
  const shown = quoted(names.slice(0, MAX_NAMES));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${noun}${names.length === 1 ? '' : 's'} ${shown}${more}`;
};

const lacksProject = (projects: readonly string[], project: string): string =>
  `it is limited to ${named('project', projects)} and does not include project "${project}"`;

const lacksEnvironment = (environments: readonly string[], environment: string): string =>
  `it is limited to ${named('environment', environments)} and does not include "${environment}"`;

export const outOfScope = (lack: string): ApiError =>
  new ApiError('NoAccessError', `The scope of the token does not allow this: ${lack}.`);

/** The permissions that the scope of the actor covers. Rejects an actor whose scope covers none of them. */
export function coveredBy(
  { scope }: Actor,
  permissions: readonly Permission[],
  place: Place,
): readonly Permission[] {
  if (scope === undefined || permissions.length === 0) return permissions;
  const covered = permissions.filter(permission => lackOf(scope, permission, place) === undefined);
  if (covered.length > 0) return covered;
  const lacks = permissions.map(permission => lackOf(scope, permission, place) ?? '');
  const [only = ''] = lacks;
  throw outOfScope(
    permissions.length > 1 &&
      scope.permissions &&
      !permissions.some(one => includes(scope.permissions ?? [], one))
      ? `it does not include the permission ${either([...permissions])}`
      : only,
  );
}

export const isCovered = ({ scope }: Actor, permission: string, place: Place): boolean =>
  scope === undefined || lackOf(scope, permission, place) === undefined;

/** Rejects an actor whose scope does not include the project, whether or not the project exists. */
export function requireProjectInScope({ scope }: Actor, project: string): void {
  if (scope?.projects && !scope.projects.includes(project))
    throw outOfScope(lacksProject(scope.projects, project));
}

/** Rejects an actor whose scope names projects and no permission outside them. */
export function requireInstanceInScope({ scope }: Actor): void {
  if (scope?.projects && !scope.permissions?.some(isRootPermission))
    throw outOfScope(
      `it is limited to ${named('project', scope.projects)}, and this changes something outside projects`,
    );
}

/** Rejects an actor whose scope does not include the environments. */
export function requireEnvironmentsInScope({ scope }: Actor, environments: readonly string[]): void {
  const missing = environments.find(environment => !(scope?.environments?.includes(environment) ?? true));
  if (scope?.environments && missing !== undefined)
    throw outOfScope(lacksEnvironment(scope.environments, missing));
}

/** The owner's own account: tokens, password, sessions, saved views, profile and roles. */
const OWN_ACCOUNT = '/api/admin/user/';

type CalledRoute = {
  url: string;
  permission: RoutePermission;
  checkedPermission?: readonly Permission[] | undefined;
  checksPermissions?: boolean | undefined;
  onlyReads: boolean;
};

/** Rejects what no token with this scope may call, whatever project and environment a request names. */
export function requireRouteInScope(
  { scope }: Actor,
  { url, permission, checkedPermission, checksPermissions, onlyReads }: CalledRoute,
): void {
  if (scope === undefined) return;
  if (url.startsWith(OWN_ACCOUNT))
    throw outOfScope('a token with a scope cannot use the account of its owner');
  if (onlyReads) return;
  if (scope.readOnly) throw outOfScope('it is read-only');
  const needed = checkedPermission ?? (permission === 'NONE' ? [] : permission);
  if (needed.length === 0 && !checksPermissions)
    throw outOfScope('a token with a scope cannot make changes that need no permission');
  if (needed.some(one => one !== 'ADMIN' && WITHHELD.includes(one)))
    throw outOfScope('a token with a scope cannot create credentials, grant access or connect other systems');
}

const isForReading = (permission: string): boolean =>
  permission.startsWith('READ_') || permission.endsWith('_READ');

/** The owner's permissions that remain, each with the project and environment it applies to. */
export function narrowed({ scope }: Actor, held: HeldPermission[]): HeldPermission[] {
  if (scope === undefined) return held;
  const owned = scope.ownerIsAdmin ? SCOPE_PERMISSIONS.map(permission => ({ permission })) : held;
  const all = owned
    .filter(({ permission }) => !scope.readOnly || isForReading(permission))
    .flatMap(one => inProjects(scope, one))
    .flatMap(one => inEnvironments(scope, one))
    .filter(one => lackOf(scope, one.permission, one) === undefined);
  return [...new Map(all.map(one => [JSON.stringify(one), one])).values()];
}

function inProjects({ projects }: TokenScope, one: HeldPermission): HeldPermission[] {
  if (!projects || one.project !== undefined) return [one];
  const here = projects.map(project => ({ ...one, project }));
  return includes(ROOT_PERMISSIONS, one.permission) ? [one, ...here] : here;
}

const inEnvironments = ({ environments }: TokenScope, one: HeldPermission): HeldPermission[] =>
  environments && one.environment === undefined && includes(ENVIRONMENT_PERMISSIONS, one.permission)
    ? environments.map(environment => ({ ...one, environment }))
    : [one];
