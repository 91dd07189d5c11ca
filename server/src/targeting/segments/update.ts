import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { checkSegmentConstraints } from './create.ts';
import { requireSegmentPermission } from './permission.ts';
import type { SegmentInput } from './schema.ts';
import { isUsedOutsideProject, lockSegment, type SegmentRow, updateSegment } from './store.ts';

/**
 * Replaces name and constraints. An omitted description or project keeps its value. An update that changes nothing writes
 * nothing.
 */
export async function changeSegment(current: Change, id: number, input: SegmentInput): Promise<void> {
  const { tx, actor, record } = current;
  const before = await lockSegment(tx, actor, id);
  if (!before) throw notFound(`Segment ${id}`);
  await requireSegmentPermission(tx, actor, 'UPDATE_SEGMENT', before.project);
  const project = input.project === undefined ? before.project : input.project || null;
  if (project !== before.project) await checkMove(current, before, project);
  const after = {
    ...before,
    name: input.name.trim(),
    description: input.description === undefined ? before.description : input.description,
    project,
    constraints: await checkSegmentConstraints(tx, input.constraints, project),
  };
  if (isDeepStrictEqual(after, before)) return;

  await updateSegment(tx, id, after);
  if (before.project === null || project === before.project) {
    record({ type: 'segment-updated', project, data: after, preData: before });
  } else {
    // Two events, because readers of the new project's events, or of all events, may not be allowed to read the old project.
    record({ type: 'segment-deleted', project: before.project, preData: before });
    record({ type: 'segment-created', project, data: after });
  }
}

/** Moving a segment requires the permission in its new project too, and no feature outside that project may use it. */
async function checkMove({ tx, actor }: Change, segment: SegmentRow, project: string | null): Promise<void> {
  await requireSegmentPermission(tx, actor, 'UPDATE_SEGMENT', project);
  if (project !== null && (await isUsedOutsideProject(tx, segment.id, project))) {
    throw badData([
      { message: `strategies outside project "${project}" use the segment`, path: '/body/project' },
    ]);
  }
}
