import type { RoleWithPermissions } from './queries.ts';

/** A permission of a role as one string: CREATE_FEATURE, or "UPDATE_FEATURE_ENVIRONMENT in production". */
export type Held = string;

const IN = ' in ';

export const heldOf = (name: string, environment?: string): Held =>
  environment === undefined ? name : name + IN + environment;

/** The permissions of a role, sorted. Excludes those that apply to one project only, which built-in roles have. */
export const heldBy = ({ permissions }: Pick<RoleWithPermissions, 'permissions'>): Held[] =>
  permissions
    .filter(({ project }) => project === undefined)
    .map(({ name, environment }) => heldOf(name, environment))
    .toSorted();

/** As the API takes them. */
export const inputsOf = (held: readonly Held[]): { name: string; environment?: string }[] =>
  held.map(one => {
    const [name = '', environment] = one.split(IN);
    return environment === undefined ? { name } : { name, environment };
  });

/** Whether the role has the permission. ADMIN includes everything, and no environment means all environments. */
export const has = (held: ReadonlySet<Held>, name: string, environment?: string): boolean =>
  held.has('ADMIN') || held.has(name) || (environment !== undefined && held.has(heldOf(name, environment)));

/** The permissions with one added or removed. "All environments" replaces those of single ones. */
export function toggled(
  held: readonly Held[],
  name: string,
  environment: string | undefined,
  all: readonly string[],
): Held[] {
  const others = held.filter(one => one !== name && !one.startsWith(name + IN));
  const now = new Set(all.filter(one => held.includes(name) || held.includes(heldOf(name, one))));
  if (environment === undefined) return held.includes(name) ? others : [...others, name].toSorted();
  if (now.has(environment)) now.delete(environment);
  else now.add(environment);
  return [...others, ...[...now].map(one => heldOf(name, one))].toSorted();
}

export type Difference = 'added' | 'removed' | undefined;

/** How a cell differs from the role that it is compared with. */
export function differenceOf(
  mine: ReadonlySet<Held>,
  other: ReadonlySet<Held> | undefined,
  name: string,
  environment?: string,
): Difference {
  if (!other) return undefined;
  const [here, there] = [has(mine, name, environment), has(other, name, environment)];
  return here === there ? undefined : here ? 'added' : 'removed';
}
