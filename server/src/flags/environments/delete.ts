import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound, refuseBecause, some } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import {
  countTokens,
  deleteEnvironment,
  listProjectsWith,
  lockAllEnvironments,
  lockFeaturesOf,
  lockProjectsWith,
} from './store.ts';

/** Deletes an environment that nothing depends on any more, and takes it from all projects. */
export async function removeEnvironment(db: Db, actor: Actor, name: string): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    // Projects before environments, as everybody does: who adds another environment to one of them holds the project.
    await lockProjectsWith(tx, name);
    const all = await lockAllEnvironments(tx);
    const environment = all.find(one => one.name === name);
    if (!environment) throw notFound(`Environment ${name}`);
    // Again, for one that has come by it in between; from here on none can. Without waiting, since it is out of order.
    await lockProjectsWith(tx, name, 'nowait');
    const projects = await listProjectsWith(tx, name);
    const tokens = await countTokens(tx, name);
    refuseBecause([
      ...(environment.protected ? [`${name} is protected.`] : []),
      ...(all.length === 1 ? [`${name} is the last environment.`] : []),
      ...onlyOneOf(projects.filter(project => !project.hasOthers).map(project => project.id)),
      ...enabledFeatures(await lockFeaturesOf(tx, name)),
      ...(tokens > 0 ? [`Revoke the API tokens for it first (${tokens}).`] : []),
    ]);

    await deleteEnvironment(tx, name);
    record({ type: 'environment-deleted', environment: name, preData: environment });
    for (const { id } of projects) {
      record({ type: 'project-environment-removed', project: id, environment: name });
    }
  });
}

export const onlyOneOf = (projects: string[]): string[] =>
  projects.length === 0 ? [] : [`It is the only environment of project ${some(projects)}.`];

export const enabledFeatures = (names: string[]): string[] =>
  names.length === 0 ? [] : [`Switch off the features enabled in it first: ${some(names)}.`];
