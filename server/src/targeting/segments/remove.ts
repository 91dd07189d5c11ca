import { ApiError, notFound } from '../../../../plane/src/platform/errors.ts';
import { unlessUsed } from '../../platform/db/failures.ts';
import type { Change } from '../../record/change.ts';
import { requireSegmentPermission } from './permission.ts';
import { deleteSegment, deleteSegmentsOfProject, isInAnyDefaultStrategy, lockSegment } from './store.ts';

const stillUsed = (user: string, name: string): string =>
  `A ${user} uses segment "${name}". Remove the segment from the strategy first.`;

/** Deletes a segment that no strategy uses. A foreign key protects the segments of feature strategies. */
export async function removeSegment({ tx, actor, record }: Change, id: number): Promise<void> {
  const segment = await lockSegment(tx, actor, id);
  if (!segment) throw notFound(`Segment ${id}`);
  await requireSegmentPermission(tx, actor, 'DELETE_SEGMENT', segment.project);
  if (await isInAnyDefaultStrategy(tx, id)) {
    throw new ApiError('ConflictError', stillUsed('default strategy', segment.name));
  }
  await unlessUsed('feature_strategy_segments_segment_id_fkey', stillUsed('strategy', segment.name), () =>
    deleteSegment(tx, id),
  );
  record({ type: 'segment-deleted', project: segment.project, preData: segment });
}

/** Runs after the features of the project are deleted, so that no strategy uses its segments. */
export async function removeSegmentsOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const preData of await deleteSegmentsOfProject(tx, project)) {
    record({ type: 'segment-deleted', project, preData });
  }
}
