import { invalidOperation, quoteNames, quoteSome, rejectWith } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { dropDependencies } from '../dependencies/drop.ts';
import { type FeatureFamily, listFamilies } from '../dependencies/store.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { getFeatureNames } from '../feature-rows/names.ts';
import { enterStage, restartLifecycle } from '../lifecycle/enter.ts';
import { lockActiveProject, rejectOverInstanceLimit, rejectOverLimit } from './project-rules.ts';
import { deleteFeatures, disableEverywhere, setArchived } from './store.ts';

export async function archiveFeatures(current: Change, project: string, names: string[]): Promise<void> {
  const { tx, record } = current;
  const features = await lockFeatures(tx, project, names);
  const activeFeatures = features.filter(feature => !feature.archived);
  if (activeFeatures.length === 0) return;
  const families = await listFamilies(tx, project, getFeatureNames(activeFeatures));
  rejectWith(listActiveChildReasons(families));
  await dropDependencies(current, families);
  await setArchived(tx, getFeatureNames(activeFeatures), true);
  await enterStage(tx, getFeatureNames(activeFeatures), 'archived');
  for (const { name } of activeFeatures) record({ type: 'feature-archived', project, featureName: name });
}

/**
 * Returns a reason to reject each parent whose children would stay active. Archiving a parent would disable its children, so they
 * must be archived before the parent or together with it.
 */
function listActiveChildReasons(features: FeatureFamily[]): string[] {
  const archivedNames = new Set(getFeatureNames(features));
  return features.flatMap(({ name, children }) => {
    const remainingChildren = children.filter(child => !archivedNames.has(child));
    return remainingChildren.length === 0
      ? []
      : [
          `Feature "${name}" is the parent of ${quoteSome(remainingChildren, 100)}. Archive them too, or remove the dependency.`,
        ];
  });
}

/** Revives features, disabled in every environment and without parents, within the limits of the project and the instance. */
export async function reviveFeatures(
  { tx, record }: Change,
  project: string,
  names: string[],
  instanceLimit: number,
): Promise<void> {
  const targetProject = await lockActiveProject(tx, project);
  const features = await lockFeatures(tx, project, names);
  const archivedFeatures = features.filter(feature => feature.archived);
  if (archivedFeatures.length === 0) return;
  rejectOverLimit(project, targetProject, archivedFeatures.length);
  await rejectOverInstanceLimit(tx, instanceLimit, archivedFeatures.length);
  await setArchived(tx, getFeatureNames(archivedFeatures), false);
  const disabledEnvironments = await disableEverywhere(tx, getFeatureNames(archivedFeatures));
  await restartLifecycle(tx, getFeatureNames(archivedFeatures));
  for (const { name } of archivedFeatures) {
    record({ type: 'feature-revived', project, featureName: name });
    for (const { featureName, environment } of disabledEnvironments) {
      if (featureName === name)
        record({ type: 'feature-environment-disabled', project, environment, featureName });
    }
  }
}

/** Deletes archived features permanently. */
export async function removeFeatures(
  { tx, record }: Change,
  project: string,
  names: string[],
): Promise<void> {
  const features = await lockFeatures(tx, project, names);
  const activeFeatures = features.filter(feature => !feature.archived);
  if (activeFeatures.length > 0)
    throw invalidOperation(
      `Feature ${quoteNames(getFeatureNames(activeFeatures))} is not archived. Archive it before you delete it.`,
    );
  for (const { tags, ...preData } of await deleteFeatures(tx, getFeatureNames(features)))
    record({ type: 'feature-deleted', project, featureName: preData.name, preData, tags });
}
