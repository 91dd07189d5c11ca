import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { holdActiveFeature } from '../features/load.ts';
import { dropDependencies } from './drop.ts';
import { deleteDependency } from './store.ts';

export async function removeDependency(
  db: Db,
  actor: Actor,
  project: string,
  name: string,
  parent: string,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const { dependencies } = await holdActiveFeature(tx, actor, project, name);
    const preData = dependencies.find(({ feature }) => feature === parent);
    if (!preData) throw notFound(`Dependency of feature ${name} on ${parent}`);
    await deleteDependency(tx, name, parent);
    record({ type: 'feature-dependency-removed', project, featureName: name, preData });
  });
}

/** Takes all parents from a feature; without any it changes nothing. */
export async function removeDependencies(db: Db, actor: Actor, project: string, name: string): Promise<void> {
  await change(db, actor, async current => {
    await dropDependencies(current, [await holdActiveFeature(current.tx, actor, project, name)]);
  });
}
