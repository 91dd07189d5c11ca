import { needs, needsInProject } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';

type SegmentPermission = 'CREATE_SEGMENT' | 'UPDATE_SEGMENT' | 'DELETE_SEGMENT';

/** A global segment needs the root permission; one of a project that, or UPDATE_PROJECT_SEGMENT in the project. */
export async function needsForSegment(
  db: Db,
  actor: Actor,
  permission: SegmentPermission,
  project: string | null,
): Promise<void> {
  if (project === null) needs(actor, [permission]);
  else await needsInProject(db, actor, project, [permission, 'UPDATE_PROJECT_SEGMENT']);
}
