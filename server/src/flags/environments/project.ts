import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound, refuseBecause } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { enabledFeatures, onlyOneOf } from './delete.ts';
import {
  deleteProjectEnvironment,
  insertFeatureEnvironments,
  insertProjectEnvironment,
  lockEnvironmentsOf,
  lockFeaturesOf,
} from './store.ts';

/** Adds an environment to a project; every feature of the project is there too, switched off. */
export async function addToProject(
  db: Db,
  actor: Actor,
  project: string,
  environment: string,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    if (!(await lockEnvironmentsOf(tx, project))) throw notFound(`Project ${project}`);
    if (!(await insertProjectEnvironment(tx, project, environment))) {
      throw badData([{ message: `environment ${environment} does not exist`, path: '/body/environment' }]);
    }
    await insertFeatureEnvironments(tx, project, environment);
    record({ type: 'project-environment-added', project, environment });
  });
}

/** Takes an environment from a project, and from its features what they had there. */
export async function removeFromProject(
  db: Db,
  actor: Actor,
  project: string,
  environment: string,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const environments = await lockEnvironmentsOf(tx, project);
    if (!environments) throw notFound(`Project ${project}`);
    if (!environments.includes(environment))
      throw notFound(`Environment ${environment} of project ${project}`);
    refuseBecause([
      ...onlyOneOf(environments.length === 1 ? [project] : []),
      ...enabledFeatures(await lockFeaturesOf(tx, environment, project)),
    ]);

    await deleteProjectEnvironment(tx, project, environment);
    record({ type: 'project-environment-removed', project, environment });
  });
}
