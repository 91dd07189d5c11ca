import { invalidOperation, refuseBecause, some } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { dropDependencies } from '../dependencies/drop.ts';
import { enterStage, startOver } from '../lifecycle/enter.ts';
import { admitToInstance, asEventData, holdReceivingProject, refuseOverfull } from './create.ts';
import { holdFeatures } from './load.ts';
import { namesOf } from './many.ts';
import type { Feature } from './schema.ts';
import { deleteFeatures, setArchived } from './store.ts';

export async function archiveFeatures(current: Change, project: string, names: string[]): Promise<void> {
  const { tx, actor, record } = current;
  const features = await holdFeatures(tx, actor, project, names);
  const changing = features.filter(feature => !feature.archived);
  if (changing.length === 0) return;
  refuseBecause(childrenLeftBehind(changing));
  await dropDependencies(current, changing);
  await setArchived(tx, namesOf(changing), true);
  await enterStage(tx, namesOf(changing), 'archived');
  for (const { name } of changing) record({ type: 'feature-archived', project, featureName: name });
}

/** What is off for good would switch off its children as well: they go with it, or first. */
function childrenLeftBehind(features: Feature[]): string[] {
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
  { tx, actor, record }: Change,
  project: string,
  names: string[],
  most: number,
): Promise<void> {
  const receiving = await holdReceivingProject(tx, project);
  const features = await holdFeatures(tx, actor, project, names);
  const changing = features.filter(feature => feature.archived);
  if (changing.length === 0) return;
  refuseOverfull(project, receiving, changing.length);
  await admitToInstance(tx, most, changing.length);
  await setArchived(tx, namesOf(changing), false);
  await startOver(tx, namesOf(changing));
  for (const feature of changing) {
    record({ type: 'feature-revived', project, featureName: feature.name });
    for (const { name: environment, enabled } of feature.environments) {
      if (enabled)
        record({ type: 'feature-environment-disabled', project, environment, featureName: feature.name });
    }
  }
}

/** Deletes for good what was archived before. */
export async function removeFeatures(
  { tx, actor, record }: Change,
  project: string,
  names: string[],
): Promise<void> {
  const features = await holdFeatures(tx, actor, project, names);
  const active = features.filter(feature => !feature.archived);
  if (active.length > 0) throw invalidOperation(`Archive ${namesOf(active).join(', ')} before deleting.`);
  await deleteFeatures(tx, namesOf(features));
  for (const feature of features) {
    record({
      type: 'feature-deleted',
      project,
      featureName: feature.name,
      preData: asEventData(feature),
      tags: feature.tags,
    });
  }
}
