import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { unlessUsed } from '../../platform/db/failures.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { needsForSegment } from './permission.ts';
import { deleteSegment, deleteSegmentsOfProject, isUsedByDefault, lockSegment } from './store.ts';

const stillUsed = (what: string, name: string): string =>
  `A ${what} uses segment ${name}. Remove the segment from the strategy first.`;

/** Deletes a segment that no strategy uses; of the strategies of features the foreign key takes care. */
export async function removeSegment(db: Db, actor: Actor, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const segment = await lockSegment(tx, actor, id);
    if (!segment) throw notFound(`Segment ${id}`);
    await needsForSegment(tx, actor, 'DELETE_SEGMENT', segment.project);
    if (await isUsedByDefault(tx, id)) {
      throw new ApiError('ConflictError', stillUsed('default strategy', segment.name));
    }
    await unlessUsed('feature_strategy_segments_segment_id_fkey', stillUsed('strategy', segment.name), () =>
      deleteSegment(tx, id),
    );
    record({ type: 'segment-deleted', project: segment.project, preData: segment });
  });
}

/** Part of a change that deletes a project, after its features: the segments that were its own go with it. */
export async function removeSegmentsOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const preData of await deleteSegmentsOfProject(tx, project)) {
    record({ type: 'segment-deleted', project, preData });
  }
}
