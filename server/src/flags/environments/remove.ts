import { counted, notFound, rejectWith, some } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import {
  countTokens,
  deleteEnvironment,
  listProjectsWith,
  lockAllEnvironments,
  lockFeaturesIn,
  lockProjectsWith,
} from './store.ts';

/** Deletes an environment that nothing depends on, and removes it from all projects. */
export async function removeEnvironment({ tx, record }: Change, name: string): Promise<void> {
  // Locks projects before environments, in the common lock order. Adding an environment to a project locks the project.
  await lockProjectsWith(tx, name);
  const all = await lockAllEnvironments(tx);
  const environment = all.find(one => one.name === name);
  if (!environment) throw notFound(`Environment "${name}"`);
  // A project may have got the environment between the two statements. None can from here on. This second lock is out of
  // order, so it does not wait.
  await lockProjectsWith(tx, name, 'nowait');
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

  await deleteEnvironment(tx, name);
  record({ type: 'environment-deleted', environment: name, preData: environment });
  for (const { id } of projects) {
    record({ type: 'project-environment-removed', project: id, environment: name });
  }
}

export const onlyEnvironmentReasons = (environment: string, projects: string[]): string[] =>
  projects.length === 0
    ? []
    : [`Environment "${environment}" is the only environment of project ${some(projects)}.`];

export const enabledFeatureReasons = (environment: string, names: string[]): string[] =>
  names.length === 0
    ? []
    : [`Features are enabled in environment "${environment}": ${some(names)}. Disable them first.`];
