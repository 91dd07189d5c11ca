import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { Completion } from './schema.ts';
import { deleteStage, findCompletion, setCompletion } from './store.ts';

/** Marks a feature as completed, and records whether it was kept or discarded. */
export async function completeFeature(
  { tx, record }: Change,
  project: string,
  featureName: string,
  { status, statusValue }: Completion,
): Promise<void> {
  await lockActiveFeature(tx, project, featureName);
  const completionBefore = await findCompletion(tx, featureName);
  const completionAfter = { status, statusValue: statusValue ?? null };
  if (isDeepStrictEqual(completionAfter, completionBefore)) return;
  await setCompletion(tx, featureName, completionAfter);
  record({
    type: 'feature-completed',
    project,
    featureName,
    data: completionAfter,
    preData: completionBefore,
  });
}

/** Returns a completed feature to its previous stage. */
export async function uncompleteFeature(
  { tx, record }: Change,
  project: string,
  featureName: string,
): Promise<void> {
  await lockActiveFeature(tx, project, featureName);
  const completionBefore = await findCompletion(tx, featureName);
  if (completionBefore === null) return;
  await deleteStage(tx, featureName, 'completed');
  record({ type: 'feature-uncompleted', project, featureName, preData: completionBefore });
}
