import type { Change } from '../../record/change.ts';
import { deleteDependencies, type FeatureFamily } from './store.ts';

/** Removes all dependencies of the features on their parents. The caller must have locked the features. */
export async function dropDependencies({ tx, record }: Change, features: FeatureFamily[]): Promise<void> {
  const children = features.filter(({ dependencies }) => dependencies.length > 0);
  if (children.length === 0) return;
  const names = children.map(({ name }) => name);
  await deleteDependencies(tx, names);
  for (const { name, project, dependencies } of children) {
    record({
      type: 'feature-dependencies-removed',
      project,
      featureName: name,
      preData: { dependencies },
    });
  }
}
