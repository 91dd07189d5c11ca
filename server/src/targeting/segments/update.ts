import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '@halyard/plane/platform/errors.ts';
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
  const segmentBefore = await lockSegment(tx, actor, id);
  if (!segmentBefore) throw notFound(`Segment ${id}`);
  await requireSegmentPermission(tx, actor, 'UPDATE_SEGMENT', segmentBefore.project);
  const project = input.project === undefined ? segmentBefore.project : input.project || null;
  if (project !== segmentBefore.project) await checkMove(current, segmentBefore, project);
  const segmentAfter = {
    ...segmentBefore,
    name: input.name.trim(),
    description: input.description === undefined ? segmentBefore.description : input.description,
    project,
    constraints: await checkSegmentConstraints(tx, input.constraints, project),
  };
  if (isDeepStrictEqual(segmentAfter, segmentBefore)) return;

  await updateSegment(tx, id, segmentAfter);
  if (segmentBefore.project === null || project === segmentBefore.project) {
    record({ type: 'segment-updated', project, data: segmentAfter, preData: segmentBefore });
  } else {
    // Two events, because readers of the new project's events, or of all events, may not be allowed to read the old project.
    record({ type: 'segment-deleted', project: segmentBefore.project, preData: segmentBefore });
    record({ type: 'segment-created', project, data: segmentAfter });
  }
}

/**
 * Checks that a segment can move: the caller needs the permission in its new project too, and no strategy outside that project may
 * use the segment.
 */
async function checkMove({ tx, actor }: Change, segment: SegmentRow, project: string | null): Promise<void> {
  await requireSegmentPermission(tx, actor, 'UPDATE_SEGMENT', project);
  if (project !== null && (await isUsedOutsideProject(tx, segment.id, project))) {
    throw badData([
      { message: `strategies outside project "${project}" use the segment`, path: '/body/project' },
    ]);
  }
}
