import { invalidOperation, refuseBecause, some } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { dropDependencies } from '../dependencies/drop.ts';
import { type FeatureFamily, listFamilies } from '../dependencies/store.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { namesOf } from '../feature-rows/names.ts';
import { enterStage, startOver } from '../lifecycle/enter.ts';
import { admitToInstance, holdReceivingProject, refuseOverfull } from './admission.ts';
import { deleteFeatures, disableEverywhere, setArchived } from './store.ts';

export async function archiveFeatures(current: Change, project: string, names: string[]): Promise<void> {
  const { tx, record } = current;
  const features = await lockFeatures(tx, project, names);
  const changing = features.filter(feature => !feature.archived);
  if (changing.length === 0) return;
  const families = await listFamilies(tx, project, namesOf(changing));
  refuseBecause(childrenLeftBehind(families));
  await dropDependencies(current, families);
  await setArchived(tx, namesOf(changing), true);
  await enterStage(tx, namesOf(changing), 'archived');
  for (const { name } of changing) record({ type: 'feature-archived', project, featureName: name });
}

/** What is off for good would switch off its children as well: they go with it, or first. */
function childrenLeftBehind(features: FeatureFamily[]): string[] {
  const going = new Set(namesOf(features));
  return features.flatMap(({ name, children }) => {
    const staying = children.filter(child => !going.has(child));
    return staying.length === 0
      ? []
      : [
          `Feature ${name} is the parent of ${some(staying, 100)}. Archive them too, or remove the dependency.`,
        ];
  });
}

/** Brings features back, if the project and the instance have places for them. */
export async function reviveFeatures(
  { tx, record }: Change,
  project: string,
  names: string[],
  most: number,
): Promise<void> {
  const receiving = await holdReceivingProject(tx, project);
  const features = await lockFeatures(tx, project, names);
  const changing = features.filter(feature => feature.archived);
  if (changing.length === 0) return;
  refuseOverfull(project, receiving, changing.length);
  await admitToInstance(tx, most, changing.length);
  await setArchived(tx, namesOf(changing), false);
  const disabled = await disableEverywhere(tx, namesOf(changing));
  await startOver(tx, namesOf(changing));
  for (const { name } of changing) {
    record({ type: 'feature-revived', project, featureName: name });
    for (const { featureName, environment } of disabled) {
      if (featureName === name)
        record({ type: 'feature-environment-disabled', project, environment, featureName });
    }
  }
}

/** Deletes for good what was archived before. */
export async function removeFeatures(
  { tx, record }: Change,
  project: string,
  names: string[],
): Promise<void> {
  const features = await lockFeatures(tx, project, names);
  const active = features.filter(feature => !feature.archived);
  if (active.length > 0) throw invalidOperation(`Archive ${namesOf(active).join(', ')} before deleting.`);
  for (const { tags, ...preData } of await deleteFeatures(tx, namesOf(features))) {
    record({ type: 'feature-deleted', project, featureName: preData.name, preData, tags });
  }
}
