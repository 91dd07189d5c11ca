import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../record/change.ts';
import { holdActiveFeature } from '../features/load.ts';
import type { Completion, Lifecycle } from './schema.ts';
import { deleteStage, setCompleted } from './store.ts';

/** Says that the work on a feature is done and what became of it; saying it again changes nothing. */
export async function completeFeature(
  { tx, actor, record }: Change,
  project: string,
  featureName: string,
  { status, statusValue }: Completion,
): Promise<void> {
  const feature = await holdActiveFeature(tx, actor, project, featureName);
  const before = completionOf(feature.lifecycle);
  const after = { status, statusValue: statusValue ?? null };
  if (isDeepStrictEqual(after, before)) return;
  await setCompleted(tx, featureName, after);
  record({ type: 'feature-completed', project, featureName, data: after, preData: before });
}

/** Takes the completion back: the feature is where it was before. */
export async function uncompleteFeature(
  { tx, actor, record }: Change,
  project: string,
  featureName: string,
): Promise<void> {
  const feature = await holdActiveFeature(tx, actor, project, featureName);
  const before = completionOf(feature.lifecycle);
  if (before === null) return;
  await deleteStage(tx, featureName, 'completed');
  record({ type: 'feature-uncompleted', project, featureName, preData: before });
}

const completionOf = ({ stage, status, statusValue }: Lifecycle) =>
  stage === 'completed' ? { status, statusValue: statusValue ?? null } : null;
