import { counted, notFound, rejectWith, some } from '../../../../plane/src/platform/errors.ts';
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
  const all = await lockForRemoval(tx, name);
  const environment = all.find(one => one.name === name);
  if (!environment) throw notFound(`Environment "${name}"`);
  const projects = await listProjectsWith(tx, name);
  const tokens = await countTokens(tx, name);
  rejectWith([
    ...(environment.protected ? [`Environment "${name}" is protected.`] : []),
    ...(all.length === 1 ? [`Environment "${name}" is the last environment.`] : []),
    ...onlyEnvironmentReasons(
      name,
      projects.filter(project => !project.hasOthers).map(project => project.id),
    ),
    ...enabledFeatureReasons(name, await lockFeaturesIn(tx, name)),
    ...(tokens > 0
      ? [
          `Environment "${name}" has ${counted(tokens, 'API token')}. Revoke ${tokens === 1 ? 'it' : 'them'} first.`,
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
      preData: useAsEventData(use),
    });
  }
}

/** Locks all environments, and the projects and roles that have the environment. Returns the environments. */
export async function lockForRemoval(tx: Tx, name: string): Promise<EnvironmentFields[]> {
  // Locks projects and roles before environments, in the common lock order. Adding an environment to a project or to a role locks
  // the project or the role.
  await lockProjectsWith(tx, name);
  await lockRolesIn(tx, name);
  const all = await lockAllEnvironments(tx);
  // Between the two statements, the environment may have been added to a project or role; from here on, that is impossible. These
  // second locks are out of order, so they do not wait.
  await lockProjectsWith(tx, name, 'nowait');
  await lockRolesIn(tx, name, 'nowait');
  return all;
}

/**
 * The strategies and variants that are deleted with the environment have no separate events, so this event contains their number.
 */
export function useAsEventData(use: EnvironmentUse | undefined): object | null {
  if (!use) return null;
  const { project: _, ...fields } = use;
  return fields;
}

export const onlyEnvironmentReasons = (environment: string, projects: string[]): string[] =>
  projects.length === 0
    ? []
    : [`Environment "${environment}" is the only environment of project ${some(projects)}.`];

export const enabledFeatureReasons = (environment: string, names: string[]): string[] =>
  names.length === 0
    ? []
    : [`Features are enabled in environment "${environment}": ${some(names)}. Disable them first.`];
