import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { Completion } from './schema.ts';
import { deleteStage, findCompletion, setCompleted } from './store.ts';

/** Marks a feature as completed: kept or discarded. */
export async function completeFeature(
  { tx, record }: Change,
  project: string,
  featureName: string,
  { status, statusValue }: Completion,
): Promise<void> {
  await lockActiveFeature(tx, project, featureName);
  const before = await findCompletion(tx, featureName);
  const after = { status, statusValue: statusValue ?? null };
  if (isDeepStrictEqual(after, before)) return;
  await setCompleted(tx, featureName, after);
  record({ type: 'feature-completed', project, featureName, data: after, preData: before });
}

/** Returns a completed feature to its previous stage. */
export async function uncompleteFeature(
  { tx, record }: Change,
  project: string,
  featureName: string,
): Promise<void> {
  await lockActiveFeature(tx, project, featureName);
  const before = await findCompletion(tx, featureName);
  if (before === null) return;
  await deleteStage(tx, featureName, 'completed');
  record({ type: 'feature-uncompleted', project, featureName, preData: before });
}
