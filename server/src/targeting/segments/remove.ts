import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import { rejectIfUsed } from '../../platform/db/failures.ts';
import type { Change } from '../../record/change.ts';
import { requireSegmentPermission } from './permission.ts';
import { deleteProjectSegments, deleteSegment, isInAnyDefaultStrategy, lockSegment } from './store.ts';

const describeUse = (strategyKind: string, name: string): string =>
  `A ${strategyKind} uses segment "${name}". Remove the segment from the strategy first.`;

/** Deletes a segment that no strategy uses. A foreign key protects the segments of feature strategies. */
export async function removeSegment({ tx, actor, record }: Change, id: number): Promise<void> {
  const segment = await lockSegment(tx, actor, id);
  if (!segment) throw notFound(`Segment ${id}`);
  await requireSegmentPermission(tx, actor, 'DELETE_SEGMENT', segment.project);
  if (await isInAnyDefaultStrategy(tx, id))
    throw new ApiError('ConflictError', describeUse('default strategy', segment.name));
  await rejectIfUsed('feature_strategy_segments_segment_id_fkey', describeUse('strategy', segment.name), () =>
    deleteSegment(tx, id),
  );
  record({ type: 'segment-deleted', project: segment.project, preData: segment });
}

/** Deletes the segments of a project. Runs after the features of the project are deleted, so that no strategy uses the segments. */
export async function removeProjectSegments({ tx, record }: Change, project: string): Promise<void> {
  for (const preData of await deleteProjectSegments(tx, project))
    record({ type: 'segment-deleted', project, preData });
}
