import type { Violation } from '../../../../plane/src/platform/errors.ts';
import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../../access/permissions.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Permission, PermissionInput, RoleInput } from './schema.ts';
import { listEnvironmentNames, lockExistingEnvironments, type RolePermission } from './store.ts';

/** A new permission goes to the end of its list, so that the ids of the others stay the same. */
const FIRST_ID = { root: 1, project: 1_001, environment: 2_001 } as const;

type Kind = keyof typeof FIRST_ID;

const CATALOGUE = new Map([
  ...numbered('root', ROOT_PERMISSIONS),
  ...numbered('project', PROJECT_PERMISSIONS),
  ...numbered('environment', ENVIRONMENT_PERMISSIONS),
]);

function numbered(type: Kind, names: readonly string[]): [string, Permission & { type: Kind }][] {
  return names.map((name, index) => [
    name,
    { id: FIRST_ID[type] + index, name, displayName: displayName(name), type },
  ]);
}

/** CREATE_FEATURE is shown as "Create feature". */
function displayName(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The permissions of a role as the API returns them. */
export const describePermissions = (held: RolePermission[]): Permission[] =>
  held.flatMap(({ name, ...where }) => {
    const known = CATALOGUE.get(name);
    return known ? [{ ...known, ...where }] : [];
  });

/** All permissions of a kind. */
export const listPermissions = (kind: Kind): (Permission & { type: Kind })[] =>
  [...CATALOGUE.values()].filter(({ type }) => type === kind);

/** All permissions that a custom role can have. */
export function listAllPermissions(environments: string[]) {
  const ofKind = (kind: Kind) => listPermissions(kind).filter(({ name }) => name !== 'ADMIN');
  return {
    root: ofKind('root'),
    project: ofKind('project'),
    environments: environments.map(environment => ({
      name: environment,
      permissions: ofKind('environment').map(permission => ({ ...permission, environment })),
    })),
  };
}

/** The violations of the permissions of a new role. */
export async function permissionViolations(
  db: Reader,
  { type = 'custom', permissions = [] }: Partial<RoleInput>,
): Promise<Violation[]> {
  return violationsOf(type, permissions, await listEnvironmentNames(db));
}

/** The permissions of a role without duplicates, and their violations. Their environments cannot be deleted meanwhile. */
export async function examinePermissions(
  tx: Tx,
  type: NonNullable<RoleInput['type']>,
  input: PermissionInput[],
): Promise<{ permissions: RolePermission[]; violations: Violation[] }> {
  const requested = input.map(({ name, environment }) => ({ name, ...(environment ? { environment } : {}) }));
  const violations = violationsOf(type, requested, await lockExistingEnvironments(tx, requested));
  const distinct = new Map(requested.map(permission => [JSON.stringify(permission), permission]));
  return { permissions: [...distinct.values()].toSorted(byNameAndEnvironment), violations };
}

function violationsOf(
  type: NonNullable<RoleInput['type']>,
  requested: PermissionInput[],
  environments: string[],
): Violation[] {
  return requested.flatMap(({ name, environment }, index) => {
    const at = `/body/permissions/${index}`;
    const message = nameViolation(type, name);
    if (message !== undefined) return [{ message, path: `${at}/name` }];
    if (!environment) return [];
    if (CATALOGUE.get(name)?.type !== 'environment') {
      return [{ message: `"${name}" cannot be restricted to an environment`, path: `${at}/environment` }];
    }
    return environments.includes(environment)
      ? []
      : [{ message: `environment "${environment}" does not exist`, path: `${at}/environment` }];
  });
}

function nameViolation(type: NonNullable<RoleInput['type']>, name: string): string | undefined {
  const known = CATALOGUE.get(name);
  if (!known) return `"${name}" is not a permission. GET /api/admin/permissions lists the permissions`;
  if (name === 'ADMIN') return 'ADMIN cannot be added to a custom role. Grant the role Admin instead';
  return type === 'custom' && known.type === 'root'
    ? `${name} applies to the instance, and a role of type custom applies to projects. Use the type root-custom`
    : undefined;
}

/** The order of the store, so that two lists can be compared. */
function byNameAndEnvironment(one: RolePermission, other: RolePermission): number {
  const key = ({ name, environment = '' }: RolePermission) => `${name} ${environment}`;
  return key(one) < key(other) ? -1 : 1;
}
