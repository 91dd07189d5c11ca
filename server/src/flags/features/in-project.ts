import { formatCount, invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { countActiveFeatures, deleteProjectFeatures } from './store.ts';

/** Rejects archiving or deleting a project that has active features. */
export async function rejectActiveFeatures(tx: Tx, project: string): Promise<void> {
  const activeCount = await countActiveFeatures(tx, project);
  if (activeCount > 0)
    throw invalidOperation(
      `Project "${project}" has ${formatCount(activeCount, 'active feature')}. Archive them first.`,
    );
}

/** Deletes the archived features of a project that is being deleted. */
export async function removeArchivedProjectFeatures({ tx, record }: Change, project: string): Promise<void> {
  for (const { tags, ...preData } of await deleteProjectFeatures(tx, project))
    record({ type: 'feature-deleted', project, featureName: preData.name, preData, tags });
}
