import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { acceptSegmentConstraints } from './create.ts';
import { needsForSegment } from './permission.ts';
import type { SegmentInput } from './schema.ts';
import { isUsedOutside, lockSegment, type SegmentRow, updateSegment } from './store.ts';

/** Replaces name and constraints, and description and project if they are given; changing nothing writes nothing. */
export async function changeSegment(db: Db, actor: Actor, id: number, input: SegmentInput): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const before = await lockSegment(tx, actor, id);
    if (!before) throw notFound(`Segment ${id}`);
    await needsForSegment(tx, actor, 'UPDATE_SEGMENT', before.project);
    const project = input.project === undefined ? before.project : input.project || null;
    if (project !== before.project) await refuseMove(tx, actor, before, project);
    const after = {
      ...before,
      name: input.name.trim(),
      description: input.description === undefined ? before.description : input.description,
      project,
      constraints: await acceptSegmentConstraints(tx, input.constraints, project),
    };
    if (isDeepStrictEqual(after, before)) return;

    await updateSegment(tx, id, after);
    if (before.project === null || project === null || project === before.project) {
      record({ type: 'segment-updated', project, data: after, preData: before });
    } else {
      // Neither project may be known to those who read the other's events.
      record({ type: 'segment-deleted', project: before.project, preData: before });
      record({ type: 'segment-created', project, data: after });
    }
  });
}

/** Who gives a segment to a project, or to all, needs the permission there too; features elsewhere keep it. */
async function refuseMove(tx: Tx, actor: Actor, segment: SegmentRow, project: string | null): Promise<void> {
  await needsForSegment(tx, actor, 'UPDATE_SEGMENT', project);
  if (project !== null && (await isUsedOutside(tx, segment.id, project))) {
    throw badData([{ message: 'other projects use the segment', path: '/body/project' }]);
  }
}
