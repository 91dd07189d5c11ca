import {
  ENVIRONMENT_HINT,
  formatCount,
  notFound,
  quoteSome,
  rejectWith,
} from '@halyard/plane/platform/errors.ts';
import { lockRolesIn, removeEnvironmentFromRoles } from '../../people/roles/environments.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import {
  countTokens,
  deleteEnvironment,
  type EnvironmentFields,
  type EnvironmentUse,
  listProjectsWith,
  listUses,
  lockAllEnvironments,
  lockFeaturesIn,
  lockProjectsWith,
} from './store.ts';

/** Deletes an environment that nothing depends on, and removes it from all projects. */
export async function removeEnvironment(current: Change, name: string): Promise<void> {
  const { tx, record } = current;
  const environments = await lockForRemoval(tx, name);
  const environment = environments.find(candidate => candidate.name === name);
  if (!environment) throw notFound(`Environment "${name}"`, ENVIRONMENT_HINT);
  const projects = await listProjectsWith(tx, name);
  const tokens = await countTokens(tx, name);
  rejectWith([
    ...(environment.protected ? [`Environment "${name}" is protected.`] : []),
    ...(environments.length === 1 ? [`Environment "${name}" is the last environment.`] : []),
    ...listOnlyEnvironmentReasons(
      name,
      projects.filter(project => !project.hasOthers).map(project => project.id),
    ),
    ...listEnabledFeatureReasons(name, await lockFeaturesIn(tx, name)),
    ...(tokens > 0
      ? [
          `Environment "${name}" has ${formatCount(tokens, 'API token')}. Revoke ${tokens === 1 ? 'it' : 'them'} first.`,
        ]
      : []),
  ]);

  const uses = await listUses(tx, name);
  await removeEnvironmentFromRoles(current, name);
  await deleteEnvironment(tx, name);
  record({ type: 'environment-deleted', environment: name, preData: environment });
  for (const use of uses) {
    record({
      type: 'project-environment-removed',
      project: use.project,
      environment: name,
      preData: toEventData(use),
    });
  }
}

/** Locks all environments, and the projects and roles that have the environment. Returns the environments. */
export async function lockForRemoval(tx: Tx, name: string): Promise<EnvironmentFields[]> {
  // Projects and roles are locked before environments, because adding an environment to a project or role locks the project or role
  // first.
  await lockProjectsWith(tx, name);
  await lockRolesIn(tx, name);
  const environments = await lockAllEnvironments(tx);
  // The environment may have been added to another project or role before the environments were locked. These locks are out of
  // order, so they fail instead of waiting.
  await lockProjectsWith(tx, name, 'nowait');
  await lockRolesIn(tx, name, 'nowait');
  return environments;
}

/** Returns the event data, including how many strategies and variants are deleted too, because those deletions have no events. */
export function toEventData(use: EnvironmentUse | undefined): object | null {
  if (!use) return null;
  const { project: _, ...fields } = use;
  return fields;
}

export const listOnlyEnvironmentReasons = (environment: string, projects: string[]): string[] =>
  projects.length === 0
    ? []
    : [
        `Environment "${environment}" is the only environment of ${projects.length === 1 ? 'project' : 'projects'} ${quoteSome(projects)}.`,
      ];

export const listEnabledFeatureReasons = (environment: string, names: string[]): string[] =>
  names.length === 0
    ? []
    : [`Features are enabled in environment "${environment}": ${quoteSome(names)}. Disable them first.`];
