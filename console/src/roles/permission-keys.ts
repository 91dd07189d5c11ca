import type { RoleWithPermissions } from './queries.ts';

/** A role's permission as one string, such as CREATE_FEATURE or "UPDATE_FEATURE_ENVIRONMENT in production". */
export type PermissionKey = string;

const SEPARATOR = ' in ';

export const formatPermissionKey = (name: string, environment?: string): PermissionKey =>
  environment === undefined ? name : name + SEPARATOR + environment;

/** Returns a role's permissions, sorted and without those that apply to one project only, which built-in roles have. */
export const listPermissionKeys = ({
  permissions,
}: Pick<RoleWithPermissions, 'permissions'>): PermissionKey[] =>
  permissions
    .filter(({ project }) => project === undefined)
    .map(({ name, environment }) => formatPermissionKey(name, environment))
    .toSorted();

/** Converts permissions to the form that the API accepts. */
export const toInputs = (heldKeys: readonly PermissionKey[]): { name: string; environment?: string }[] =>
  heldKeys.map(key => {
    const [name = '', environment] = key.split(SEPARATOR);
    return environment === undefined ? { name } : { name, environment };
  });

/** Returns whether a role has a permission. ADMIN includes everything, and a permission without an environment applies to every environment. */
export const hasPermission = (
  heldKeys: ReadonlySet<PermissionKey>,
  name: string,
  environment?: string,
): boolean =>
  heldKeys.has('ADMIN') ||
  heldKeys.has(name) ||
  (environment !== undefined && heldKeys.has(formatPermissionKey(name, environment)));

/** Adds or removes a permission. A permission for all environments replaces those for single environments. */
export function togglePermission(
  heldKeys: readonly PermissionKey[],
  name: string,
  environment: string | undefined,
  environments: readonly string[],
): PermissionKey[] {
  const otherKeys = heldKeys.filter(key => key !== name && !key.startsWith(name + SEPARATOR));
  const heldEnvironments = new Set(
    environments.filter(
      candidate => heldKeys.includes(name) || heldKeys.includes(formatPermissionKey(name, candidate)),
    ),
  );
  if (environment === undefined) return heldKeys.includes(name) ? otherKeys : [...otherKeys, name].toSorted();
  if (heldEnvironments.has(environment)) heldEnvironments.delete(environment);
  else heldEnvironments.add(environment);
  return [
    ...otherKeys,
    ...[...heldEnvironments].map(heldEnvironment => formatPermissionKey(name, heldEnvironment)),
  ].toSorted();
}

export type Difference = 'added' | 'removed' | undefined;

/** Returns how a cell differs from the other role. */
export function findDifference(
  ownKeys: ReadonlySet<PermissionKey>,
  otherKeys: ReadonlySet<PermissionKey> | undefined,
  name: string,
  environment?: string,
): Difference {
  if (!otherKeys) return undefined;
  const [ownHas, otherHas] = [
    hasPermission(ownKeys, name, environment),
    hasPermission(otherKeys, name, environment),
  ];
  return ownHas === otherHas ? undefined : ownHas ? 'added' : 'removed';
}
