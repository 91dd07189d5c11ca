import { unknownEnvironment, type Violation } from '@halyard/plane/platform/errors.ts';
import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../../access/permissions.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Permission, PermissionInput, RoleInput } from './schema.ts';
import { listEnvironmentNames, lockExistingEnvironments, type RolePermission } from './store.ts';

/** The first id of each kind. A new permission goes to the end of its list, so that the ids of the others stay the same. */
const FIRST_ID = { root: 1, project: 1_001, environment: 2_001 } as const;

type Kind = keyof typeof FIRST_ID;

const CATALOG = new Map([
  ...numberPermissions('root', ROOT_PERMISSIONS),
  ...numberPermissions('project', PROJECT_PERMISSIONS),
  ...numberPermissions('environment', ENVIRONMENT_PERMISSIONS),
]);

function numberPermissions(type: Kind, names: readonly string[]): [string, Permission & { type: Kind }][] {
  return names.map((name, index) => [
    name,
    { id: FIRST_ID[type] + index, name, displayName: formatDisplayName(name), type },
  ]);
}

/** Formats a name for people, for example CREATE_FEATURE as "Create feature". */
function formatDisplayName(name: string): string {
  const label = name.toLowerCase().replaceAll('_', ' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Returns the permissions of a role as the API shows them. */
export const describePermissions = (permissions: RolePermission[]): Permission[] =>
  permissions.flatMap(({ name, ...scope }) => {
    const permission = CATALOG.get(name);
    return permission ? [{ ...permission, ...scope }] : [];
  });

/** Lists all permissions of a kind. */
export const listPermissions = (kind: Kind): (Permission & { type: Kind })[] =>
  [...CATALOG.values()].filter(({ type }) => type === kind);

/** Lists all permissions that a custom role can have. */
export function listAllPermissions(environments: string[]) {
  const listGrantable = (kind: Kind) => listPermissions(kind).filter(({ name }) => name !== 'ADMIN');
  return {
    root: listGrantable('root'),
    project: listGrantable('project'),
    environments: environments.map(environment => ({
      name: environment,
      permissions: listGrantable('environment').map(permission => ({ ...permission, environment })),
    })),
  };
}

/** Finds the requested permissions that a new role cannot have. */
export async function findPermissionViolations(
  db: Reader,
  { type = 'custom', permissions = [] }: Partial<RoleInput>,
): Promise<Violation[]> {
  return listViolations(type, permissions, await listEnvironmentNames(db));
}

/**
 * Removes duplicates from a role's permissions, and finds those that the role cannot have. The environments are locked, so that they
 * cannot be deleted until the transaction ends.
 */
export async function checkPermissions(
  tx: Tx,
  type: NonNullable<RoleInput['type']>,
  input: PermissionInput[],
): Promise<{ permissions: RolePermission[]; violations: Violation[] }> {
  const requestedPermissions = input.map(({ name, environment }) => ({
    name,
    ...(environment ? { environment } : {}),
  }));
  const violations = listViolations(
    type,
    requestedPermissions,
    await lockExistingEnvironments(tx, requestedPermissions),
  );
  const distinctPermissions = new Map(
    requestedPermissions.map(permission => [JSON.stringify(permission), permission]),
  );
  return { permissions: [...distinctPermissions.values()].toSorted(byNameAndEnvironment), violations };
}

function listViolations(
  type: NonNullable<RoleInput['type']>,
  requestedPermissions: PermissionInput[],
  environments: string[],
): Violation[] {
  return requestedPermissions.flatMap(({ name, environment }, index) => {
    const path = `/body/permissions/${index}`;
    const message = findNameViolation(type, name);
    if (message !== undefined) return [{ message, path: `${path}/name` }];
    if (!environment) return [];
    if (CATALOG.get(name)?.type !== 'environment')
      return [{ message: `"${name}" cannot be restricted to an environment`, path: `${path}/environment` }];
    return environments.includes(environment)
      ? []
      : [{ message: unknownEnvironment(environment), path: `${path}/environment` }];
  });
}

function findNameViolation(type: NonNullable<RoleInput['type']>, name: string): string | undefined {
  const permission = CATALOG.get(name);
  if (!permission) return `"${name}" is not a permission. GET /api/admin/permissions lists the permissions`;
  if (name === 'ADMIN') return '"ADMIN" cannot be added to a custom role. Grant the Admin role instead';
  return type === 'custom' && permission.type === 'root'
    ? `"${name}" applies to the whole instance, but a role of type "custom" applies to projects. Use the type "root-custom"`
    : undefined;
}

/** Compares permissions as the store sorts them, so that two sorted lists can be compared. */
function byNameAndEnvironment(permission: RolePermission, other: RolePermission): number {
  const toKey = ({ name, environment = '' }: RolePermission) => `${name} ${environment}`;
  return toKey(permission) < toKey(other) ? -1 : 1;
}
