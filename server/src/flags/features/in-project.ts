import { counted, invalidOperation } from '../../../../plane/src/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { countActiveFeatures, deleteFeaturesOfProject } from './store.ts';

/** Rejects archiving or deleting a project that has active features. */
export async function rejectActiveFeatures(tx: Tx, project: string): Promise<void> {
  const active = await countActiveFeatures(tx, project);
  if (active > 0)
    throw invalidOperation(
      `Project "${project}" has ${counted(active, 'active feature')}. Archive them first.`,
    );
}

/** Part of a change that deletes a project: deletes its archived features. */
export async function removeFeaturesOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const { tags, ...preData } of await deleteFeaturesOfProject(tx, project)) {
    record({ type: 'feature-deleted', project, featureName: preData.name, preData, tags });
  }
}
