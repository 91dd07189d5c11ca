import {
  badData,
  ENVIRONMENT_HINT,
  notFound,
  rejectWith,
  unknownEnvironment,
} from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { listEnabledFeatureReasons, listOnlyEnvironmentReasons, toEventData } from './remove.ts';
import {
  deleteProjectEnvironment,
  insertFeatureEnvironments,
  insertProjectEnvironment,
  listUses,
  lockFeaturesIn,
  lockProjectWithEnvironments,
} from './store.ts';

/** Adds an environment to a project. Every feature of the project gets the environment and is disabled there. */
export async function addEnvironmentToProject(
  { tx, record }: Change,
  project: string,
  environment: string,
): Promise<void> {
  if (!(await lockProjectWithEnvironments(tx, project))) throw notFound(`Project "${project}"`);
  if (!(await insertProjectEnvironment(tx, project, environment)))
    throw badData([{ message: unknownEnvironment(environment), path: '/body/environment' }]);
  await insertFeatureEnvironments(tx, project, environment);
  record({ type: 'project-environment-added', project, environment });
}

/** Removes an environment from a project, with the strategies and variants its features have in the environment. */
export async function removeEnvironmentFromProject(
  { tx, record }: Change,
  project: string,
  environment: string,
): Promise<void> {
  const environments = await lockProjectWithEnvironments(tx, project);
  if (!environments) throw notFound(`Project "${project}"`);
  if (!environments.includes(environment))
    throw notFound(`Environment "${environment}" of project "${project}"`, ENVIRONMENT_HINT);
  rejectWith([
    ...listOnlyEnvironmentReasons(environment, environments.length === 1 ? [project] : []),
    ...listEnabledFeatureReasons(environment, await lockFeaturesIn(tx, environment, project)),
  ]);

  const [use] = await listUses(tx, environment, project);
  await deleteProjectEnvironment(tx, project, environment);
  record({ type: 'project-environment-removed', project, environment, preData: toEventData(use) });
}
