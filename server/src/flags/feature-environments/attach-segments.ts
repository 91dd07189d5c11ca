import { notFound } from '@halyard/plane/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import type { StrategySegments } from './schema.ts';
import { findFeatureOfStrategy } from './store.ts';
import { changeStrategy } from './strategies.ts';

/** Sets the segments of a strategy and records the same event as a strategy update. */
export async function attachSegments(
  current: Change,
  { projectId, environmentId, strategyId, segmentIds }: StrategySegments,
): Promise<StrategySegments> {
  const { tx, actor } = current;
  await requireInProject(tx, actor, projectId, ['UPDATE_FEATURE_STRATEGY'], environmentId);
  const id = strategyId.toLowerCase();
  const featureName = await findFeatureOfStrategy(tx, projectId, environmentId, id);
  if (featureName === undefined) throw notFound(`Strategy "${id}"`);
  const key = { project: projectId, featureName, environment: environmentId };
  const { segments } = await changeStrategy(current, key, id, ({ id: _, featureName: __, ...content }) => ({
    ...content,
    segments: segmentIds,
  }));
  return { projectId, environmentId, strategyId: id, segmentIds: segments };
}
