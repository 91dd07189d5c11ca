import { needsInProject } from '../../access/guard.ts';
import { changeStrategy } from '../../flags/feature-environments/strategies.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { StrategySegments } from './schema.ts';
import { findFeatureOfStrategy } from './store.ts';

/** Sets the segments of a strategy: a change of the strategy, so its event tells of it. */
export async function attachSegments(
  db: Db,
  actor: Actor,
  { projectId, environmentId, strategyId, segmentIds }: StrategySegments,
): Promise<StrategySegments> {
  await needsInProject(db, actor, projectId, ['UPDATE_FEATURE_STRATEGY'], environmentId);
  const id = strategyId.toLowerCase();
  const featureName = await findFeatureOfStrategy(db, projectId, environmentId, id);
  if (featureName === undefined) throw notFound(`Strategy ${id}`);
  const place = { project: projectId, featureName, environment: environmentId };
  const { segments } = await changeStrategy(
    db,
    actor,
    place,
    id,
    ({ id: _, featureName: __, ...before }) => ({
      ...before,
      segments: segmentIds,
    }),
  );
  return { projectId, environmentId, strategyId: id, segmentIds: segments };
}
