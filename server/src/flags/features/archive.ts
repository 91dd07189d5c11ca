import { invalidOperation, quoted, rejectWith, some } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { dropDependencies } from '../dependencies/drop.ts';
import { type FeatureFamily, listFamilies } from '../dependencies/store.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { namesOf } from '../feature-rows/names.ts';
import { enterStage, restartLifecycle } from '../lifecycle/enter.ts';
import { lockActiveProject, rejectOverInstanceLimit, rejectOverLimit } from './project-rules.ts';
import { deleteFeatures, disableEverywhere, setArchived } from './store.ts';

export async function archiveFeatures(current: Change, project: string, names: string[]): Promise<void> {
  const { tx, record } = current;
  const features = await lockFeatures(tx, project, names);
  const changing = features.filter(feature => !feature.archived);
  if (changing.length === 0) return;
  const families = await listFamilies(tx, project, namesOf(changing));
  rejectWith(activeChildren(families));
  await dropDependencies(current, families);
  await setArchived(tx, namesOf(changing), true);
  await enterStage(tx, namesOf(changing), 'archived');
  for (const { name } of changing) record({ type: 'feature-archived', project, featureName: name });
}

/** Archiving a parent would disable its children, so they must be archived with it or before it. */
function activeChildren(features: FeatureFamily[]): string[] {
  const archiving = new Set(namesOf(features));
  return features.flatMap(({ name, children }) => {
    const others = children.filter(child => !archiving.has(child));
    return others.length === 0
      ? []
      : [
          `Feature "${name}" is the parent of ${some(others, 100)}. Archive them too, or remove the dependency.`,
        ];
  });
}

/** Revives features, disabled in every environment and without parents, within the limits of the project and the instance. */
export async function reviveFeatures(
  { tx, record }: Change,
  project: string,
  names: string[],
  most: number,
): Promise<void> {
  const receiving = await lockActiveProject(tx, project);
  const features = await lockFeatures(tx, project, names);
  const changing = features.filter(feature => feature.archived);
  if (changing.length === 0) return;
  rejectOverLimit(project, receiving, changing.length);
  await rejectOverInstanceLimit(tx, most, changing.length);
  await setArchived(tx, namesOf(changing), false);
  const disabled = await disableEverywhere(tx, namesOf(changing));
  await restartLifecycle(tx, namesOf(changing));
  for (const { name } of changing) {
    record({ type: 'feature-revived', project, featureName: name });
    for (const { featureName, environment } of disabled) {
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
  const active = features.filter(feature => !feature.archived);
  if (active.length > 0)
    throw invalidOperation(
      `Feature ${quoted(namesOf(active))} is not archived. Archive it before you delete it.`,
    );
  for (const { tags, ...preData } of await deleteFeatures(tx, namesOf(features))) {
    record({ type: 'feature-deleted', project, featureName: preData.name, preData, tags });
  }
}
