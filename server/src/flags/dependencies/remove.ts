import { notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { holdActiveFeature } from '../features/load.ts';
import { dropDependencies } from './drop.ts';
import { deleteDependency } from './store.ts';

export async function removeDependency(
  { tx, actor, record }: Change,
  project: string,
  name: string,
  parent: string,
): Promise<void> {
  const { dependencies } = await holdActiveFeature(tx, actor, project, name);
  const preData = dependencies.find(({ feature }) => feature === parent);
  if (!preData) throw notFound(`Dependency of feature ${name} on ${parent}`);
  await deleteDependency(tx, name, parent);
  record({ type: 'feature-dependency-removed', project, featureName: name, preData });
}

/** Takes all parents from a feature; without any it changes nothing. */
export async function removeDependencies(current: Change, project: string, name: string): Promise<void> {
  await dropDependencies(current, [await holdActiveFeature(current.tx, current.actor, project, name)]);
}
