import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../../access/permissions.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import type { Permission, PermissionInput, RoleInput } from './schema.ts';
import { type HeldPermission, holdEnvironments } from './store.ts';

/** A list may grow at its end: the numbers of the others stay. */
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
    { id: FIRST_ID[type] + index, name, displayName: readable(name), type },
  ]);
}

/** CREATE_FEATURE is shown as "Create feature". */
function readable(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a caller sees of permissions that a role holds. */
export const described = (held: HeldPermission[]): Permission[] =>
  held.flatMap(({ name, ...where }) => {
    const known = CATALOGUE.get(name);
    return known ? [{ ...known, ...where }] : [];
  });

/** Everything that a role of one's own can hold. */
export function listAllPermissions(environments: string[]) {
  const ofKind = (kind: Kind) =>
    [...CATALOGUE.values()].filter(({ type, name }) => type === kind && name !== 'ADMIN');
  return {
    root: ofKind('root'),
    project: ofKind('project'),
    environments: environments.map(environment => ({
      name: environment,
      permissions: ofKind('environment').map(permission => ({ ...permission, environment })),
    })),
  };
}

/** What is wrong with the permissions of a role to be created, as far as they are given. */
export async function permissionViolations(
  db: Db,
  { type = 'custom', permissions = [] }: Partial<RoleInput>,
): Promise<Violation[]> {
  return (await db.transaction().execute(tx => examinePermissions(tx, type, permissions))).violations;
}

/** The permissions of a role without repetitions, and everything that is wrong with them. */
export async function examinePermissions(
  tx: Tx,
  type: NonNullable<RoleInput['type']>,
  input: PermissionInput[],
): Promise<{ permissions: HeldPermission[]; violations: Violation[] }> {
  const named = input.map(({ name, environment }) => ({ name, ...(environment ? { environment } : {}) }));
  const environments = await holdEnvironments(tx, named);
  const violations = named.flatMap(({ name, environment }, index) => {
    const at = `/body/permissions/${index}`;
    const wrong = nameViolation(type, name);
    if (wrong !== undefined) return [{ message: wrong, path: `${at}/name` }];
    if (environment === undefined) return [];
    if (CATALOGUE.get(name)?.type !== 'environment') {
      return [{ message: `${name} is not held for an environment`, path: `${at}/environment` }];
    }
    return environments.includes(environment)
      ? []
      : [{ message: `environment ${environment} does not exist`, path: `${at}/environment` }];
  });
  const distinct = new Map(named.map(permission => [JSON.stringify(permission), permission]));
  return { permissions: [...distinct.values()].toSorted(byNameAndEnvironment), violations };
}

function nameViolation(type: NonNullable<RoleInput['type']>, name: string): string | undefined {
  const known = CATALOGUE.get(name);
  if (!known) return `${name} is not a permission`;
  if (name === 'ADMIN') return 'ADMIN is held by the role Admin alone';
  return type === 'custom' && known.type === 'root'
    ? `${name} is held on the instance, and a role of type custom is held in projects`
    : undefined;
}

/** The order in which the store lists them, so that two lists can be compared. */
function byNameAndEnvironment(one: HeldPermission, other: HeldPermission): number {
  const key = ({ name, environment = '' }: HeldPermission) => `${name} ${environment}`;
  return key(one) < key(other) ? -1 : 1;
}
