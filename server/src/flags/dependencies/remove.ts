import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { dropDependencies } from './drop.ts';
import { deleteDependency, listFamilies } from './store.ts';

export async function removeDependency(
  { tx, record }: Change,
  project: string,
  name: string,
  parent: string,
): Promise<void> {
  await lockActiveFeature(tx, project, name);
  const [family] = await listFamilies(tx, project, [name]);
  const preData = family?.dependencies.find(({ feature }) => feature === parent);
  if (!preData) throw notFound(`Dependency of feature "${name}" on "${parent}"`);
  await deleteDependency(tx, name, parent);
  record({ type: 'feature-dependency-removed', project, featureName: name, preData });
}

/** Removes all dependencies of a feature on its parents. */
export async function removeDependencies(current: Change, project: string, name: string): Promise<void> {
  await lockActiveFeature(current.tx, project, name);
  await dropDependencies(current, await listFamilies(current.tx, project, [name]));
}
